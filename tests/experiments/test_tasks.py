from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Dataset, RunTable, run_experiment
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.plans import make_plan
from bayes_distnet.experiments.results import KEY
from bayes_distnet.experiments.run import run_experiments
from bayes_distnet.experiments.tasks import Task, do_task, share_work
from bayes_distnet.models.registry import ModelEntry

ALL = ("low-samples", "censoring", "uncertainty")
CALL = {"name": "made", "folds": 2, "seeds": 1, "progress": False}


def counted(folder):
    """Code of a model that leaves one line per fit in a file."""
    return (
        "from bayes_distnet import Ridge\n\n\n"
        "class Counted(Ridge):\n"
        "    def _fit(self, features, observations):\n"
        f"        with open({str(folder / 'fits')!r}, 'a') as file:\n"
        "            file.write('fit\\n')\n"
        "        super()._fit(features, observations)\n"
    )


def scores(results):
    """The tidy table without times, in one order."""
    keys = [*KEY, "score"]
    return results.table.sort_values(keys).set_index(keys)["value"]


def shifts(results):
    keys = [*KEY, "shift"]
    return results.shifts.sort_values(keys).set_index(keys)[["mean", "low", "median", "high"]]


@pytest.mark.parametrize("cores", [1, 2])
def test_a_model_is_fitted_once_on_the_same_runs(data, tmp_path, mine, cores):
    models = [mine(counted(tmp_path), "Counted")]
    results = run_experiments(ALL, data, tmp_path / "r", models=models, runs=(2, 8), cores=cores, **CALL)
    conditions = 2 + 4  # 2 and 8 runs, four levels of censoring; uncertainty and no censoring have the 8 runs, too
    assert len((tmp_path / "fits").read_text().splitlines()) == 2 * conditions
    assert len(results.table.drop_duplicates(KEY)) == 2 * conditions
    assert results.shifts["fold"].nunique() == 2
    for name in ALL:
        levels = {"runs": (2, 8)} if name == "low-samples" else {}
        apart = run_experiment(name, data, tmp_path / "apart", models=models, cores=1, **levels, **CALL)
    pd.testing.assert_series_equal(scores(results), scores(apart))
    pd.testing.assert_frame_equal(shifts(results), shifts(apart))


def test_jobs_of_two_experiments_are_done_again_once(data, tmp_path, mine):
    models = [mine(counted(tmp_path), "Counted")]
    for redo in (False, True):
        run_experiments(ALL, data, tmp_path / "r", models=models, runs=(8,), cores=1, redo=redo, **CALL)
    assert len((tmp_path / "fits").read_text().splitlines()) == 2 * (2 * 5)


def test_a_limit_is_computed_once_per_fold_and_scored_in_every_condition(data, tmp_path, monkeypatch):
    calls = []
    limit_of = ModelEntry.limit_of
    monkeypatch.setattr(ModelEntry, "limit_of", lambda self, *runs: calls.append(runs) or limit_of(self, *runs))
    call = CALL | {"models": ["limit-lognormal"], "cores": 1}
    results = run_experiment("censoring", data, tmp_path / "r", **call)
    assert len(calls) == 2 * 2  # jobs that store predictions for figures, and the others
    assert len(results.table.drop_duplicates(KEY)) == 2 * 5
    assert results.table.groupby(["fold", "score"])["value"].nunique(dropna=False).eq(1).all()
    assert results.examples.groupby("fold")["censored"].unique().map(list).to_list() == [[0.0, 0.6]] * 2
    for number in (1, 8):  # one by one, no job can be a copy
        alone = run_experiment("low-samples", data, tmp_path / f"alone{number}", runs=(number,), **call)
        both = run_experiment("low-samples", data, tmp_path / "both", runs=(1, 8), **call)
        pd.testing.assert_series_equal(scores(both)[scores(alone).index], scores(alone))


def test_where_a_cutoff_cuts_nothing_off_the_result_is_a_copy(data):
    limit = np.median(data.seconds)
    names = data.features.index.to_list()
    runs = pd.DataFrame(np.minimum(data.seconds, limit), index=names).rename_axis("instance")
    frame = runs.melt(ignore_index=False, var_name="seed", value_name="seconds").reset_index()
    frame["status"] = np.where(frame["seconds"] < limit, "solved", "timeout")
    half = Dataset(RunTable.from_frame(frame.assign(cutoff=limit)), data.features)
    plan = make_plan("censoring", half, models=["ridge"], folds=2, only_folds=1, seeds=1)
    jobs = [replace(job, examples=False) for job in plan.jobs()]
    groups = [group for task in share_work(jobs, half) for group in task.equal]
    assert [[job.condition.censored for job in group] for group in groups] == [[0.0, 0.2, 0.4], [0.6], [0.8]]


def test_every_job_is_in_one_task_and_other_seeds_are_other_work(data):
    jobs = [job for name in ALL for job in make_plan(name, data, models=["ridge"], folds=2, seeds=2).jobs()]
    tasks = share_work(jobs, data)
    assert sorted(map(repr, (job for task in tasks for group in task.equal for job in group))) == sorted(
        map(repr, jobs)
    )
    assert all(len({(job.text, job.fold, job.seed) for group in task.equal for job in group}) == 1 for task in tasks)
    assert tasks[0].equal[0][0] == jobs[0]


def test_a_failure_is_the_result_of_all_equal_jobs(data, tmp_path, mine):
    code = "from bayes_distnet import Ridge\n\n\nclass Bad(Ridge):\n    def _fit(self, features, observations):\n"
    models = [mine(code + "        raise ValueError('no')\n", "Bad")]
    results = run_experiments(ALL, data, tmp_path / "r", models=models, runs=(8,), cores=1, **CALL)
    assert set(results.failures["error"]) == {"ValueError: no"}
    assert len(results.failures) == 2 * (5 + 1)


def test_workers_that_do_not_see_the_folder_report_it(data, tmp_path):
    job = make_plan("low-samples", data, models=["ridge"]).jobs()[0]
    with pytest.raises(ResultsError, match="Workers must see"):
        do_task(Task(((job,),)), str(tmp_path), "")
