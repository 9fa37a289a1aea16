import json

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import make_runs
from bayes_distnet.cli import main
from bayes_distnet.experiments.registry import EXPERIMENTS


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    made = make_runs(n_instances=24, n_runs=4, n_features=3, random_state=0)
    names = np.array([f"i{k}.cnf" for k in range(24)])
    runs = pd.DataFrame({"instance": np.repeat(names, 4), "seed": np.tile(range(4), 24)})
    runs.assign(seconds=made.seconds.ravel(), status="solved").to_csv(folder / "mine.csv", index=False)
    made.features.set_axis(names, axis=0).rename_axis("instance").to_csv(folder / "features.csv")
    return ["--data", str(folder / "mine.csv"), "--features", str(folder / "features.csv")]


SMALL = ["--models", "ridge,marginal", "--families", "lognormal", "--folds", "2", "--seeds", "1", "--cores", "1"]


def test_the_command_line_lists_the_registered_experiments(capsys):
    with pytest.raises(SystemExit):
        main(["experiment", "--help"])
    assert f"{', '.join(EXPERIMENTS)}, or all" in " ".join(capsys.readouterr().out.split())


def test_experiments_share_a_folder_and_each_takes_its_own_levels(data, tmp_path, capsys):
    out = str(tmp_path / "results")
    levels = ["--runs", "1,2", "--censored", "0,40", "--quiet", "--no-report"]
    assert main(["experiment", "low-samples", "censoring", *data, *SMALL, *levels, "--out", out]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "low-samples: negative log likelihood, less is better" in shown.out
    assert "censoring: negative log likelihood, less is better" in shown.out
    assert shown.out.endswith(f"results in {out}\n")

    assert main(["info", out, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["kind"], said["data"], said["failed"]) == ("results", "mine", 0)
    assert said["experiments"]["low-samples"]["runs"] == [1, 2]
    assert said["experiments"]["low-samples"]["censored"] == [0.0]
    assert said["experiments"]["censoring"]["runs"] == [4]
    assert said["experiments"]["censoring"]["censored"] == [0.0, 0.4]
    assert main(["info", out]) == 0
    assert "results on mine: 16 fits scored" in capsys.readouterr().out


@pytest.mark.slow
def test_a_report_is_made_at_once_or_later(data, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    out = tmp_path / "results"
    assert main(["experiment", "low-samples", *data, *SMALL, "--runs", "1,2", "--quiet", "--out", str(out)]) == 0
    assert capsys.readouterr().out.endswith(f"report in {out / 'report.html'}\n")
    (out / "report.html").unlink()
    assert main(["report", str(out)]) == 0
    assert (out / "report.html").is_file()


def test_results_may_be_called_like_the_data_set(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    call = ["experiment", "low-samples", "--data", "lpg-zenotravel", "--models", "marginal", "--families", "lognormal"]
    call += ["--runs", "1", "--only-folds", "1", "--seeds", "1", "--cores", "1", "--quiet", "--no-report"]
    for _ in range(2):
        assert main([*call, "--out", "lpg-zenotravel"]) == 0
    assert capsys.readouterr().err == ""


def test_a_feature_of_words_is_one_line_of_error(data, tmp_path, capsys):
    table = pd.read_csv(data[-1]).assign(kind="random")
    table.to_csv(tmp_path / "words.csv", index=False)
    call = [*data[:-1], str(tmp_path / "words.csv"), *SMALL, "--no-report", "--out", str(tmp_path / "r")]
    assert main(["experiment", "low-samples", *call]) != 0
    said = capsys.readouterr().err
    assert "features: not all columns are numbers" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "r").exists()


def test_errors_of_the_last_experiment_are_reported_before_the_first(data, tmp_path, capsys):
    out = tmp_path / "results"
    call = ["experiment", "all", *data, "--models", "limit-lognormal", "--folds", "2", "--quiet", "--no-report"]
    assert main([*call, "--out", str(out)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not out.exists()


def test_an_experiment_of_failures_alone_fails(data, tmp_path, capsys):
    code = "from bayes_distnet import Marginal\n\nclass Broken(Marginal):\n    def _predict(self, x):\n        raise"
    (tmp_path / "mine.py").write_text(f"{code} RuntimeError('no')\n")
    call = [*data, "--models", f"{tmp_path / 'mine.py'}:Broken", "--folds", "2", "--seeds", "1", "--cores", "1"]
    out = tmp_path / "r"
    assert main(["experiment", "low-samples", *call, "--runs", "1", "--quiet", "--no-report", "--out", str(out)]) != 0
    assert "all 2 jobs failed: RuntimeError: no" in capsys.readouterr().err
