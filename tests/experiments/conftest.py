"""A small data set, results of an experiment on it, and a call that does a small experiment."""

import pytest
from made_data import made_data

from bayes_distnet import run_experiment

SMALL = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "cores": 1, "progress": False}


@pytest.fixture(scope="session")
def data():
    return made_data()


@pytest.fixture(scope="session")
def low_samples(data, tmp_path_factory):
    models = ("ridge", "marginal", "limit-lognormal", "limit-empirical")
    folder = tmp_path_factory.mktemp("low") / "results"
    call = SMALL | {"folds": 4, "only_folds": None, "seeds": 2}
    return run_experiment("low-samples", data, folder, models=models, runs=(1, 4), **call)


@pytest.fixture
def run(data, tmp_path):
    """Do one fold of an experiment in this process; settings may be given."""

    def run_small(experiment="low-samples", *, data=data, folder=tmp_path / "r", **settings):
        return run_experiment(experiment, data, folder, **SMALL | settings)

    return run_small


@pytest.fixture
def mine(tmp_path):
    """Write a model of a user to a file, and return the name that finds it."""

    def write(code, name="model"):
        (tmp_path / "mine.py").write_text(code)
        return f"{tmp_path / 'mine.py'}:{name}"

    return write
