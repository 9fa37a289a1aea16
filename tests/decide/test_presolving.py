import numpy as np
import pandas as pd
import pytest
from made_portfolios import two_specialists

from bayes_distnet.data.feature_groups import FeatureGroup, FeatureGroups
from bayes_distnet.decide.laws.objectives import find_objective
from bayes_distnet.decide.portfolio.feature_choice import with_paying_features
from bayes_distnet.decide.portfolio.presolving import learn_presolver
from bayes_distnet.decide.portfolio.runs import PortfolioRuns

PAR10 = find_objective("par10", cutoff=100.0)


def test_a_quick_solver_goes_first_where_the_chosen_one_often_fails():
    rng = np.random.default_rng(0)
    quick = np.where(rng.random(300) < 0.4, rng.uniform(0.1, 0.5, 300), np.inf)
    chosen = np.where(rng.random(300) < 0.5, rng.uniform(10.0, 60.0, 300), np.inf)
    times = np.stack([quick, chosen], axis=1)[..., None]
    slots = learn_presolver(times, np.ones(300, dtype=np.intp), np.zeros(300), PAR10, ("quick", "slow"), 100.0)
    assert slots[0].solver == "quick"
    assert 0.4 < slots[0].seconds < 2.0


def test_no_presolver_where_none_pays():
    rng = np.random.default_rng(0)
    times = np.stack([rng.uniform(20.0, 90.0, 300), rng.uniform(1.0, 2.0, 300)], axis=1)[..., None]
    assert learn_presolver(times, np.ones(300, dtype=np.intp), np.zeros(300), PAR10, ("slow", "good"), 100.0) == ()


def test_dear_features_make_a_presolver_pay():
    rng = np.random.default_rng(0)
    times = np.stack([rng.uniform(0.1, 30.0, 300), rng.uniform(0.1, 30.0, 300)], axis=1)[..., None]
    slots = learn_presolver(times, np.zeros(300, dtype=np.intp), np.full(300, 60.0), PAR10, ("a", "b"), 100.0)
    assert slots


def test_instances_with_fewer_runs_count_the_same():
    rng = np.random.default_rng(0)
    quick = np.where(rng.random(300) < 0.4, rng.uniform(0.1, 0.5, 300), np.inf)
    chosen = np.where(rng.random(300) < 0.5, rng.uniform(10.0, 60.0, 300), np.inf)
    once = np.stack([quick, chosen], axis=1)[..., None]
    gaps = np.concatenate([once, np.where(rng.random(300) < 0.5, np.nan, once.T).T], axis=2)
    arguments = (np.ones(300, dtype=np.intp), np.zeros(300), PAR10, ("quick", "slow"), 100.0)
    (with_gaps,), (without,) = learn_presolver(gaps, *arguments), learn_presolver(once, *arguments)
    assert with_gaps.solver == without.solver
    assert with_gaps.seconds == pytest.approx(without.seconds, rel=0.6)  # the next length of the grid at most


def two_groups(index, cheap, dear):
    """One feature takes 0.1 s, the other 20 s."""
    return FeatureGroups(
        (FeatureGroup("cheap", (cheap,)), FeatureGroup("dear", (dear,))),
        pd.DataFrame({"cheap": 0.1, "dear": 20.0}, index=index),
        pd.DataFrame({"cheap": "ok", "dear": "ok"}, index=index),
    )


def test_a_group_of_features_that_does_not_pay_is_left_out():
    runs = PortfolioRuns.of(two_specialists())
    objective = find_objective("par10", cutoff=runs.cutoff)
    reduced, groups = with_paying_features(runs, two_groups(runs.features.index, cheap="x", dear="noise"), objective)
    assert groups == ("cheap",)
    assert reduced.columns == ("x",)
    np.testing.assert_allclose(reduced.fee, 0.1)
    kept, _ = with_paying_features(runs, two_groups(runs.features.index, cheap="noise", dear="x"), objective)
    assert "x" in kept.columns  # 20 s are worth it: the wrong solver costs more
