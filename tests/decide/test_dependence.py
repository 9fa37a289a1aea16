import numpy as np
import pytest

from bayes_distnet.decide.laws.dependence import Dependence, learn_dependence, nearest_correlation
from bayes_distnet.decide.laws.law_table import hardness_scores
from bayes_distnet.errors import SettingError

TRUE = np.array([[1.0, 0.8, 0.2], [0.8, 1.0, 0.0], [0.2, 0.0, 1.0]])


def made_scores(n, runs, size, cut, seed=1):
    rng = np.random.default_rng(seed)
    effects = rng.multivariate_normal(np.zeros(3), TRUE, n)
    scores = np.sqrt(size) * effects[..., None] + np.sqrt(1 - size) * rng.normal(size=(n, 3, runs))
    return np.minimum(scores, cut), scores < cut


@pytest.mark.parametrize("cut", [9.0, 0.5])  # with the second, 31 % of the runs are cut off
def test_correlation_is_found_behind_luck_and_cutoffs(cut):
    scores, finished = made_scores(1500, 4, 0.4, cut)
    found, sizes = learn_dependence(scores, finished, np.full(3, 0.4), np.zeros(3, dtype=bool))
    np.testing.assert_allclose(found.correlation, TRUE, atol=0.08)  # correlation of single runs would be 0.32
    np.testing.assert_array_equal(sizes, 0.4)


def test_with_one_run_an_assumed_size_is_raised_to_what_solvers_share():
    scores, finished = made_scores(1500, 1, 0.9, 9.0)
    _, sizes = learn_dependence(scores, finished, np.full(3, 0.2), np.ones(3, dtype=bool))
    np.testing.assert_allclose(sizes, [0.72, 0.72, 0.2], atol=0.05)


def test_unrelated_solvers_and_missing_runs_give_no_correlation():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(400, 2, 2))
    scores[rng.random(scores.shape) < 0.3] = np.nan
    found, _ = learn_dependence(scores, np.ones(scores.shape, dtype=bool), np.full(2, 0.3), np.zeros(2, dtype=bool))
    assert abs(found.correlation[0, 1]) < 0.15


def test_draws_have_equal_slices_per_solver_and_the_correlation():
    draws = Dependence(TRUE).draws(256)
    np.testing.assert_allclose(np.sort(draws, axis=0), np.tile(hardness_scores(256)[:, None], 3), atol=1e-12)
    np.testing.assert_allclose(np.corrcoef(draws.T), TRUE, atol=0.05)


def test_a_matrix_that_is_no_correlation_is_refused_or_repaired():
    wrong = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    with pytest.raises(SettingError, match="negative eigenvalue"):
        Dependence(wrong)
    assert Dependence(nearest_correlation(wrong)).correlation[0, 1] < 0.9
