"""What a run teaches that may be cut off: the information about location and spread of log time."""

from __future__ import annotations

import numpy as np
import scipy.special

from bayes_distnet.arrays import FloatArray

NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(15)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()
FARTHEST = 12.0  # deviations from the location at which a cutoff is as good as none, or as good as no run


def information_until(z: FloatArray) -> FloatArray:
    """Return the information of a normal variable that is cut off on the right, as a fraction of that of a whole one.

    A cutoff takes away more of what a run teaches about the spread than about the location, and a prediction needs
    both: the smaller of the two fractions counts.

    Parameters
    ----------
    z : array
        Cutoff, in deviations from the location.

    Returns
    -------
    array
        Fractions between 0 and 1.

    Examples
    --------
    >>> information_until(np.array([-12.0, 0.0, 1.28, 12.0])).round(2)      # cut off at the median: half
    array([0.  , 0.5 , 0.86, 1.  ])
    """
    z = np.clip(z, -FARTHEST, FARTHEST)
    log_density = -0.5 * z**2 - 0.5 * np.log(2 * np.pi)
    density, hazard = np.exp(log_density), np.exp(log_density - scipy.special.log_ndtr(-z))
    location = scipy.special.ndtr(z) + density * (hazard - z)
    spread = scipy.special.ndtr(z) - 0.5 * z * density * (1.0 + z**2 - z * hazard)
    return np.asarray(np.clip(np.minimum(location, spread), 0.0, 1.0))


def expected_information(
    log_cutoff: FloatArray, location: FloatArray, ignorance: FloatArray, luck: FloatArray
) -> FloatArray:
    """Return the information of one run, averaged over instances that the prediction may stand for.

    Parameters
    ----------
    log_cutoff : array
        (n, C) log of the cutoffs.
    location, ignorance, luck : array
        (n,) location of log time, its variance between such instances, and the variance between runs of one.

    Returns
    -------
    array
        (n, C) information; that of a run that always finishes is 1 / luck.
    """
    places = location[:, None, None] + np.sqrt(ignorance)[:, None, None] * NODES
    each = information_until((log_cutoff[:, :, None] - places) / np.sqrt(luck)[:, None, None])
    return np.asarray(each @ NODE_WEIGHTS / luck[:, None])
