import numpy as np
import pytest
from scenarios import observations

from bayes_distnet.models.forest.leaf_runs import KEPT, KERNELS, LeafRuns, fit_leaf_runs, grouped_quantiles, kernels
from bayes_distnet.models.forest.trees import grow
from bayes_distnet.models.pooling import run_scores


def two_humps(n, rng):
    """Half of the instances have one hump, half have two, and one feature says which."""
    x = rng.normal(size=(n, 3))
    instance = np.repeat(np.arange(n), 8)
    late = rng.random(len(instance)) < 0.5
    log_times = np.where(late & (x[instance, 0] > 0), 4.0, 0.0) + 0.2 * rng.normal(size=len(instance))
    return x, observations(instance, np.exp(log_times)), log_times[None]


@pytest.fixture(scope="module")
def learned():
    x, runs, log_times = two_humps(200, np.random.default_rng(0))
    forest, unseen = grow(x, runs, log_times, n_estimators=30, random_state=0).fill(runs, log_times)
    return x, runs, log_times, forest, unseen, *fit_leaf_runs(forest, unseen, x, runs, log_times)


def test_humps_that_only_some_instances_have_are_seen(learned):
    _, _, _, forest, _, leaf_runs, _ = learned
    one, two = leaf_runs.of(forest, forest.leaves(np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])))
    between = np.exp([1.0, 3.0])
    for rtd, early, late in ((one, 1.0, 0.0), (two, 0.5, 0.5)):
        low, high = rtd.cdf(between)[0]
        assert low == pytest.approx(early, abs=0.12)
        assert high - low == pytest.approx(0.0, abs=0.06)
        assert 1.0 - high == pytest.approx(late, abs=0.12)


def test_a_leaf_keeps_quantiles_of_the_runs_its_tree_drew(learned):
    x, runs, log_times, forest, unseen, leaf_runs, _ = learned
    number = np.cumsum(forest.feature < 0) - 1
    leaves, kept = forest.leaves(x), leaf_runs.quantiles.reshape(-1, KEPT)
    levels = (np.arange(KEPT) + 0.5) / KEPT
    for row, tree in ((0, 0), (7, 12), (150, 29)):
        drawn = np.where(leaves[:, tree] == leaves[row, tree], unseen.drawn[:, tree], 0).astype(int)
        inside = np.repeat(log_times[0], drawn[runs.instance])
        expected = np.quantile(inside, levels, method="inverted_cdf")
        np.testing.assert_allclose(kept[number[leaves[row, tree]]], expected)


def test_training_instances_are_predicted_by_trees_that_have_not_seen_them():
    # Nothing to learn: whoever predicts an instance by its own runs is far too good.
    rng = np.random.default_rng(1)
    x, instance = rng.normal(size=(100, 2)), np.repeat(np.arange(100), 4)
    log_times = rng.normal(size=100)[instance] + 0.01 * rng.normal(size=400)
    runs = observations(instance, np.exp(log_times))
    forest, unseen = grow(x, runs, log_times[None], n_estimators=50, random_state=0).fill(runs, log_times[None])
    leaf_runs, out_of_bag = fit_leaf_runs(forest, unseen, x, runs, log_times[None])
    ignoring = run_scores(kernels(np.zeros((100, KERNELS)), 1.0, log_times.mean(), log_times.std()), runs).mean()
    assert run_scores(leaf_runs.of(forest, forest.leaves(x)), runs).mean() > ignoring + 0.3
    honest = -0.5 * np.log(2 * np.pi) - 0.5 - np.log(log_times.std()) - log_times.mean()
    assert run_scores(out_of_bag, runs).mean() < honest + 0.05


def test_an_instance_that_every_tree_has_seen_is_not_predicted_by_its_own_runs(learned):
    x, runs, log_times = learned[:3]
    forest, unseen = grow(x, runs, log_times, n_estimators=1, random_state=0).fill(runs, log_times)
    _, out_of_bag = fit_leaf_runs(forest, unseen, x, runs, log_times)
    seen = unseen.drawn[:, 0] > 0
    assert 0.5 < seen.mean() < 0.75
    medians = np.log(out_of_bag.median()[seen])
    np.testing.assert_allclose(medians, medians[0])


def test_quantiles_of_groups_by_weight():
    values = np.array([1.0, 2.0, 3.0, 10.0, 20.0])
    weights = np.array([1.0, 2.0, 1.0, 1.0, 3.0])
    present, rows = grouped_quantiles(values, weights, np.array([7, 7, 7, 3, 3]), 4)
    assert present.tolist() == [3, 7]
    np.testing.assert_array_equal(rows, [[10.0, 20.0, 20.0, 20.0], [1.0, 2.0, 2.0, 3.0]])


def test_kernels_are_one_draw_with_the_lognormal_of_all_runs_outside():
    rtd = kernels(np.array([[0.0, 1.0, 2.0]]), 0.5, center=-1.0, spread=3.0)
    assert rtd.draws.tolist() == [0, 0, 0, 0]
    assert rtd.epistemic() == pytest.approx(0.0)
    scott = 0.5 * 1.0 * 3**-0.2
    np.testing.assert_allclose(rtd.components.loc, [[0.0, 1.0, 2.0, -1.0]])
    np.testing.assert_allclose(rtd.components.scale, [[scott, scott, scott, 3.0]])


def test_numbers_of_a_file_are_checked(learned):
    forest, leaf_runs = learned[3], learned[5]
    leaf_runs.check_forest(forest)
    with pytest.raises(ValueError, match="quantiles"):
        LeafRuns(leaf_runs.quantiles[:-1], leaf_runs.width, leaf_runs.center, leaf_runs.spread).check_forest(forest)
    with pytest.raises(ValueError, match="width is not positive"):
        LeafRuns(leaf_runs.quantiles, np.array([0.0]), leaf_runs.center, leaf_runs.spread)
    with pytest.raises(ValueError, match="not finite"):
        LeafRuns(leaf_runs.quantiles, leaf_runs.width, np.array([np.nan]), leaf_runs.spread)
