"""Limits of axes and their ticks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.report.charts.chart import Axis


def linear_axis(label: str, low: float, high: float, *, many: int = 5, percent: bool = False) -> Axis:
    """Return an axis with about as many ticks as asked for, at round numbers.

    Parameters
    ----------
    label : str
        Its name.
    low, high : float
        Its ends.
    many : int, default 5
        Number of ticks.
    percent : bool, default False
        Whether values are shown as percentages.

    Returns
    -------
    Axis
        The axis.

    Examples
    --------
    >>> [text for _, text in linear_axis("s", -0.4, 0.5).ticks]
    ['−0.4', '−0.2', '0', '0.2', '0.4']
    """
    rough = (high - low) / many
    unit = 10.0 ** np.floor(np.log10(rough))
    step = unit * min((1.0, 2.0, 2.5, 5.0, 10.0), key=lambda s: abs(np.log(s * unit / rough)))
    values = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
    return Axis(label, low, high, [(float(v), number_text(float(np.round(v, 10)))) for v in values], percent=percent)


def log_axis(label: str, low: float, high: float) -> Axis:
    """Return a logarithmic axis: ticks at powers of ten, and at 2 and 5 of them if the axis is short."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    steps = (1, 2, 5) if high < 100 * low else (1,)
    values = [s * 10.0**p for p in powers for s in steps]
    inside = [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
    inside = inside[:: -(-len(inside) // 7)] if len(inside) > 7 else inside
    return Axis(label, low, high, [(v, number_text(v)) for v in inside], log=True)


def number_text(value: float) -> str:
    """Return a number with at most four digits, and a proper minus.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    str
        The number as text.

    Examples
    --------
    >>> number_text(-0.25), number_text(10000.0), number_text(float("inf"))
    ('−0.25', '10⁴', '∞')
    """
    if not np.isfinite(value):
        return "∞" if value > 0 else "−∞"
    if value and not 1e-3 <= abs(value) < 1e4:
        mantissa, power = f"{value:.0e}".split("e")
        digits = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        text = f"10{digits}" if mantissa == "1" else f"{mantissa}·10{digits}"
        return text.replace("-", "−")
    value += 0.0  # no negative zero
    return f"{value:.3g}".replace("-", "−") if abs(value) < 1000 else f"{value:.0f}".replace("-", "−")


def robust_limits(values: ArrayLike, always: ArrayLike = (), margin: float = 0.06) -> tuple[float, float]:
    """Return limits that a few far values do not stretch.

    Parameters
    ----------
    values : array-like of float
        Values to show, if they are within 1.5 interquartile ranges of the quartiles.
    always : array-like of float, default ()
        Values to show in any case.
    margin : float, default 0.06
        Margin at both ends, as a fraction.

    Returns
    -------
    low, high : float
        The limits.

    Examples
    --------
    >>> robust_limits([1.0, 2.0, 3.0, 900.0], margin=0.0)
    (1.0, 3.0)
    """
    found, sure = _finite(values), _finite(always)
    if found.size:
        lower, upper = np.quantile(found, [0.25, 0.75], method="hazen")
        # With few values the upper quartile may be one of the far ones.
        upper = min(upper, 3 * np.median(found) - 2 * lower) if found.size < 8 else upper
        reach = 1.5 * (upper - lower)
        found = found[(found >= lower - reach) & (found <= upper + reach)]
    shown = np.concatenate([found, sure])
    if not shown.size:
        return 0.0, 1.0
    low, high = float(shown.min()), float(shown.max())
    room = margin * (high - low) if high > low else max(abs(low) * 0.1, 0.05)
    return low - room, high + room


def _finite(values: ArrayLike) -> FloatArray:
    array: FloatArray = np.asarray(values, dtype=float).ravel()
    return array[np.isfinite(array)]
