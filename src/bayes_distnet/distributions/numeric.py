"""Two vectorised numerical methods: thousands of one-dimensional roots, thousands of one-dimensional integrals.

Both work on many independent problems at once and drop those that are done, so that a few hard rows do not make all the
others wait. SciPy 1.17 has the same, measured in one run with the same accuracy: its `elementwise.find_root` has no use
for slopes and first guesses, and takes 1.2 to 1.7 times as long for quantiles of mixtures (median; up to 5 times);
`tanhsinh` takes 1.5 to 50 times as long for integrals of survival functions, `quad_vec` and `cubature` (they refine all
rows together) 4 to 80 times. Neither NumPy nor SciPy exports Gauss-Kronrod tables.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray

_MAX_ITERATIONS = 200
# A Newton step from a point this close (in value and in argument) misses the root by about its square.
_CLOSE = 1e-7


def find_roots(
    evaluate: Callable[[IndexArray, FloatArray], tuple[FloatArray, FloatArray]],
    guess: FloatArray,
    target: FloatArray,
    *,
    close: float = _CLOSE,
) -> FloatArray:
    """Solve f_i(y_i) = target_i for increasing functions f_i, by Newton steps kept inside a bracket.

    From the second point on a step uses the inverse cubic through the last two points and their slopes, which needs no
    more evaluations than Newton and converges about as fast as a fourth-order method. Where a step would leave the
    bracket, or the bracket shrinks too slowly, the bracket is bisected.

    Parameters
    ----------
    evaluate : callable
        Takes the indices of the problems still open and their arguments, and returns values and slopes. Values may be
        infinite (the sign gives the side of the root), slopes may be zero.
    guess : ndarray
        Finite starting points.
    target : ndarray
        Finite values to reach.
    close : float, default 1e-7
        A step is the last one if value and argument are both expected to be off by less than this before it.

    Returns
    -------
    ndarray
        The roots, shaped like `guess`.

    Examples
    --------
    >>> import numpy as np
    >>> find_roots(lambda i, y: (y**3, 3 * y**2), np.array([5.0, 0.5]), np.array([8.0, 27.0])).round(12)
    array([2., 3.])
    """
    y = guess.astype(np.float64, copy=True)
    open_ = np.arange(y.size)
    low, high = np.full(y.size, -np.inf), np.full(y.size, np.inf)
    width = np.full(y.size, np.inf)
    old_y, old_value, old_slope = np.full((3, y.size), np.nan)
    stride = 1.0
    for iteration in range(_MAX_ITERATIONS):
        if not open_.size:
            break
        here = y[open_]
        value, slope = evaluate(open_, here)
        miss = value - target[open_]
        low[open_] = np.where(miss <= 0, here, low[open_])
        high[open_] = np.where(miss >= 0, here, high[open_])
        left, right = low[open_], high[open_]
        with np.errstate(all="ignore"):
            newton = -miss / slope
            step = _inverse_cubic(miss, slope, old_value[open_] - target[open_], old_slope[open_], old_y[open_] - here)
            # The cubic only improves on Newton's step; where the two disagree, Newton's is safer.
            step = np.where(np.abs(step - newton) < 0.5 * np.abs(newton), step, newton)
            inside = (here + step > left) & (here + step < right) & np.isfinite(step)
            # Every third round the bracket has to have halved.
            slow = (iteration % 3 == 2) & ((right - left) > 0.5 * width[open_])
            bounded = np.isfinite(left) & np.isfinite(right)
            bisect = bounded & (~inside | slow)
            step = np.where(bisect, 0.5 * (left + right) - here, step)
            # While one end is unknown: walk towards it with growing steps.
            reach = np.where(miss <= 0, stride, -stride)
            step = np.where(~bounded & (~inside | (np.abs(step) > stride)), reach, step)
            done = (np.abs(miss) <= close) & (np.abs(step) <= close) & ~bisect
            done |= (right - left) <= 4e-16 * np.maximum(np.abs(here), 1e-3)
            done |= miss == 0
            step = np.where(miss == 0, 0.0, step)
        if iteration % 3 == 2:
            width[open_] = right - left
        old_y[open_], old_value[open_], old_slope[open_] = here, value, slope
        y[open_] = here + step
        stride *= 1.5
        open_ = open_[~done]
    return y


def _inverse_cubic(
    miss: FloatArray, slope: FloatArray, old_miss: FloatArray, old_slope: FloatArray, old_offset: FloatArray
) -> FloatArray:
    """Step to the root of the inverse Hermite cubic through (miss, 0) and (old_miss, old_offset)."""
    span = old_miss - miss
    s = -miss / span
    tangent, old_tangent = span / slope, span / old_slope
    return np.asarray(s * (1 - s) ** 2 * tangent + s * s * (3 - 2 * s) * old_offset + s * s * (s - 1) * old_tangent)


# Gauss-Kronrod 7/15: nodes on [0, 1) (symmetric), their Kronrod weights, and the Gauss weights of every other one.
_NODES = np.array(
    [
        0.991455371120812639206854697526329,
        0.949107912342758524526189684047851,
        0.864864423359769072789712788640926,
        0.741531185599394439863864773280788,
        0.586087235467691130294144691693,
        0.405845151377397166906606412076961,
        0.207784955007898467600689403773245,
        0.0,
    ]
)
_KRONROD = np.array(
    [
        0.022935322010529224963732008058970,
        0.063092092629978553290700663189204,
        0.104790010322250183839876322541518,
        0.140653259715525918745189590510238,
        0.169004726639267902826583426598550,
        0.190350578064785409913256402421014,
        0.204432940075298892414161999234649,
        0.209482141084727828012999174891714,
    ]
)
_GAUSS = np.array(
    [
        0.129484966168869693270611432679082,
        0.279705391489276667901467771423780,
        0.381830050505118944950369775488975,
        0.417959183673469387755102040816327,
    ]
)
_X = np.concatenate([-_NODES, _NODES[-2::-1]])
_W15 = np.concatenate([_KRONROD, _KRONROD[-2::-1]])
_W7 = np.zeros(15)
_W7[1::2] = np.concatenate([_GAUSS, _GAUSS[-2::-1]])


def integrate(
    evaluate: Callable[[IndexArray, FloatArray], FloatArray],
    owner: IndexArray,
    low: FloatArray,
    high: FloatArray,
    rtol: FloatArray | float = 1e-9,
    *,
    depth: int = 30,
) -> FloatArray:
    """Integrate over many finite intervals at once: Gauss-Kronrod 15, halving the intervals that need it.

    Parameters
    ----------
    evaluate : callable
        Takes owners (k,) and points (k, 15), returns the integrand's values (k, 15).
    owner : ndarray
        (k,) function of each interval; an interval's error is measured against the sum of the absolute integrals of all
        intervals of its owner.
    low, high : ndarray
        (k,) ends, the upper ones not below the lower ones.
    rtol : float or ndarray, default 1e-9
        Error allowed, relative to the owner's sum; a number or one per owner.
    depth : int, default 30
        Most halvings of an interval.

    Returns
    -------
    ndarray
        (k,) integrals.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([0, 0])
    >>> integrate(lambda i, x: np.sqrt(x), one, np.array([0.0, 1.0]), np.array([1.0, 4.0])).round(8)
    array([0.66666667, 4.66666667])
    """
    result = np.zeros(owner.size)
    slot = np.flatnonzero(high > low)
    size = np.zeros(int(owner.max(initial=-1)) + 1)
    a, b = low[slot], high[slot]
    allowed = np.broadcast_to(0.1 * np.asarray(rtol), size.shape)
    for level in range(depth + 1):
        if not slot.size:
            break
        half = 0.5 * (b - a)
        values = evaluate(owner[slot], a[:, None] + half[:, None] * (1 + _X))
        fine = half * (values @ _W15)
        error = np.abs(fine - half * (values @ _W7))
        if level == 0:
            size += np.bincount(owner[slot], np.abs(fine), minlength=size.size)
        # The difference between the two rules overrates the error of the better one; QUADPACK's correction.
        scale = half * (np.abs(values) @ _W15) + 1e-300
        error = scale * np.minimum(1.0, (200.0 * error / scale) ** 1.5)
        # More intervals do not help against an error that is not a number, or when there are too many of them.
        give_up = level == depth or slot.size > 100 * owner.size
        keep = ~(error > allowed[owner[slot]] * size[owner[slot]]) | give_up
        np.add.at(result, slot[keep], fine[keep])
        slot, a, half = slot[~keep], a[~keep], half[~keep]
        slot, a, b = np.repeat(slot, 2), np.column_stack([a, a + half]).ravel(), np.empty(0)
        b = a + np.repeat(half, 2)
    return result
