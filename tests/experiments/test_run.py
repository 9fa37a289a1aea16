import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import (
    Dataset,
    Marginal,
    Results,
    ResultsError,
    Ridge,
    RunTable,
    SettingError,
    load_dataset,
    make_runs,
    run_experiment,
)
from bayes_distnet.data.splits import cut_off, folds_by_instance
from bayes_distnet.experiments.jobs import Condition, Job, do_job
from bayes_distnet.experiments.journal import locked
from bayes_distnet.experiments.plans import CENSORED, FAMILIES, make_plan
from bayes_distnet.experiments.processes import local_processes
from bayes_distnet.experiments.results import EXAMPLE_LEVELS, KEY

FAST = ("ridge", "marginal", "limit-lognormal", "limit-empirical")


@pytest.fixture(scope="module")
def data():
    made = make_runs(n_instances=40, n_runs=10, n_features=4, random_state=0)
    names = [f"i{k:02d}" for k in range(40)]
    runs = pd.DataFrame(made.seconds, index=names).rename_axis("instance").melt(ignore_index=False).reset_index()
    runs.columns = ["instance", "seed", "seconds"]
    return Dataset(RunTable.from_frame(runs.assign(status="solved")), made.features.set_axis(names))


@pytest.fixture(scope="module")
def low_samples(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("low") / "results"
    return run_experiment(
        "low-samples", data, folder, name="made", models=FAST, folds=4, seeds=2, runs=(1, 4), cores=1, progress=False
    )


def test_every_model_family_condition_fold_and_seed_is_there_once(low_samples):
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
        *("nllh", "kld", "ks", "crps", "mass", "coverage", "calibration"),
        *("nllh_published", "kld_published", "ks_published"),
    }
    assert low_samples.of("low-samples").equals(table)
    assert low_samples.of("censoring").empty


def test_models_are_ordered_as_they_must_be(low_samples):
    mean = low_samples.table[low_samples.table["score"] == "nllh"].groupby("model")["value"].mean()
    assert mean["limit: empirical"] < mean["limit: lognormal"] < mean["Ridge"] < mean["Marginal"]


def test_a_value_is_that_of_a_fit_by_hand(low_samples, data):
    from bayes_distnet import Ridge
    from bayes_distnet.scoring import scores

    train, test = list(folds_by_instance(40, 4, random_state=1))[2]
    columns = np.random.default_rng(1).permutation(10)[:4]
    model = Ridge().fit(data.features.iloc[train], data.seconds[train][:, columns])
    expected = scores.nllh(model.predict_distribution(data.features.iloc[test]), data.seconds[test]).mean()
    table = low_samples.table
    row = table.query("model == 'Ridge' and runs == 4 and fold == 2 and seed == 1 and score == 'nllh'")
    assert row["value"].item() == pytest.approx(expected, rel=1e-5)


def test_a_second_call_does_only_what_is_missing(data, tmp_path):
    call = {"name": "made", "folds": 4, "only_folds": 1, "runs": (2,), "cores": 1, "progress": False}
    first = run_experiment("low-samples", data, tmp_path / "r", models=["ridge"], seeds=1, **call)
    second = run_experiment("low-samples", data, tmp_path / "r", models=["ridge", "marginal"], seeds=2, **call)
    assert [session["jobs"] for session in second.about["sessions"]] == [1, 1 + 2 * 2]
    pd.testing.assert_frame_equal(second.table.head(len(first.table)), first.table)
    plan = second.about["experiments"]["low-samples"]
    assert plan["models"] == ["Ridge", "Marginal"]
    assert plan["seeds"] == 2
    third = run_experiment("low-samples", data, tmp_path / "r", models=["ridge"], seeds=1, **call)
    assert len(third.about["sessions"]) == 2  # nothing was left to do


def test_censoring_shares_the_uncensored_condition(data, tmp_path):
    call = {"name": "made", "models": ["ridge"], "folds": 4, "only_folds": 1, "seeds": 1, "cores": 1, "progress": False}
    run_experiment("low-samples", data, tmp_path / "r", runs=(4, 8), **call)
    results = run_experiment("censoring", data, tmp_path / "r", cutoffs="random", **call)
    assert results.about["sessions"][-1]["jobs"] == len(CENSORED) - 1
    table = results.of("censoring")
    assert table.groupby("censored")["cutoffs"].unique().map(list).to_dict() == {
        0.0: ["none"],
        **{share: ["random"] for share in CENSORED[1:]},
    }
    assert set(results.of("low-samples")["runs"]) == {4, 8}
    assert set(table["runs"]) == {8}


def test_censoring_hurts_and_test_runs_stay_complete(data, tmp_path):
    results = run_experiment(
        "censoring", data, tmp_path / "r", name="made", models=["ridge", "limit-lognormal"], cores=1, folds=4, seeds=1,
        censored=(0.0, 0.8), progress=False,
    )  # fmt: skip
    nllh = results.table.query("score == 'nllh'").groupby(["model", "censored"])["value"].mean()
    assert nllh["Ridge", 0.8] > nllh["Ridge", 0.0] + 0.02
    assert nllh["limit: lognormal", 0.8] == pytest.approx(nllh["limit: lognormal", 0.0])


def test_uncertainty_follows_one_instance_of_every_fold(data, tmp_path):
    results = run_experiment(
        "uncertainty", data, tmp_path / "r", name="made", models=["ridge", "forest"], folds=2, cores=1, progress=False
    )
    shifts = results.shifts
    assert (
        shifts.groupby(["model", "fold"])["shift"].agg(["min", "max", "size"]).to_numpy().tolist() == [[-8, 8, 33]] * 4
    )
    assert (shifts["low"] < shifts["median"]).all()
    assert shifts.groupby("fold")["instance"].nunique().eq(1).all()
    assert results.table.empty


def test_the_published_splits(data, tmp_path):
    results = run_experiment(
        "censoring", data, tmp_path / "r", name="made", models=["marginal"], families=["lognormal"], preset="paper",
        censored=(0.8,), folds=4, only_folds=1, seeds=2, cores=1, progress=False,
    )  # fmt: skip
    assert results.about["preset"] == "paper"
    from sklearn.model_selection import KFold

    train, test = next(KFold(4, shuffle=True, random_state=0).split(np.zeros(40)))
    columns = np.random.default_rng(1).permutation(10)[:8]
    seconds = data.seconds[train][:, columns]
    cut, known = cut_off(seconds[:24], np.ones((24, 8), bool), 0.8)
    seconds, finished = np.concatenate([cut, seconds[24:]]), np.concatenate([known, np.ones((6, 8), bool)])
    from bayes_distnet.scoring import scores

    rtd = Marginal().fit(data.features.iloc[train], seconds, finished).predict_distribution(data.features.iloc[test])
    expected = scores.nllh(rtd, data.seconds[test]).mean()
    row = results.table.query("seed == 1 and score == 'nllh'")
    assert row["value"].item() == pytest.approx(expected, rel=1e-5)


def test_examples_hold_the_predictions_of_unseen_instances(low_samples):
    examples = low_samples.examples.query("model == 'Ridge'")
    assert set(examples["runs"]) == {4}  # the condition nearest to eight runs
    assert sorted(examples["instance"]) == [f"i{k:02d}" for k in range(40)]
    quantiles = np.stack(examples["quantiles"].tolist())
    assert quantiles.shape == (40, len(EXAMPLE_LEVELS))
    assert (np.diff(quantiles, axis=1) > 0).all()


def test_calibration_counts_every_test_run(low_samples):
    pit = np.stack(low_samples.calibration.query("model == 'Ridge' and runs == 4 and seed == 0")["pit"].tolist())
    assert pit.shape == (4, 20)
    assert pit.sum() == 400


class Broken(Marginal):
    """A model that fails on some data."""

    def _fit(self, features, observations):
        if len(observations.seconds) > 40:
            raise ValueError("too much for me")
        super()._fit(features, observations)


def test_a_model_that_fails_does_not_end_the_experiment(data, tmp_path):
    call = {"name": "made", "folds": 4, "only_folds": 1, "seeds": 1, "runs": (1, 4), "cores": 1, "progress": False}
    results = run_experiment("low-samples", data, tmp_path / "r", models=[f"{__file__}:Broken", "ridge"], **call)
    assert results.failures[["model", "runs", "error"]].to_numpy().tolist() == [
        ["Broken", 4, "ValueError: too much for me"]
    ]
    assert set(results.table.query("runs == 4")["model"]) == {"Ridge"}
    again = run_experiment("low-samples", data, tmp_path / "r", models=[f"{__file__}:Broken", "ridge"], **call)
    assert again.about["sessions"][-1]["jobs"] == 1  # it is tried again


def _runs(process):
    """Tell whether a process is there and not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_experiment_goes_on_where_it_stopped(data, tmp_path):
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
    while any(_runs(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with journal.open("a") as file:
        file.write('{"key": {"runs": 1, "cut')  # a line the crash cut short
    before = len(Results.load(folder).done())
    assert 5 <= before < 120
    after = subprocess.run([sys.executable, tmp_path / "go.py"], check=True, capture_output=True, text=True)
    results = Results.load(folder)
    assert len(results.done()) == 120
    assert results.about["sessions"][-1]["jobs"] == 120 - before
    assert "120/120 jobs" in after.stderr
    assert "left" in after.stderr


def test_dask_does_the_same(data, tmp_path, low_samples):
    results = run_experiment(
        "low-samples", data, tmp_path / "r", name="made", models=["ridge"], folds=4, seeds=1, runs=(4,), cores=1,
        cluster="local", progress=False,
    )  # fmt: skip
    there = low_samples.table.query("model == 'Ridge' and runs == 4 and seed == 0")
    columns = [*KEY, "score", "value"]
    pd.testing.assert_frame_equal(
        results.table[columns].sort_values([*KEY, "score"], ignore_index=True),
        there[columns].sort_values([*KEY, "score"], ignore_index=True),
    )


@pytest.mark.slow
def test_networks_take_part(data, tmp_path):
    results = run_experiment(
        "low-samples", data, tmp_path / "r", name="made", models=["hybrid", "distnet"], folds=4, only_folds=1,
        seeds=1, runs=(4,), cores=1, progress=False,
    )  # fmt: skip
    assert results.failures.empty
    found = results.table.query("score == 'nllh'").groupby("model")["family"].apply(set)
    assert found["DistNet"] == set(FAMILIES)
    assert found["HybridDistNet"] == {""}


def test_what_does_not_go_together_is_refused(data, tmp_path):
    call = {"name": "made", "models": ["marginal"], "folds": 4, "only_folds": 1, "seeds": 1, "runs": (1,), "cores": 1}
    call["progress"] = False
    run_experiment("low-samples", data, tmp_path / "r", **call)
    with pytest.raises(ResultsError, match="holds results of folds=4"):
        run_experiment("low-samples", data, tmp_path / "r", **call | {"folds": 5})
    with pytest.raises(ResultsError, match="other runs or features"):
        run_experiment("low-samples", data.select(data.features.index[:30]), tmp_path / "r", **call)
    with pytest.raises(ResultsError, match="data='made'"):
        run_experiment("low-samples", data, tmp_path / "r", **call | {"name": "other"})
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    with pytest.raises(ResultsError, match="not empty"):
        run_experiment("low-samples", data, tmp_path / "full", **call)
    with pytest.raises(ResultsError, match="no results here"):
        Results.load(tmp_path / "full")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"experiment": "low"}, "experiment='low'"),
        ({"runs": (11,)}, "runs=11: the data have 10 runs"),
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
def test_bad_settings_are_refused_before_anything_is_written(data, tmp_path, change, message):
    call = {"experiment": "low-samples", "models": ["marginal"], "name": "made", "cores": 1, "progress": False} | change
    with pytest.raises(SettingError, match=message):
        run_experiment(data=data, folder=tmp_path / "r", **call)
    assert not (tmp_path / "r").exists()


def test_damaged_folders_say_so(data, tmp_path):
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "about.json").write_text("{")
    with pytest.raises(ResultsError, match="not JSON"):
        Results.load(folder)
    (folder / "about.json").write_text(json.dumps({"format": 99, "data": "x", "experiments": {}}))
    with pytest.raises(ResultsError, match="format 99"):
        Results.load(folder)
    (folder / "about.json").write_text(json.dumps({"format": 1, "data": "x", "experiments": {}}))
    (folder / "journal.jsonl").write_text("{broken\n{}\n")
    with pytest.raises(ResultsError, match="line 1"):
        Results.load(folder)
    for line in ('{"kind": "scores", "key": {"runs": 1}}', '{"kind": "scores", "key": 5}', "[]"):
        (folder / "journal.jsonl").write_text(f"{line}\n")
        with pytest.raises(ResultsError, match="line 1: not written by an experiment"):
            Results.load(folder)
    (folder / "journal.jsonl").write_bytes(b"\xff\xfe\n")
    with pytest.raises(ResultsError, match=r"journal\.jsonl: not text"):
        Results.load(folder)
    (folder / "journal.jsonl").unlink()
    pd.DataFrame({"runs": [1]}).to_parquet(folder / "results.parquet")
    with pytest.raises(ResultsError, match=r"results\.parquet: no column 'data'"):
        Results.load(folder)


def test_workers_that_do_not_see_the_folder_say_so(tmp_path):
    with pytest.raises(ResultsError, match="Workers must see"):
        do_job(Job("ridge", "Ridge", "", Condition(1, "none", 0.0), 0, 0, 4, None), str(tmp_path), "")


def test_a_folder_made_anew_with_other_data_is_read_anew(data, tmp_path):
    call = {"name": "made", "models": ["marginal"], "folds": 2, "seeds": 1, "runs": 1, "families": "lognormal"}
    call |= {"cores": 1, "progress": False}
    first = run_experiment("low-samples", data, tmp_path / "r", **call).table["instances"].sum()
    shutil.rmtree(tmp_path / "r")
    second = run_experiment("low-samples", data.select(data.features.index[:20]), tmp_path / "r", **call)
    assert second.table["instances"].sum() == first / 2


def test_what_a_crash_at_the_start_leaves_does_not_count(data, tmp_path):
    data.select(data.features.index[:20]).save(tmp_path / "r" / "data")
    (tmp_path / "r" / "data.new").mkdir()
    call = {"name": "made", "models": ["marginal"], "folds": 2, "only_folds": 1, "seeds": 1, "runs": 1, "cores": 1}
    results = run_experiment("low-samples", data, tmp_path / "r", progress=False, **call)
    assert len(results.data) == 40
    assert len(results.table)
    assert not (tmp_path / "r" / "data.new").exists()


def test_a_model_is_named_and_not_handed_over(data, tmp_path):
    with pytest.raises(SettingError, match=r"models: found Ridge\(\); expected where other processes find it"):
        run_experiment("low-samples", data, tmp_path / "r", name="made", models=[Ridge()])


def test_another_model_of_the_same_name_is_refused(data, tmp_path):
    call = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "runs": 1, "cores": 1, "progress": False}
    mine = tmp_path / "mine.py"
    mine.write_text("from bayes_distnet import KNearest\nmodel = KNearest(3)\n")
    run_experiment("low-samples", data, tmp_path / "r", models=[f"{mine}:model"], **call)
    mine.write_text("from bayes_distnet import KNearest\nmodel = KNearest(5)\n")
    with pytest.raises(ResultsError, match="another model called 'model'"):
        run_experiment("low-samples", data, tmp_path / "r", models=[f"{mine}:model"], **call)


def test_results_of_two_settings_never_share_a_name(data, tmp_path):
    call = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "cores": 1, "progress": False}
    mine, folder = tmp_path / "mine.py", tmp_path / "r"
    mine.write_text("from bayes_distnet import KNearest\nmodel = KNearest(3)\n")
    call["models"] = [f"{mine}:model"]
    run_experiment("low-samples", data, folder, runs=[1, 2], **call)
    mine.write_text("from bayes_distnet import KNearest\nmodel = KNearest(5)\n")
    with pytest.raises(ResultsError, match=r"1 other jobs of 'model' with other settings .*3.* would stay"):
        run_experiment("low-samples", data, folder, runs=[1], redo=True, **call)
    assert len(Results.load(folder).done()) == 2  # nothing is lost
    again = run_experiment("low-samples", data, folder, runs=[1, 2], redo=True, **call)
    assert "5" in again.about["models"]["model"]["settings"]


def test_a_model_that_cannot_be_made_costs_nothing(data, tmp_path):
    call = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "runs": 1, "cores": 1, "progress": False}
    mine, folder = tmp_path / "mine.py", tmp_path / "r"
    mine.write_text("from bayes_distnet import KNearest\nmodel = KNearest(3)\n")
    run_experiment("low-samples", data, folder, models=[f"{mine}:model"], **call)
    mine.write_text(
        "from bayes_distnet.models.registry import ModelEntry\nmodel = ModelEntry('model', 'model', make=lambda family: None)\n"
    )
    with pytest.raises(SettingError, match=r"mine\.py:model': cannot be made: TypeError"):
        run_experiment("low-samples", data, folder, models=[f"{mine}:model"], redo=True, **call)
    assert len(Results.load(folder).done()) == 1
    with pytest.raises(SettingError, match="cannot be made"):
        run_experiment("low-samples", data, tmp_path / "new", models=[f"{mine}:model"], **call)
    assert not (tmp_path / "new").exists()


def test_a_model_with_a_function_among_its_settings_goes_on(data, tmp_path):
    call = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "cores": 1, "progress": False}
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from bayes_distnet import Marginal\n\ndef gauss(x):\n    return x\n\n"
        "class Mine(Marginal):\n    def __init__(self, kernel=None):\n        super().__init__()\n"
        "        self.kernel = kernel\n\nmodel = Mine(gauss)\n"
    )
    run_experiment("low-samples", data, tmp_path / "r", models=[f"{mine}:model"], runs=1, **call)
    both = run_experiment("low-samples", data, tmp_path / "r", models=[f"{mine}:model"], runs=[1, 2], **call)
    assert len(both.done()) == 2


def test_peers_that_are_not_installed_are_named(data, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ngboost" else find(name))
    call = {"families": None, "runs": None, "censored": None, "cutoffs": "global", "folds": 4, "only_folds": None}
    call |= {"seeds": 1, "preset": None, "quick": False}
    with pytest.warns(UserWarning, match="left out, since not installed: ngboost"):
        plan = make_plan("low-samples", data, models=None, **call)
    assert "ngboost" not in plan.peers
    assert "ridge" in plan.peers
    assert make_plan("low-samples", data, models=["marginal"], **call | {"families": ["gamma", "gamma"]}).families == (
        "gamma",
    )


def test_one_core_is_one_thread_of_jax_too(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--mine")
    with local_processes(1):
        assert os.environ["XLA_FLAGS"].startswith("--mine --xla_cpu_multi_thread_eigen=false")
    assert os.environ["XLA_FLAGS"] == "--mine"
    assert "LOKY_MAX_CPU_COUNT" not in os.environ


def test_a_model_whose_code_has_changed_is_done_again_on_demand(data, tmp_path):
    call = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "cores": 1, "progress": False}
    mine, folder = tmp_path / "mine.py", tmp_path / "r"
    code = "from bayes_distnet import Marginal\n\nclass Mine(Marginal):\n    def _predict(self, x):\n"
    once = "        return super()._predict(x)\n"
    mine.write_text(code + once)
    first = run_experiment("low-samples", data, folder, models=[f"{mine}:Mine", "ridge"], runs=[1, 2], **call)
    mine.write_text(code + once.replace("(x)", "(x).minimum_of(50)"))
    with pytest.warns(UserWarning, match=r"mine\.py:Mine has changed .*: they stay"):
        same = run_experiment("low-samples", data, folder, models=[f"{mine}:Mine"], runs=[1], **call)
    pd.testing.assert_frame_equal(same.table, first.table)
    again = run_experiment("low-samples", data, folder, models=[f"{mine}:Mine"], runs=[1], redo=True, **call)

    def nllh(results, model, runs):
        table = results.table.set_index(["model", "runs", "score"])["value"]
        return table.loc[[(model, runs, "nllh")]].item()

    assert nllh(again, "Mine", 1) > nllh(first, "Mine", 1) + 1
    assert nllh(again, "Mine", 2) == nllh(first, "Mine", 2)
    assert nllh(again, "Ridge", 1) == nllh(first, "Ridge", 1)
    assert len(again.calibration) == len(first.calibration) == 4
    assert again.done() == first.done()
    run_experiment("low-samples", data, folder, models=[f"{mine}:Mine"], runs=[1], **call)  # says nothing any more


def test_shifts_are_done_again_without_the_scores(data, tmp_path):
    call = {"name": "made", "models": ["ridge"], "folds": 2, "only_folds": 1, "cores": 1, "progress": False}
    run_experiment("low-samples", data, tmp_path / "r", runs=8, seeds=1, **call)
    before = run_experiment("uncertainty", data, tmp_path / "r", **call)
    seconds = before.about["sessions"]
    again = run_experiment("uncertainty", data, tmp_path / "r", redo=True, **call)
    pd.testing.assert_frame_equal(again.shifts, before.shifts)
    pd.testing.assert_frame_equal(again.table, before.table)
    assert [s["jobs"] for s in again.about["sessions"]] == [s["jobs"] for s in seconds] + [1]


def test_whole_numbers_may_name_instances_and_numpy_may_give_settings(data, tmp_path):
    numbered = data.runs.frame.assign(instance=data.runs.frame["instance"].str[1:].astype(int))
    made = Dataset(RunTable(numbered), data.features.set_axis(range(40)))
    call = {"name": "made", "models": ["ridge"], "folds": np.int64(2), "only_folds": 1, "cores": 1, "progress": False}
    run_experiment("low-samples", made, tmp_path / "r", runs=np.array([1, 8]), seeds=np.int64(1), **call)
    results = run_experiment("uncertainty", made, tmp_path / "r", **call)
    assert results.shifts["instance"].isin(range(40)).all()


def test_infinite_scores_are_kept(data, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "import numpy as np\nfrom bayes_distnet import Marginal, LogNormal, RuntimeDistribution\n"
        "class Endless(Marginal):\n"
        "    def _predict(self, features):\n"
        "        at = np.zeros((len(features), 1))\n        return RuntimeDistribution(LogNormal(at, at + 60.0))\n"
    )
    call = {"name": "made", "folds": 2, "only_folds": 1, "seeds": 1, "runs": 1, "cores": 1, "progress": False}
    results = run_experiment("low-samples", data, tmp_path / "r", models=[f"{mine}:Endless"], **call)
    assert results.failures.empty
    assert list(results.failures.columns)[-1] == "error"
    crps = results.table.query("score == 'crps'")["value"]
    assert not crps.isna().any()
    assert (crps > 1e100).all()


def test_planned_is_what_was_asked_for(low_samples):
    assert low_samples.planned("low-samples") == low_samples.done()
    assert low_samples.planned("censoring") == set()


def test_results_may_be_copied_without_the_data_that_come_with_the_package(tmp_path):
    shipped = load_dataset("lpg-zenotravel")
    call = {"models": ["marginal"], "folds": 2, "only_folds": 1, "seeds": 1, "runs": 1, "cores": 1, "progress": False}
    run_experiment("low-samples", shipped, tmp_path / "r", name="lpg-zenotravel", **call)
    shutil.rmtree(tmp_path / "r" / "data")
    assert len(Results.load(tmp_path / "r").data) == 300


def test_levels_that_runs_cut_off_long_ago_leave_idle_are_named(data, tmp_path):
    cut = data.runs.frame["seconds"] > data.runs.frame["seconds"].quantile(0.6)
    runs = RunTable(data.runs.frame.assign(status=np.where(cut, "timeout", "solved")))
    call = {"name": "made", "models": ["marginal"], "folds": 2, "only_folds": 1, "seeds": 1, "cores": 1}
    with pytest.warns(UserWarning, match="40 % of the runs were cut off .*: with 20 % cut off"):
        run_experiment(
            "censoring", Dataset(runs, data.features), tmp_path / "r", censored=[0, 0.2, 0.6], progress=False, **call
        )


def test_levels_are_of_runs_that_an_instance_has_and_each_is_done_once(data, tmp_path):
    frame = data.runs.frame
    frame = frame[(frame["seed"] % 2 == 0) == (frame["instance"].str[1:].astype(int) % 2 == 0)]
    most = frame.groupby("instance").size().max()
    some = Dataset(RunTable(frame), data.features)
    call = {"name": "made", "models": ["ridge"], "folds": 2, "only_folds": 1, "seeds": 1, "cores": 1, "progress": False}
    with pytest.raises(SettingError, match=f"the data have {most} runs an instance"):
        run_experiment("low-samples", some, tmp_path / "r", runs=[1, most + 1], **call)
    done = run_experiment("low-samples", some, tmp_path / "r", runs=[1, 1, most], **call)
    assert [session["jobs"] for session in done.about["sessions"]] == [2]
