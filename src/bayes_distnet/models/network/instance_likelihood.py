r"""The likelihood of all runs of an instance together, under a lognormal with an instance effect.

Normal scores of the runs of an instance are :math:`z_j = \sqrt{\rho}\, a + \sqrt{1 - \rho}\, e_j`, where :math:`a` and
all :math:`e_j` are standard normal. The effect :math:`a` is integrated out. Given the finished runs it is normal, and
their joint density has a closed form; the probability that the other runs pass their cutoffs is a Gauss-Hermite sum
over that normal.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.special.dispatch import namespace
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI
from bayes_distnet.distributions.special.normal import log_ndtr

# For eight censored runs of an instance, log likelihoods are good to 1e-5 if 0.3 of the variance is shared, to 2e-3 if
# it is half.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_LOG_WEIGHTS = np.log(_WEIGHTS / _WEIGHTS.sum())


class InstanceRuns(NamedTuple):
    """Runs of n instances in log time, as far as the likelihood depends on them; NumPy or JAX arrays.

    Parameters
    ----------
    number, mean, squares : array
        (n,) number of finished runs, their mean log time, and the sum of squared differences from it.
    cutoffs, censored : array
        (n, c) log cutoffs of the runs that did not finish; `censored` is 0 where there is no such run.
    """

    number: Array
    mean: Array
    squares: Array
    cutoffs: Array
    censored: Array

    @classmethod
    def of(cls, observations: Observations, center: float) -> Self:
        """Return the runs of all instances, in log time relative to `center`."""
        seconds, finished = observations.matrix()
        late = ~np.isnan(seconds) & ~finished
        times = np.where(finished | late, np.log(np.where(finished | late, seconds, 1.0)) - center, 0.0)
        number = finished.sum(axis=1).astype(float)
        mean = np.where(finished, times, 0.0).sum(axis=1) / np.maximum(number, 1.0)
        squares = np.where(finished, (times - mean[:, None]) ** 2, 0.0).sum(axis=1)
        order = np.argsort(~late, axis=1, kind="stable")[:, : int(late.sum(axis=1).max())]
        cutoffs = np.take_along_axis(np.where(late, times, 0.0), order, axis=1)
        return cls(number, mean, squares, cutoffs, np.take_along_axis(late, order, axis=1).astype(float))


def log_joint(runs: InstanceRuns, location: Array, scale: Array, size: Array) -> Array:
    """Return the log density of the runs of every instance: of log times, and of passing the cutoffs.

    Parameters
    ----------
    runs : InstanceRuns
        Runs of n instances.
    location, scale : array
        (n,) parameters of the distribution of one run, in log time.
    size : array
        Fraction of the variance that the runs of an instance share, a scalar below 1.

    Returns
    -------
    array
        (n,) log densities.
    """
    xp = namespace(location, scale, size)
    luck = 1.0 - size
    total = luck + runs.number * size  # variance of the scores' sum, relative to their number
    above = (runs.mean - location) / scale
    quadratic = runs.squares / scale**2 / luck + runs.number * above**2 / total
    determinant = (runs.number - 1.0) * xp.log(luck) + xp.log(total)
    finished = -0.5 * (quadratic + determinant) - runs.number * (xp.log(scale) + HALF_LOG_2PI)
    if not runs.cutoffs.shape[1]:
        return finished
    center, spread = xp.sqrt(size) * runs.number * above / total, xp.sqrt(luck / total)
    effect = center[:, None] + spread[:, None] * xp.asarray(_NODES, location.dtype)
    ahead = (runs.cutoffs - location[:, None]) / scale[:, None]
    passing = log_ndtr((xp.sqrt(size) * effect[:, None, :] - ahead[..., None]) / xp.sqrt(luck))
    terms = (runs.censored[..., None] * passing).sum(axis=1) + xp.asarray(_LOG_WEIGHTS, location.dtype)
    top = terms.max(axis=1, keepdims=True)
    return finished + xp.log(xp.exp(terms - top).sum(axis=1)) + top[:, 0]
