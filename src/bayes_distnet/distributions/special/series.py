"""Chebyshev series."""

from bayes_distnet.arrays import Array


def clenshaw(coefficients: tuple[float, ...], y: Array) -> Array:
    """Return the sum of a Chebyshev series at y in [-1, 1].

    Parameters
    ----------
    coefficients : tuple of float
        Coefficients, the constant one first.
    y : array
        Points in [-1, 1].

    Returns
    -------
    array
        Sums.

    Examples
    --------
    >>> import numpy as np
    >>> clenshaw((1.0, 2.0, 3.0), np.array(0.5)).item()
    0.5
    """
    this: Array = 0.0
    last: Array = 0.0
    for c in coefficients[:0:-1]:
        this, last = 2.0 * y * this - last + c, this
    return y * this - last + coefficients[0]


def clenshaw_difference(coefficients: tuple[float, ...], y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Return f(y), f(z) and (f(y) - f(z)) / (y - z), the last by a recursion that does not cancel.

    Parameters
    ----------
    coefficients : tuple of float
        Coefficients of f, the constant one first.
    y, z : array
        Points in [-1, 1].

    Returns
    -------
    fy, fz, slope : array
        Values and divided difference.
    """
    fy: Array = 0.0
    fy_last: Array = 0.0
    fz: Array = 0.0
    fz_last: Array = 0.0
    d: Array = 0.0
    d_last: Array = 0.0
    for c in coefficients[:0:-1]:
        d, d_last = 2.0 * (y * d + fz) - d_last, d
        fy, fy_last = 2.0 * y * fy - fy_last + c, fy
        fz, fz_last = 2.0 * z * fz - fz_last + c, fz
    c = coefficients[0]
    return y * fy - fy_last + c, z * fz - fz_last + c, y * d + fz - d_last
