import numpy as np
import pytest
from scenarios import observations

from bayes_distnet.models.forest.trees import Forest, grow, instance_moments


@pytest.fixture(scope="module")
def grown():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 4))
    instance = np.repeat(np.arange(80), 3)
    log_times = 2.0 * x[instance, 0] + 0.1 * rng.normal(size=240)
    runs = observations(instance, np.exp(log_times))
    return (
        x,
        runs,
        log_times,
        *grow(x, runs, log_times[None], n_estimators=20, random_state=0).fill(runs, log_times[None]),
    )


def walk_one(forest, tree, row):
    """The slow, obvious walk."""
    node = forest.roots[tree]
    while forest.feature[node] >= 0:
        goes_left = np.float32(row[forest.feature[node]]) <= forest.threshold[node]
        node = forest.left[node] if goes_left else forest.right[node]
    return node


def test_leaves_are_those_of_the_slow_walk(grown):
    x, _, _, forest, _ = grown
    expected = [[walk_one(forest, tree, row) for tree in range(20)] for row in x[:10]]
    np.testing.assert_array_equal(forest.leaves(x[:10]), expected)


def test_a_leaf_holds_the_mean_of_all_its_runs(grown):
    x, runs, log_times, forest, _ = grown
    leaves = forest.leaves(x)[:, 0]
    for leaf in np.unique(leaves):
        inside = log_times[np.isin(runs.instance, np.flatnonzero(leaves == leaf))]
        assert forest.loc[leaf] == pytest.approx(inside.mean())


def test_out_of_bag_statistics_are_those_without_the_instance(grown):
    x, runs, log_times, forest, unseen = grown
    leaves = forest.leaves(x)
    for i, tree in ((0, 0), (5, 3), (40, 7)):
        others = np.flatnonzero((leaves[:, tree] == leaves[i, tree]) & (np.arange(80) != i))
        inside = log_times[np.isin(runs.instance, others)]
        assert unseen.components.loc[i, tree] == pytest.approx(inside.mean())
        # The shrunk variance lies between the leaf's own and the typical one.
        assert unseen.components.scale[i, tree] > 0


def test_predicts_what_it_was_shown(grown):
    x, _, _, forest, _ = grown
    assert np.corrcoef(forest.components(forest.leaves(x)).loc.mean(axis=1), x[:, 0])[0, 1] > 0.97


def test_instance_moments_keep_the_variance_of_imputed_runs():
    runs = observations([0, 0, 1], [1.0, 1.0, 1.0])
    mean, square = instance_moments(runs, np.array([1.0, 3.0, 5.0]), np.array([0.0, 0.5, 0.25]))
    assert mean.tolist() == [2.0, 5.0]
    assert square.tolist() == [2.5, 0.25]


GOOD = {
    "roots": np.array([0]),
    "feature": np.array([0, -1, -1]),
    "threshold": np.zeros(3),
    "left": np.array([1, -1, -1]),
    "right": np.array([2, -1, -1]),
    "loc": np.zeros(3),
    "scale": np.ones(3),
}


def test_arrays_that_form_no_tree_are_refused():
    assert Forest(**GOOD).leaves(np.array([[-1.0], [1.0]])).tolist() == [[1], [2]]
    for name, bad in (("left", [0, -1, -1]), ("right", [7, -1, -1]), ("roots", [5]), ("roots", [-1])):
        with pytest.raises(ValueError, match="points outside its tree"):
            Forest(**(GOOD | {name: np.array(bad)}))
    with pytest.raises(ValueError, match="another length"):
        Forest(**(GOOD | {"loc": np.zeros(2)}))


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("feature", [0.0, -1.0, -1.0], "feature is float64"),
        ("roots", [0.0], "roots is float64"),
        ("roots", np.empty(0, dtype=int), "no tree"),
        ("roots", [[0]], r"roots is int64 of shape \(1, 1\)"),
        ("left", [True, False, False], "left is bool"),
        ("loc", [0, 0, 0], "loc is int64"),
        ("loc", [0.0, np.nan, 0.0], "loc is not finite"),
        ("scale", [1.0, 0.0, 1.0], "scale is not positive"),
        ("scale", [1.0, np.inf, 1.0], "scale is not finite"),
        ("threshold", [np.nan, -2.0, -2.0], "threshold is not finite"),
    ],
)
def test_arrays_of_the_wrong_kind_or_range_are_refused(name, bad, message):
    with pytest.raises(ValueError, match=message):
        Forest(**(GOOD | {name: np.array(bad)}))
