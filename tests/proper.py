"""A check that every prediction passes."""

import numpy as np

from bayes_distnet.distributions.predicted_runtimes import check_distribution


def assert_proper(rtd, rows):
    check_distribution(rtd)
    assert len(rtd) == rows
    cdf = rtd.cdf(np.geomspace(1e-4, 1e6, 60))
    assert (np.diff(cdf, axis=1) >= 0).all()
    assert cdf.min() >= 0
    assert cdf.max() <= 1
    median = rtd.median()
    assert np.isfinite(median).all()
    assert (median > 0).all()
