"""Cutoffs: those that allow bounds, and the refusal of others."""

import numpy as np
import pytest

from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.models.bounds.cutoffs import check_cutoffs, cut_runs


def cut(seconds, finished, cutoff=None, cutoffs="global", instance=None, predicted=None):
    seconds, finished = np.asarray(seconds, float), np.asarray(finished, bool)
    instance = np.arange(len(seconds)) if instance is None else np.asarray(instance)
    limits = None if cutoff is None else np.broadcast_to(np.asarray(cutoff, float), seconds.shape)
    predicted = np.ones(instance.max() + 1) if predicted is None else predicted
    return cut_runs(seconds, finished, instance, limits, cutoffs, predicted)


def test_the_one_time_at_which_runs_were_cut_off_is_the_cutoff():
    found = cut([1.0, 30.0, 30.0], [True, False, False])
    assert found.cutoff == 30.0
    assert found.times.tolist() == [1.0, 30.0, 30.0]
    assert cut([1.0, 2.0], [True, True]).cutoff == np.inf


@pytest.mark.parametrize("seconds", [[1.0, 20.0, 30.0], [40.0, 30.0, 30.0]])
def test_an_unknown_cutoff_is_refused(seconds):
    with pytest.raises(RuntimeDataError, match="cutoff: unknown, and runs were cut off at different times"):
        cut(seconds, [True, False, False])


def test_a_lower_cutoff_than_the_recorded_one_cuts_all_runs_there():
    found = cut([1.0, 25.0, 30.0], [True, True, False], cutoff=10.0)
    assert found.times.tolist() == [1.0, 10.0, 10.0]


def test_a_run_that_was_stopped_early_is_refused_except_for_the_rounding_of_a_timer():
    with pytest.raises(RuntimeDataError, match=r"stopped after 12 s, before its cutoff of 30 s \(1 such runs\)"):
        cut([1.0, 12.0], [True, False], cutoff=30.0)
    assert cut([1.0, 29.9], [True, False], cutoff=30.0).times.tolist() == [1.0, 30.0]


def test_different_cutoffs_need_a_statement_of_how_they_were_chosen():
    with pytest.raises(RuntimeDataError, match=r"different ones, 10 s to 30 s\. State how they were chosen"):
        cut([1.0, 2.0], [True, True], cutoff=[10.0, 30.0])
    assert cut([1.0, 30.0], [True, False], cutoff=[10.0, 30.0], cutoffs="features").cutoff is None


def test_cutoffs_that_differ_within_an_instance_are_no_function_of_features():
    with pytest.raises(RuntimeDataError, match="cutoffs of 10 s and 30 s, which are no function of its features"):
        cut([1.0, 2.0], [True, True], cutoff=[10.0, 30.0], cutoffs="features", instance=[0, 0])


@pytest.mark.parametrize("how", ["adaptive", "runtimes"])
def test_cutoffs_that_depended_on_runtimes_are_refused_with_the_reason(how):
    with pytest.raises(SettingError, match="no calibration can undo: no bound holds"):
        check_cutoffs(how)
    with pytest.raises(SettingError, match="expected one of 'global', 'features', 'random'"):
        check_cutoffs("whatever")


def test_random_cutoffs_leave_the_runs_that_were_allowed_a_common_time():
    found = cut([1.0, 9.0, 20.0, 5.0], [True, True, True, False], cutoff=[2.0, 10.0, 30.0, 5.0], cutoffs="random")
    assert found.cutoff == 5.0  # the lower median
    assert found.kept.tolist() == [False, True, True, True]
    assert found.times[found.kept].tolist() == [5.0, 5.0, 5.0]


def test_random_cutoffs_that_go_with_the_predictions_are_refused():
    predicted = np.arange(1.0, 51.0)
    with pytest.raises(RuntimeDataError, match="they go with the predicted times"):
        cut(np.full(50, 0.1), np.ones(50, bool), cutoff=2 * predicted, cutoffs="random", predicted=predicted)


def test_cutoffs_must_be_known_unless_they_are_all_the_same():
    with pytest.raises(RuntimeDataError, match="that of every run is needed, of finished ones, too"):
        cut([1.0, 30.0], [True, False], cutoffs="random")
