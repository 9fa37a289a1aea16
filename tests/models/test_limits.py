import numpy as np
import pytest
from proper import assert_proper

from bayes_distnet import make_runs
from bayes_distnet.models.limits import best_lognormal, empirical
from bayes_distnet.models.registry import MODELS as ENTRIES

LIMITS = [key for key, peer in ENTRIES.items() if peer.is_limit]


@pytest.mark.parametrize("key", LIMITS)
def test_limits_beat_the_truth_and_accept_rows_without_runs(key):
    data = make_runs(n_instances=20, n_runs=60, random_state=0)
    seconds, finished = data.seconds.copy(), data.finished.copy()
    seconds[3], finished[3] = np.nan, False  # no run
    finished[4] = False  # no run finished
    finished[5, :30] = False
    rtd = ENTRIES[key].limit_of(seconds, finished)
    assert_proper(rtd, 20)
    assert rtd.median()[4] > seconds[4].max()
    assert rtd.median()[5] > np.median(seconds[5])
    whole = np.r_[0:3, 6:20]
    truth = data.truth[whole].log_pdf(seconds[whole]).mean()
    assert rtd[whole].log_pdf(seconds[whole]).mean() > truth
    np.testing.assert_allclose(np.log(rtd[whole].median() / data.truth[whole].median()), 0.0, atol=0.3)


def test_the_best_lognormal_reaches_past_the_cutoff():
    runs = np.random.default_rng(0).lognormal(1.0, 0.5, size=(3, 4000))
    rtd = best_lognormal(np.minimum(runs, 2.5), runs < 2.5)
    np.testing.assert_allclose(np.log(rtd.median()), 1.0, atol=0.05)


def test_the_empirical_distribution_keeps_both_humps():
    rng = np.random.default_rng(0)
    runs = np.r_[rng.lognormal(0.0, 0.1, 50), rng.lognormal(3.0, 0.1, 50)][None]
    rtd = empirical(runs, np.ones((1, 100), bool))
    assert rtd.cdf(4.0)[0] == pytest.approx(0.5, abs=0.02)
