"""Bandwidth of kernel density estimates of runtimes, in log time."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray

#: Smallest bandwidth times the number of runs: ten per cent of a runtime for a single run, or for equal ones.
KERNEL_FLOOR = 0.1


def log_time_bandwidth(deviation: FloatArray, count: FloatArray) -> FloatArray:
    """Return the bandwidth by Scott's rule, bounded from below.

    Parameters
    ----------
    deviation : array
        Standard deviation of log time.
    count : array
        Number of runs.

    Returns
    -------
    array
        Deviation of the kernels.

    Examples
    --------
    >>> log_time_bandwidth(np.array([0.0, 1.0]), np.array([1.0, 32.0])).tolist()
    [0.1, 0.5]
    """
    return np.asarray(np.maximum(deviation * count**-0.2, KERNEL_FLOOR / count))
