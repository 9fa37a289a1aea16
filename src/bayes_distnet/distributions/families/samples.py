"""Fitting a family to samples: parts that several families share.

Samples are positive, NumPy's or JAX's, along an axis; with JAX a fit can be differentiated. Samples that are all equal
get the smallest spread of log time allowed.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.special.dispatch import namespace, repeat, stop_gradient

#: Smallest standard deviation of log time that a fit returns, so that equal samples have a likelihood.
SPREAD_FLOOR = 1e-3


def samples_last(y: Array, axis: int) -> tuple[ModuleType, Array]:
    """Return the namespace, and the samples with their axis moved to the end.

    Parameters
    ----------
    y : array
        Samples.
    axis : int
        The axis of the samples.

    Returns
    -------
    xp : module
        `numpy` or `jax.numpy`.
    y : array
        Samples along the last axis.
    """
    xp = namespace(y)
    y = np.asarray(y, dtype=float) if xp is np else y
    return xp, xp.moveaxis(y, axis, -1)


def iterate(step: Callable[[Array, Array], Array], data: Array, start: Array, count: int) -> Array:
    """Solve a likelihood equation: constant Newton steps, then one that JAX differentiates.

    By the implicit function theorem the last step, its slope held constant, has the gradient of the solution.

    Parameters
    ----------
    step : callable
        Takes data and parameters, returns better parameters.
    data : array
        Samples, or statistics of them.
    start : array
        First parameters.
    count : int
        Number of constant steps.

    Returns
    -------
    array
        Parameters.
    """
    fixed = stop_gradient(data)
    theta = repeat(lambda theta: step(fixed, theta), stop_gradient(start), count)
    return step(data, stop_gradient(theta))
