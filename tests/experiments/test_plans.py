import importlib.util
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Ridge
from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.plans import make_plan
from bayes_distnet.experiments.registry import EXPERIMENTS, Experiment
from bayes_distnet.models.registry import MODELS, ModelEntry


def keys(plan):
    return list(plan.entries)


def test_peers_that_are_not_installed_are_named(data, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ngboost" else find(name))
    with pytest.warns(UserWarning, match="left out, since not installed: ngboost"):
        plan = make_plan("low-samples", data, folds=4)
    assert "ngboost" not in keys(plan)
    assert "ridge" in keys(plan)


def test_defaults_are_those_of_the_registries(data):
    quick = make_plan("censoring", data, quick=True)
    assert keys(quick) == [entry.key for entry in MODELS.values() if entry.quick]
    assert (quick.runs, quick.censored) == ((8,), (0.0, 0.4, 0.8))
    assert (quick.families, quick.folds_done, quick.seeds) == (("lognormal",), 2, 1)
    paper = make_plan("low-samples", data, preset="paper")
    assert keys(paper) == ["bayes-paper", "distnet-paper", "marginal", "limit-lognormal", "limit-empirical"]
    assert (paper.runs, paper.censored, paper.seeds) == ((1, 2, 4, 8), (0.0,), 5)  # the data have ten runs
    far = make_plan("uncertainty", data)
    assert keys(far) == ["hybrid", "bayes", "bayes-runtimes", "distnet"]
    assert (far.families, far.runs, far.seeds, far.folds_done) == (("lognormal",), (8,), 1, 10)


def test_an_instance_with_few_runs_limits_the_number_of_runs(data):
    few = data.select(data.features.index[:10])
    some = type(data)(type(data.runs)(few.runs.frame.query("seed < 5")), few.features)
    assert make_plan("censoring", some, models=["ridge"]).runs == (5,)
    assert make_plan("low-samples", some, models=["ridge"]).runs == (1, 2, 4)


def test_families_are_listed_once_and_only_those_that_models_take(data):
    plan = make_plan("low-samples", data, models=["marginal"], families=["gamma", "gamma"])
    assert plan.families == ("gamma",)
    toy = ModelEntry("toy", "Toy", make=lambda family, random_state: Ridge(), families=("lognormal",))
    with MODELS.extended(toy), pytest.raises(SettingError, match="Toy does not take 'gamma', only"):
        make_plan("low-samples", data, models=["toy"], families=["gamma"])


def test_a_model_is_named_and_not_handed_over(data):
    with pytest.raises(SettingError, match=r"models: found Ridge\(\); expected the place where other processes find"):
        make_plan("low-samples", data, models=[Ridge()])


def test_two_models_of_one_label_are_refused(data):
    with pytest.raises(SettingError, match="two are called 'Ridge'"):
        make_plan("low-samples", data, models=["ridge", "bayes_distnet.models.ridge:Ridge"])


def with_folds(data, number):
    folds = pd.DataFrame({1: np.arange(len(data)) % number}, index=data.features.index, dtype="Int64")
    return replace(data, folds=folds)


def test_published_folds_are_the_default_and_a_number_of_folds_replaces_them(data):
    own = make_plan("low-samples", with_folds(data, 5), models=["ridge"])
    assert (own.folds, own.folds_done, own.own_folds) == (5, 5, True)
    assert all(job.own_folds and job.folds == 5 for job in own.jobs())
    for plan in (
        make_plan("low-samples", with_folds(data, 5), models=["ridge"], folds=10),
        make_plan("low-samples", with_folds(data, 5), models=["ridge"], preset="paper"),
        make_plan("low-samples", with_folds(data, 1), models=["ridge"]),
        make_plan("low-samples", data, models=["ridge"]),
    ):
        assert (plan.folds, plan.own_folds) == (10, False)


def test_jobs_come_seed_by_seed_and_fold_by_fold(data):
    plan = make_plan("low-samples", data, models=["ridge"], runs=(1, 8), folds=4, only_folds=2, seeds=2)
    jobs = plan.jobs()
    assert [(job.seed, job.fold, job.condition.runs) for job in jobs] == [
        (seed, fold, runs) for seed in (0, 1) for fold in (0, 1) for runs in (1, 8)
    ]
    assert [job.examples for job in jobs] == [False, True] * 2 + [False] * 4


def test_an_experiment_is_one_line_of_the_registry(data):
    toy = Experiment("toy", "Toy", "a toy", "runs", "somewhere:job", "toys", runs=(3,), quick_runs=(2,))
    with EXPERIMENTS.extended(toy):
        assert make_plan("toy", data, models=["ridge"]).runs == (3,)
        (job, *_) = make_plan("toy", data, models=["ridge"], quick=True).jobs()
    assert (job.condition.runs, job.kind, job.source) == (2, "toys", "somewhere:job")
