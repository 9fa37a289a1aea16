import numpy as np
import pandas as pd
from made_portfolios import two_specialists

from bayes_distnet.decide.feature_choice import with_paying_features
from bayes_distnet.decide.objectives import find_objective
from bayes_distnet.decide.portfolio_runs import PortfolioRuns
from bayes_distnet.decide.presolving import learn_presolver

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


class TwoGroups:
    """The feature x is cheap, the feature noise takes 20 s."""

    names = ("cheap", "dear")

    def __init__(self, index, dear):
        self.index, self.columns = index, {"cheap": ["noise" if dear else "x"], "dear": ["x" if dear else "noise"]}

    def with_required(self, names):
        return tuple(names)

    def features_of(self, names):
        return [column for name in names for column in self.columns[name]]

    def seconds(self, names=None):
        names = self.names if names is None else names
        return pd.Series(0.1 * ("cheap" in names) + 20.0 * ("dear" in names), index=self.index)


def test_a_group_of_features_that_does_not_pay_is_left_out():
    runs = PortfolioRuns.of(two_specialists())
    objective = find_objective("par10", cutoff=runs.cutoff)
    reduced = with_paying_features(runs, TwoGroups(runs.features.index, dear=False), objective)
    assert reduced.columns == ("x",)
    np.testing.assert_allclose(reduced.fee, 0.1)
    kept = with_paying_features(runs, TwoGroups(runs.features.index, dear=True), objective)
    assert "x" in kept.columns  # 20 s are worth it: the wrong solver costs more
