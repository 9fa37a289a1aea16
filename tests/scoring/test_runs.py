"""The forms in which runs are given, and edge cases that every score must handle."""

import numpy as np
import pytest
from predictions import mixtures

from bayes_distnet.distributions.families import Gamma, Weibull
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.scoring.distances import crps
from bayes_distnet.scoring.registry import SCORES

#: Scores with a number for every instance that has a run: the published ones and `band_coverage` leave some out.
PROPER = [key for key, score in SCORES.items() if not score.published and not score.pooled and key != "band_coverage"]
PUBLISHED = [key for key, score in SCORES.items() if score.published]


@pytest.mark.parametrize("name", [*PROPER, *PUBLISHED, "band_coverage"])
def test_vector_matrix_and_list_agree(name):
    score, rtd = SCORES[name], mixtures(n=3)

    def agree(first, second):
        assert score(rtd, *first) == pytest.approx(score(rtd, *second), nan_ok=name not in PROPER)

    one = np.array([1.0, 2.0, 30.0])
    agree([one], [one[:, None]])
    matrix = np.array([[1.0, 2.0, np.nan], [3.0, 3.0, 4.0], [np.nan, np.nan, 0.7]])
    flags = np.array([[True, False, False], [True, True, True], [False, False, True]])
    rows = [line[~np.isnan(line)] for line in matrix]
    flag_rows = [flag[~np.isnan(line)] for flag, line in zip(flags, matrix, strict=True)]
    agree([matrix], [rows])
    agree([matrix, flags], [rows, flag_rows])
    # Order and padding do not matter.
    agree([matrix[:, ::-1], flags[:, ::-1]], [matrix, flags])


@pytest.mark.parametrize("name", PROPER)
def test_only_an_instance_without_runs_has_no_score(name):
    rtd = mixtures(n=3)
    value = SCORES[name](rtd, [[1.0, 2.0], [np.nan, np.nan], [1.0, np.nan]])
    assert np.isnan(value).tolist() == [False, True, False]
    assert np.isnan(SCORES[name](rtd, [[1.0], [], [2.0, 3.0]])).tolist() == [False, True, False]


EDGES = [
    ([5.0], [True]),
    ([5.0], [False]),
    ([5.0, 5.0, 5.0], [True, True, True]),
    ([5.0, 5.0, 5.0], [False, False, False]),
    ([2.0, 5.0, 5.0], [True, True, False]),  # a run that finished exactly at the cutoff of another
    ([1.0, 5.0, 7.0], [False, True, True]),  # finished runs past the smallest cutoff
    ([1.0, 2.0, 3.0], [False, False, False]),
    ([1e-12, 1e-12], [True, True]),
    ([1e-12, 1e12], [True, True]),
    ([1e-12, 1e12], [False, False]),
    ([1e12], [False]),
]


def predictions():
    yield mixtures(n=1)
    yield RuntimeDistribution(Weibull([[2.0, 3.0]], [[0.5, 4.0]]))
    yield RuntimeDistribution(Gamma([2.0], [1.0]))


@pytest.mark.parametrize("name", PROPER)
@pytest.mark.parametrize(("seconds", "finished"), EDGES)
def test_edges_give_numbers(name, seconds, finished):
    for rtd in predictions():
        value = SCORES[name](rtd, [seconds], [finished])
        assert value.shape == (1,)
        assert np.isfinite(value).all()
        if name not in ("nllh", "kld", "joint_nllh"):
            assert value >= 0


@pytest.mark.parametrize(("seconds", "finished"), EDGES)
def test_published_scores_of_edges_need_finished_runs(seconds, finished):
    known = [t for t, flag in zip(seconds, finished, strict=True) if flag]
    for rtd in predictions():
        found = {name: SCORES[name](rtd, [seconds], [finished]) for name in PUBLISHED}
        assert np.isfinite(found["nllh_published"]).all()
        assert np.isnan(found["ks_published"]).all() == (not known)
        assert np.isnan(found["kld_published"]).all() == (len(set(known)) < 2)


def test_bad_runs_are_refused():
    rtd = mixtures(n=2)
    for runtimes, finished, text in (
        ([1.0, 2.0, 3.0], None, "2 rows"),
        ([[[1.0]], [[2.0]]], None, "one list or array"),
        (np.ones((2, 1, 1)), None, "shape"),
        ([-1.0, 2.0], None, "negative"),
        ([np.inf, 2.0], None, "infinite"),
        (["a", "b"], None, "numbers"),
        ([1.0, 2.0], [1, 0], "booleans"),
        ([1.0, 2.0], [True], "shape"),
        ([[1.0, 2.0], [1.0]], [[True], [True]], "as many flags"),
        ([[1.0, 2.0], [1.0]], [[1, 0], [1]], "booleans"),
        ([[1.0, 2.0], [1.0]], [["yes", "no"], ["yes"]], "booleans"),
        ([[1.0, 2.0], [1.0]], True, "finished: expected a list"),
        ([1.0, 2.0], True, "shape"),
        ([["a", "b"], [1.0]], None, "numbers"),
        ([[1.0, [2.0]], [1.0]], None, "one list or array"),
    ):
        with pytest.raises(RuntimeDataError, match=text):
            crps(rtd, runtimes, finished)


@pytest.mark.parametrize("name", SCORES)
def test_only_distributions_are_scored(name):
    with pytest.raises(SettingError, match="expected a RuntimeDistribution, found list"):
        SCORES[name]([1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize("name", [*PROPER, *PUBLISHED, "band_coverage"])
def test_no_rows_score_nothing_and_no_columns_score_nan(name):
    rtd = mixtures(n=3)
    for nothing in ([], np.empty((0, 2)), np.empty((0, 0))):
        assert SCORES[name](rtd[[]], nothing).shape == (0,)
    assert np.isnan(SCORES[name](rtd, np.empty((3, 0)))).all()
    assert np.isnan(SCORES[name](rtd, [[], [], []])).all()
