"""Each peer on a problem with a known best answer: two clusters, each with its own best solver."""

from dataclasses import replace

import clusters
import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.feature_groups import FeatureGroup, FeatureGroups
from bayes_distnet.decide.selection.peers.argosmart import ArgoSmArT
from bayes_distnet.decide.selection.peers.cheap import CheapFeatures
from bayes_distnet.decide.selection.peers.inputs import Inputs
from bayes_distnet.decide.selection.peers.regression import log_par10
from bayes_distnet.decide.selection.peers.run2survive import Run2Survive
from bayes_distnet.decide.selection.peers.satzilla import SATzilla11
from bayes_distnet.decide.selection.peers.sunny import SUNNY, smallest_cover
from bayes_distnet.decide.selection.registry import SELECTORS
from bayes_distnet.decide.solver_runs import SolverRuns
from bayes_distnet.models.registry import Role

PEERS = [entry.key for entry in SELECTORS.values() if entry.role is Role.PEER]


def small(key):
    """Return a selector with few trees."""
    if not SELECTORS[key].installed:
        pytest.skip(f"{SELECTORS[key].needs} is not installed")
    selector = SELECTORS[key].build()
    if hasattr(selector, "n_estimators"):
        selector.n_estimators = 10
    return selector


def fitted(selector, data):
    if isinstance(selector, CheapFeatures):
        data = replace(data, feature_groups=groups_of(data.features))
    return selector.fit(data, SolverRuns.of(data))


def groups_of(features):
    """One feature takes 0.1 s, the others 20 s."""
    return FeatureGroups(
        (FeatureGroup("first", ("side",)), FeatureGroup("others", ("twin", "gaps"))),
        pd.DataFrame({"first": 0.1, "others": 20.0}, index=features.index),
        pd.DataFrame({"first": "ok", "others": "ok"}, index=features.index),
    )


def test_a_peer_on_cheap_features_needs_only_these():
    selector = fitted(small("ridge-cheap"), clusters.two_clusters(60))
    unseen = clusters.two_clusters(20, seed=1)
    procedure = selector.procedures(unseen.features[["side"]])[""]
    assert procedure.features == ("side",)
    assert [plan[0][0].solver for plan in procedure.plans] == clusters.best_solvers(unseen)


@pytest.mark.parametrize("key", PEERS)
@pytest.mark.parametrize("runs", [1, 3])
def test_every_peer_starts_with_the_solver_of_the_cluster(key, runs):
    selector = fitted(small(key), clusters.two_clusters(60, runs=runs))
    unseen = clusters.two_clusters(20, seed=1)
    plans = selector.procedures(unseen.features)[""].plans
    assert [plan[0][0].solver for plan in plans] == clusters.best_solvers(unseen)
    assert all(len(plan) == 1 for plan in plans)


@pytest.mark.parametrize("key", PEERS)
def test_a_peer_without_a_choice_takes_the_only_solver(key):
    if key.startswith("asf"):
        pytest.skip("asf needs two solvers")
    data = clusters.two_clusters(30).of("steady")
    plans = fitted(small(key), data).procedures(data.features)[""].plans
    assert {plan[0][0].solver for plan in plans} == {"steady"}


def test_satzilla_weighs_an_instance_by_the_difference_of_the_costs():
    data = clusters.two_clusters(60)
    data.features["side"] = 0.0  # nothing to go by: the vote is that of the weights
    runs = SolverRuns.of(data)
    runs.seconds[:, 0], runs.finished[:, 0] = 1.0, True
    runs.seconds[:, 1], runs.finished[:, 1] = 1.1, True  # a little worse on all but a few
    runs.finished[:6, 0] = False  # and far better on six
    peer = SATzilla11(n_estimators=10)
    peer.solvers_ = runs.solvers
    peer._fit(data.features[["side"]].assign(other=1.0), runs)
    chosen = [schedule[0].solver for schedule in peer.schedules(data.features[["side"]].assign(other=1.0))]
    assert set(chosen) == {"right"}


def test_sunny_shares_the_cutoff_by_the_neighbours_solved():
    data = clusters.two_clusters(60)
    peer = fitted(SUNNY(k=10), data)
    solved = np.zeros((10, 3), dtype=bool)
    solved[:6, 0], solved[6:8, 1] = True, True  # left solves 6, right 2, nobody the last 2
    seconds = np.where(solved, np.array([5.0, 1.0, 1.0]), clusters.CUTOFF)
    schedule = peer._schedule(solved, seconds)
    # Ten slots: 6 for left, 2 for right, and 2 for the backup, the single best solver of the training instances.
    assert {step.solver: step.seconds for step in schedule} == pytest.approx({"left": 60, "right": 20, "steady": 20})
    assert schedule[0].solver == "left"  # the least mean time on the neighbours comes first
    assert sum(step.seconds for step in schedule) == pytest.approx(clusters.CUTOFF)


def test_sunny_gives_all_time_to_the_backup_if_no_neighbour_was_solved():
    peer = fitted(SUNNY(k=3), clusters.two_clusters(30))
    schedule = peer._schedule(np.zeros((3, 3), dtype=bool), np.full((3, 3), clusters.CUTOFF))
    assert [(step.solver, step.seconds) for step in schedule] == [("steady", clusters.CUTOFF)]


def test_smallest_cover_is_smaller_than_a_greedy_one():
    # Greedy takes the first solver, which solves four instances, and then needs both others.
    solved = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [0, 1, 0], [0, 0, 1]], dtype=bool)
    assert smallest_cover(solved, np.ones(solved.shape)) == (1, 2)


def test_argosmart_uses_the_published_distance():
    data = clusters.two_clusters(30)
    peer = fitted(ArgoSmArT(k=1), data)
    row = peer.x_[3] + 1.0
    expected = [sum(abs(a - b) / (np.sqrt(abs(a * b)) + 10.0) for a, b in zip(x, row, strict=True)) for x in peer.x_]
    np.testing.assert_allclose(peer._distances(row), expected)


def test_run2survive_avoids_a_solver_that_never_answers():
    data = clusters.two_clusters(40)
    runs = SolverRuns.of(data)
    runs.finished[:, 2] = False
    runs.seconds[:, 2] = clusters.CUTOFF
    peer = Run2Survive(n_estimators=5)
    peer.fit(data, runs)
    assert {schedule[0].solver for schedule in peer.schedules(data.features)} == {"left", "right"}


def test_log_cost_counts_a_timeout_as_ten_cutoffs():
    data = clusters.two_clusters(4, runs=2)
    runs = SolverRuns.of(data)
    left = log_par10(runs)[:, 0]
    np.testing.assert_allclose(left[[1, 3]], np.log(10 * clusters.CUTOFF))
    np.testing.assert_allclose(left[0], np.log(runs.seconds[0, 0]).mean())


def test_inputs_leave_out_constants_and_fill_gaps():
    features = clusters.two_clusters(10).features.assign(constant=3.0, empty=np.nan)
    inputs = Inputs.fit(features)
    assert inputs.kept.tolist() == [True, True, True, False, False]
    assert np.isfinite(inputs.filled(features)).all()
    np.testing.assert_allclose(inputs.standard(features)[:, :2].mean(axis=0), 0.0, atol=1e-12)
    ranged = inputs.ranged(features)
    assert ranged.min() == pytest.approx(-1.0)
    assert ranged.max() == pytest.approx(1.0)
    assert ranged[0, 2] == -1.0  # a missing value


def test_keys_of_selectors_name_a_class_that_can_be_built():
    for entry in SELECTORS.values():
        if entry.installed:
            assert entry.label
            assert entry.build(random_state=3).random_state == 3
