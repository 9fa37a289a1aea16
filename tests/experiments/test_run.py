import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Dataset, Marginal, Results, RunTable
from bayes_distnet.errors import ResultsError, SettingError
from bayes_distnet.experiments.choices import DEFAULT_FAMILIES
from bayes_distnet.experiments.journal import locked
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import KEY
from bayes_distnet.experiments.run import run_experiments


def test_every_model_family_condition_fold_and_seed_appears_once(low_samples):
    table = low_samples.table
    assert not table.duplicated([*KEY, "score"]).any()
    counts = table[table["score"] == "nllh"].groupby(["model", "family"]).size()
    assert counts.to_dict() == {
        ("Marginal", "lognormal"): 16,
        ("Marginal", "inverse-gaussian"): 16,
        ("Ridge", ""): 16,
        ("limit: lognormal", ""): 16,
        ("limit: empirical", ""): 16,
    }
    assert set(table["score"]) == {
        *("nllh", "kld", "ks", "crps", "mass", "coverage", "band_coverage", "joint_nllh", "calibration"),
        *("nllh_published", "kld_published", "ks_published"),
    }
    assert low_samples.of("low-samples").equals(table)
    assert low_samples.of("censoring").empty


def test_models_are_in_the_order_of_their_information(low_samples):
    mean = low_samples.table[low_samples.table["score"] == "nllh"].groupby("model")["value"].mean()
    assert mean["limit: empirical"] < mean["limit: lognormal"] < mean["Ridge"] < mean["Marginal"]


def test_a_second_call_does_only_the_missing_jobs(run):
    call = {"folds": 4, "runs": (2,)}
    first = run(models=["ridge"], **call)
    second = run(models=["ridge", "marginal"], **call | {"seeds": 2})
    assert [session["jobs"] for session in second.about["sessions"]] == [1, 1 + 2 * 2]
    pd.testing.assert_frame_equal(second.table.head(len(first.table)), first.table)
    plan = second.about["experiments"]["low-samples"]
    assert plan["models"] == ["Ridge", "Marginal"]
    assert plan["seeds"] == 2
    third = run(models=["ridge"], **call)
    assert len(third.about["sessions"]) == 2  # no job was left


def test_censoring_shares_the_uncensored_condition(run):
    call = {"models": ["ridge"], "folds": 4}
    run(runs=(4, 8), **call)
    results = run("censoring", cutoffs="random", **call)
    fractions = EXPERIMENTS["censoring"].censored
    assert results.about["sessions"][-1]["jobs"] == len(fractions) - 1
    table = results.of("censoring")
    assert table.groupby("censored")["cutoffs"].unique().map(list).to_dict() == {
        0.0: ["none"],
        **{fraction: ["random"] for fraction in fractions[1:]},
    }
    assert set(results.of("low-samples")["runs"]) == {4, 8}
    assert set(table["runs"]) == {8}


def test_several_experiments_take_the_levels_of_their_own_axis(data, tmp_path):
    call = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "cores": 1, "progress": False}
    names = ("low-samples", "censoring", "uncertainty")
    results = run_experiments(names, data, tmp_path / "r", models=["ridge"], runs=(1, 2), censored=(0.0, 0.4), **call)
    plans = results.about["experiments"]
    assert {name: (plans[name]["runs"], plans[name]["censored"]) for name in names} == {
        "low-samples": ([1, 2], [0.0]),
        "censoring": ([8], [0.0, 0.4]),
        "uncertainty": ([8], [0.0]),
    }
    one = run_experiments(["censoring", "censoring"], data, tmp_path / "one", models=["ridge"], runs=2, **call)
    assert one.about["experiments"]["censoring"]["runs"] == [2]


@pytest.mark.parametrize(
    ("names", "change", "message"),
    [
        (("low-samples", "uncertainty"), {"censored": (0.4,)}, "censored: .* only censoring takes it"),
        (("censoring", "uncertainty"), {"runs": (1,)}, "runs: .* only low-samples takes it"),
        (("low-samples", "uncertainty"), {"models": ["limit-lognormal"]}, "limits have no part in uncertainty"),
        (("low-samples", "mine"), {}, "experiment 'mine'"),
        ((), {}, "at least one"),
    ],
)
def test_an_error_in_the_last_experiment_is_raised_before_the_first_runs(data, tmp_path, names, change, message):
    with pytest.raises(SettingError, match=message):
        run_experiments(names, data, tmp_path / "r", **{"name": "made", "models": ["ridge"]} | change)
    assert not (tmp_path / "r").exists()


class Broken(Marginal):
    """A model that fails on some data."""

    def _fit(self, features, observations):
        if len(observations.seconds) > 40:
            raise ValueError("too many runs")
        super()._fit(features, observations)


def test_a_model_that_fails_does_not_end_the_experiment(run):
    call = {"folds": 4, "runs": (1, 4), "models": [f"{__file__}:Broken", "ridge"]}
    results = run(**call)
    assert results.failures[["model", "runs", "error"]].to_numpy().tolist() == [
        ["Broken", 4, "ValueError: too many runs"]
    ]
    assert set(results.table.query("runs == 4")["model"]) == {"Ridge"}
    again = run(**call)
    assert again.about["sessions"][-1]["jobs"] == 1  # it is tried again


def _is_alive(process):
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_a_killed_experiment_resumes_where_it_stopped(data, tmp_path):
    data.save(tmp_path / "data")
    folder = tmp_path / "r"
    code = (
        "import sys\nfrom bayes_distnet import Dataset, run_experiment\n"
        "if __name__ == '__main__':\n"
        f"    run_experiment('low-samples', Dataset.load({str(tmp_path / 'data')!r}), {str(folder)!r}, name='made',\n"
        "        models=['forest', 'knn'], folds=10, seeds=3, runs=(1, 4), cores=2)\n"
    )
    (tmp_path / "go.py").write_text(code)
    process = subprocess.Popen([sys.executable, tmp_path / "go.py"], stderr=subprocess.DEVNULL)
    journal = folder / "journal.jsonl"
    try:
        deadline = time.monotonic() + 120
        while not (journal.exists() and journal.read_text().count("\n") >= 5):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with pytest.raises(ResultsError, match="another experiment is writing"), locked(folder):
            pass
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    while any(_is_alive(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with journal.open("a") as file:
        file.write('{"key": {"runs": 1, "cut')  # a line that the crash left incomplete
    before = len(Results.load(folder).done())
    assert 5 <= before < 120
    after = subprocess.run([sys.executable, tmp_path / "go.py"], check=True, capture_output=True, text=True)
    results = Results.load(folder)
    assert len(results.done()) == 120
    assert results.about["sessions"][-1]["jobs"] == 120 - before
    assert "120/120 jobs" in after.stderr
    assert "left" in after.stderr


def test_dask_gives_the_same_results(run, low_samples):
    results = run(models=["ridge"], folds=4, only_folds=None, runs=(4,), cluster="local")
    expected = low_samples.table.query("model == 'Ridge' and runs == 4 and seed == 0")
    columns = [*KEY, "score", "value"]
    pd.testing.assert_frame_equal(
        results.table[columns].sort_values([*KEY, "score"], ignore_index=True),
        expected[columns].sort_values([*KEY, "score"], ignore_index=True),
    )


@pytest.mark.slow
def test_networks_take_part(run):
    results = run(models=["hybrid", "distnet"], folds=4, runs=(4,))
    assert results.failures.empty
    found = results.table.query("score == 'nllh'").groupby("model")["family"].apply(set)
    assert found["DistNet"] == set(DEFAULT_FAMILIES)
    assert found["HybridDistNet"] == {""}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"experiment": "low"}, "experiment 'low'"),
        ({"runs": (11,)}, "runs=11: the data have 10 runs per instance"),
        ({"runs": (0,)}, "runs=0"),
        ({"runs": ()}, "runs"),
        ({"censored": (1.0,)}, "censored=1.0"),
        ({"censored": ("a",)}, "censored='a'"),
        ({"cutoffs": "local"}, "cutoffs='local'"),
        ({"models": ["resnet"]}, "resnet"),
        ({"models": []}, "models"),
        ({"families": ["cauchy"]}, "famil"),
        ({"folds": 41}, "folds=41"),
        ({"seeds": -1}, "seeds"),
        ({"seeds": 0}, "seeds"),
        ({"cores": 0}, "cores"),
        ({"families": []}, "families"),
        ({"experiment": "uncertainty", "runs": (1, 2)}, "one number of runs"),
        ({"preset": "published"}, "preset='published'"),
        ({"only_folds": 0}, "only_folds"),
        ({"experiment": "uncertainty", "models": ["limit-lognormal"]}, "limits have no part"),
    ],
)
def test_bad_settings_are_refused_before_anything_is_written(run, tmp_path, change, message):
    with pytest.raises(SettingError, match=message):
        run(**{"models": ["marginal"]} | change)
    assert not (tmp_path / "r").exists()


def test_an_unknown_setting_is_an_error(run):
    with pytest.raises(TypeError, match="repeats"):
        run(repeats=3)


def test_whole_numbers_may_name_instances_and_numpy_may_give_settings(data, run):
    numbered = data.runs.frame.assign(instance=data.runs.frame["instance"].str[1:].astype(int))
    made = Dataset(RunTable(numbered), data.features.set_axis(range(40)))
    call = {"data": made, "models": ["ridge"], "folds": np.int64(2)}
    run(runs=np.array([1, 8]), **call | {"seeds": np.int64(1)})
    results = run("uncertainty", **call)
    assert results.shifts["instance"].isin(range(40)).all()


def test_a_level_of_censoring_that_timeouts_leave_idle_is_named(data, run):
    cut = data.runs.frame["seconds"] > data.runs.frame["seconds"].quantile(0.6)
    runs = RunTable(data.runs.frame.assign(status=np.where(cut, "timeout", "solved")))
    with pytest.warns(UserWarning, match="40 % of the runs were cut off .*: with 20 % cut off") as caught:
        run("censoring", data=Dataset(runs, data.features), models=["marginal"], censored=[0, 0.2, 0.6])
    assert caught[0].filename.endswith("conftest.py")  # the line that called run_experiment


def test_levels_are_of_runs_that_an_instance_has_and_each_is_done_once(data, run):
    frame = data.runs.frame
    frame = frame[(frame["seed"] % 2 == 0) == (frame["instance"].str[1:].astype(int) % 2 == 0)]
    most = frame.groupby("instance").size().max()
    some = Dataset(RunTable(frame), data.features)
    with pytest.raises(SettingError, match=f"the data have {most} runs per instance"):
        run(data=some, models=["ridge"], runs=[1, most + 1])
    done = run(data=some, models=["ridge"], runs=[1, 1, most])
    assert [session["jobs"] for session in done.about["sessions"]] == [2]


def test_an_experiment_uses_the_published_folds_and_a_folder_holds_one_kind_of_folds(data, run):
    folds = pd.DataFrame({1: np.arange(len(data)) % 10 == 3}, index=data.features.index).astype("Int64")
    call = {"data": replace(data, folds=folds), "models": ["ridge"], "runs": (1,), "only_folds": None}
    results = run(folds=None, **call)
    tested = results.table[results.table["score"] == "nllh"].set_index("fold")["instances"]
    assert tested.to_dict() == {0: 36, 1: 4}
    assert results.about["own_folds"] is True
    assert len(run(folds=None, **call).done()) == 2
    with pytest.raises(ResultsError, match="holds results of own_folds=True"):
        run(folds=2, **call)
    moved = call | {"data": replace(data, folds=folds.iloc[::-1].set_axis(folds.index))}
    with pytest.raises(ResultsError, match="holds results of other runs, features or folds"):
        run(folds=None, **moved)
