"""Special functions for JAX: the kernels of this package, each with its exact derivative attached.

Only `dispatch` imports this module, and only when a JAX array is passed.
"""

from collections.abc import Callable
from functools import cache

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from bayes_distnet.arrays import Array


@cache
def differentiable(kernel: Callable[..., tuple[Array, Callable[[], tuple[Array, ...]]]]) -> Callable[..., Array]:
    """Make a function JAX can differentiate out of a kernel `(xp, *args) -> (value, partials)`.

    Differentiating through the branches of a kernel would give 0 * inf = NaN where a branch not taken
    overflows; the partial derivatives a kernel writes down are finite and as accurate as the value.
    Arguments without a tangent (the data, usually) cost nothing.

    Parameters
    ----------
    kernel : callable
        See `dispatch`.

    Returns
    -------
    callable
        Function of the kernel's arguments, without `xp`.
    """

    @jax.custom_jvp
    def function(*args: Array) -> Array:
        return kernel(jnp, *args)[0]

    def jvp(primals: tuple[Array, ...], tangents: tuple[Array, ...]) -> tuple[Array, Array]:
        value, partials = kernel(jnp, *primals)
        terms = [
            partial * tangent
            for partial, tangent in zip(partials(), tangents, strict=True)
            if not isinstance(tangent, SymbolicZero)
        ]
        return value, jnp.broadcast_to(sum(terms, start=jnp.zeros((), value.dtype)), value.shape)

    function.defjvp(jvp, symbolic_zeros=True)

    def on_common_dtype(*args: Array) -> Array:
        dtype = jnp.result_type(*args)
        if not jnp.issubdtype(dtype, jnp.floating):
            dtype = jnp.result_type(float)
        return function(*(jnp.asarray(a, dtype) for a in args))

    return on_common_dtype


def repeat(step: Callable[[Array], Array], x: Array, count: int) -> Array:
    """Return x after a number of steps; see `dispatch.repeat`."""
    return jax.lax.fori_loop(0, count, lambda _, x: step(x), x)


def stop_gradient(x: Array) -> Array:
    """Return x as a constant; see `dispatch.stop_gradient`."""
    return jax.lax.stop_gradient(x)
