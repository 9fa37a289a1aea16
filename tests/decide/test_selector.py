import numpy as np
import pytest

from bayes_distnet.decide.portfolio.neighbours import Neighbours
from bayes_distnet.decide.portfolio.pairwise import PairwiseVotes
from bayes_distnet.decide.portfolio.selector import Selector
from bayes_distnet.decide.portfolio.trees import Inputs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4))
X[RNG.random(X.shape) < 0.05] = np.nan
LEFT = np.nan_to_num(X[:, 0]) < 0
COSTS = np.stack([np.where(LEFT, 1.0, 100.0), np.where(LEFT, 100.0, 1.0), np.full(150, 45.0)], axis=1)
INPUTS = Inputs.fit(X)


def test_missing_values_become_columns_of_their_own():
    x = INPUTS.transform(X)
    assert x.shape == (150, 8)
    assert not np.isnan(x).any()
    np.testing.assert_array_equal(x[:, 4:], np.isnan(X))


def test_similar_instances_are_those_on_which_the_same_solvers_are_good():
    forest, unseen = Neighbours.fit(INPUTS.transform(X), COSTS, count=50)
    np.testing.assert_allclose(unseen.sum(axis=1), 1.0)
    np.testing.assert_array_equal(np.diag(unseen), 0.0)
    assert ((unseen @ COSTS).argmin(axis=1) == COSTS.argmin(axis=1)).mean() > 0.9
    weights = forest.weights(INPUTS.transform(X[:3]))
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    again = Neighbours.from_arrays(forest.to_arrays(), INPUTS.width)
    np.testing.assert_array_equal(again.weights(INPUTS.transform(X[:3])), weights)


def test_pairs_vote_for_the_cheaper_solver_and_weigh_by_what_is_at_stake():
    forest, unseen = PairwiseVotes.fit(INPUTS.transform(X), COSTS)
    np.testing.assert_allclose(unseen.sum(axis=1), 1.5)
    assert (unseen.argmax(axis=1) == COSTS.argmin(axis=1)).mean() > 0.9
    again = PairwiseVotes.from_arrays(forest.to_arrays(), INPUTS.width)
    np.testing.assert_array_equal(again.votes(INPUTS.transform(X[:5])), forest.votes(INPUTS.transform(X[:5])))
    # A solver that is a little better almost everywhere, and far worse on some: the stakes decide.
    stakes = np.stack([np.where(RNG.random(150) < 0.2, 1000.0, 1.0), np.full(150, 2.0)], axis=1)
    _, votes = PairwiseVotes.fit(np.zeros((150, 1), dtype=np.float32), stakes)
    assert votes[:, 1].mean() > 0.99


def test_trees_from_a_damaged_file_are_refused():
    forest, _ = Neighbours.fit(INPUTS.transform(X), COSTS, count=5)
    arrays = forest.to_arrays()
    with pytest.raises(ValueError, match="outside its tree"):
        Neighbours.from_arrays(arrays | {"left": np.zeros_like(arrays["left"])}, INPUTS.width)
    with pytest.raises(ValueError, match="does not exist"):
        Neighbours.from_arrays(arrays, 1)
    with pytest.raises(ValueError, match="outside the training instances"):
        Neighbours.from_arrays(arrays | {"indices": arrays["indices"] + 1000}, INPUTS.width)


def test_a_source_that_is_wrong_does_not_spoil_the_choice():
    misleading = COSTS[RNG.permutation(150)]
    selector, unseen = Selector.fit(X, COSTS, misleading)
    got = COSTS[np.arange(150), unseen.chosen].mean()
    assert got < 10.0  # the single best solver costs 45
    scores, _, _ = selector.score(X[:2], COSTS[:2])
    assert scores.shape == (2, 3)


def test_without_anything_learnt_the_single_best_solver_is_taken():
    noise = RNG.normal(size=(150, 4))
    shuffled = RNG.permuted(COSTS, axis=0)
    shuffled[:, 2] = 30.0
    selector, unseen = Selector.fit(noise, shuffled, shuffled[RNG.permutation(150)])
    assert selector.single_best == 2
    assert (unseen.chosen == 2).mean() > 0.95
    picked, _ = selector.pick(np.zeros((1, 3)), np.array([0, 1]))
    assert picked[0] in (0, 1)


def test_a_saved_selector_scores_the_same():
    selector, _ = Selector.fit(X, COSTS, COSTS)
    again = Selector.from_arrays(selector.to_arrays())
    np.testing.assert_array_equal(again.score(X[:4], COSTS[:4])[0], selector.score(X[:4], COSTS[:4])[0])
