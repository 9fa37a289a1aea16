"""One mathematics for NumPy (float64) and JAX (float32 or float64).

Each special function is written once, as a *kernel*: `kernel(xp, *arguments) -> (value, partials)`, where `xp` is
NumPy or `jax.numpy` and `partials()` gives the derivative with respect to every argument. Under NumPy the value is
returned; under JAX the derivative is attached with `jax.custom_jvp` (see `derivatives`), because differentiating
through a branch that is not taken gives NaN. JAX is not imported while all is NumPy.
"""

import sys
from collections.abc import Callable
from types import ModuleType

import numpy as np

from bayes_distnet.arrays import Array

#: Makes the derivatives of a kernel's value with respect to its arguments.
Partials = Callable[[], tuple[Array, ...]]
#: Takes the namespace and arguments, returns the value and its derivatives.
Kernel = Callable[..., tuple[Array, Partials]]


def namespace(*arrays: Array) -> ModuleType:
    """Return `jax.numpy` if any argument is a JAX array or tracer, else NumPy.

    Parameters
    ----------
    *arrays : array
        NumPy or JAX arrays, or numbers.

    Returns
    -------
    module
        `numpy` or `jax.numpy`.

    Examples
    --------
    >>> namespace(1.0, np.ones(3)).__name__
    'numpy'
    """
    jax = sys.modules.get("jax")
    if jax is not None and any(isinstance(a, jax.Array) for a in arrays):
        import jax.numpy as jnp

        return jnp
    return np


def stop_gradient(x: Array) -> Array:
    """Return x as a constant that no derivative flows through (NumPy: x itself).

    Parameters
    ----------
    x : array
        NumPy or JAX array.

    Returns
    -------
    array
        The same values.
    """
    if namespace(x) is np:
        return x

    from bayes_distnet.distributions.special import derivatives

    return derivatives.stop_gradient(x)


def repeat(step: Callable[[Array], Array], x: Array, count: int) -> Array:
    """Return x after a number of steps, under JAX as a loop that is compiled once.

    Parameters
    ----------
    step : callable
        Takes x, returns the next x.
    x : array
        Start.
    count : int
        Number of steps.

    Returns
    -------
    array
        x after the last step.

    Examples
    --------
    >>> repeat(lambda x: 2.0 * x, np.array(1.0), 3).item()
    8.0
    """
    if namespace(x) is not np:
        from bayes_distnet.distributions.special import derivatives

        return derivatives.repeat(step, x, count)
    for _ in range(count):
        x = step(x)
    return x


def evaluate(kernel: Kernel, *args: Array) -> Array:
    """Return the value of a kernel: in float64 for NumPy, with its derivative attached for JAX.

    Parameters
    ----------
    kernel : callable
        See the module.
    *args : array
        Arguments that broadcast against each other.

    Returns
    -------
    array
        Values, of the common shape.
    """
    if namespace(*args) is np:
        with np.errstate(all="ignore"):
            return kernel(np, *(np.asarray(a, dtype=float) for a in args))[0]

    from bayes_distnet.distributions.special import derivatives

    return derivatives.differentiable(kernel)(*args)


def is_single(x: Array) -> bool:
    """Whether an array is in float32."""
    return bool(x.dtype.itemsize < 8)
