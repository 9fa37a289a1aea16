"""Timers that tick: recognised by times that repeat, and undone for models that learn from densities.

Many tables of runs come from a timer that ticks at 0.01 s: a time of 0.03 s is any between 0.025 and 0.035 s. As points
such times would reward spikes, without limit. So they are learnt from spread over their ticks, and scored as intervals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.distributions.ticks import tick_ends
from bayes_distnet.validation import check_positive

AUTO = "auto"

#: Ticks that are looked for, in seconds, the coarsest first: decimal ones, minutes, and 64 per second.
TICKS = tuple(sorted((60.0, 1 / 64, *(m * 10.0**e for e in range(-6, 2) for m in (1.0, 2.0, 4.0, 5.0))), reverse=True))

LEAST_RUNS = 20  # finished ones; fewer show no pattern
LEAST_TIED = 5  # different times that occur more than once
LEAST_REPEATS = 0.01  # fraction of the runs that repeat a time
# A tick is coarse if this fraction of the runs takes less than so many ticks. A microsecond clock is not, for runs of
# milliseconds: there times repeat by chance, and a density has no room for a spike.
SHORT, LEAST_SHORT = 1000, 0.01
SINGLE = 1e-7  # relative error of numbers that went through single precision
NEAREST_ZERO = 0.1  # ticks; times of 0 s are spread from here on, since models learn in log time


def find_tick(seconds: ArrayLike, finished: ArrayLike | None = None) -> float | None:
    """Recognise the tick of the timer that measured runs.

    All times must be multiples of the tick, except for rounding errors, and a tick must be coarse: one run in a hundred
    takes less than a thousand ticks. Times must repeat, too, and in the way that a tick makes them repeat: pairs of
    times one tick apart are then at least half as many as times that occur more than once. (Where an instance always
    takes the same time, there are few such pairs.) Fewer than twenty finished runs show no tick.

    Parameters
    ----------
    seconds : array-like
        Runtimes of any shape; NaN where there is no run.
    finished : array-like of bool or None, default None
        Same shape; False for a run that was cut off, which is left out. All finished by default.

    Returns
    -------
    float or None
        Seconds; None if the timer shows no tick that matters.

    Examples
    --------
    >>> times = np.random.default_rng(0).lognormal(-2.0, 1.0, size=200)
    >>> find_tick(times), find_tick(times.round(6)), find_tick(times.round(2))
    (None, None, 0.01)
    """
    times = np.asarray(seconds, dtype=np.float64)
    known = np.isfinite(times) if finished is None else np.isfinite(times) & np.asarray(finished, dtype=bool)
    times = times[known]
    if times.size < LEAST_RUNS:
        return None
    short = np.quantile(times, LEAST_SHORT)
    for tick in TICKS:
        if short >= SHORT * tick:
            break
        if _on_ticks(times, tick):
            return tick if _repeat(_in_ticks(times, tick)) else None
    return None


def _on_ticks(times: FloatArray, tick: float) -> bool:
    ticks = times / tick
    error = np.abs(ticks - np.rint(ticks))
    # Half a tick is a time of 0 s, which `check_seconds` has raised.
    error = np.minimum(error, np.abs(ticks - 0.5))
    return bool(np.all(error <= SINGLE * (1.0 + ticks)))


def _in_ticks(times: FloatArray, tick: float) -> IntArray:
    ticks = np.where(times <= 0.5 * tick * (1 + 1e-6), 0.0, np.rint(times / tick))
    return np.asarray(ticks, dtype=np.int64)


def _repeat(ticks: IntArray) -> bool:
    values, counts = np.unique(ticks, return_counts=True)
    tied, neighbours = int((counts > 1).sum()), int((np.diff(values) == 1).sum())
    repeats = len(ticks) - len(values)
    # If few times share a tick, neighbours are twice as frequent as ties; if many do, both are as frequent as ticks.
    return tied >= LEAST_TIED and repeats >= LEAST_REPEATS * len(ticks) and neighbours >= 0.5 * tied


def resolve_tick(tick: float | str | None, seconds: ArrayLike, finished: ArrayLike | None = None) -> float | None:
    """Return the tick that a setting stands for.

    Parameters
    ----------
    tick : float, "auto" or None
        Seconds; "auto" looks for it in the runs, None means that times are exact.
    seconds, finished : array-like
        Runs, as `find_tick` takes them.

    Returns
    -------
    float or None
        Seconds.

    Raises
    ------
    SettingError
        Something else than a positive number, "auto" or None.
    """
    if isinstance(tick, str) and tick == AUTO:
        return find_tick(seconds, finished)
    if tick is None:
        return None
    check_positive("tick", tick)
    return float(tick)


def tick_note(tick: float) -> str:
    """Return a sentence about a tick, for people who read scores."""
    return f"timer: ticks every {tick:g} s; likelihoods are of intervals of that width."


def spread_over_ticks(seconds: FloatArray, tick: float, random_state: int) -> FloatArray:
    """Spread times that repeat evenly over their ticks, in random order.

    Parameters
    ----------
    seconds : ndarray of shape (k,)
        Times of finished runs, positive.
    tick : float
        Tick of their timer in seconds.
    random_state : int
        Seed of the order.

    Returns
    -------
    ndarray of shape (k,)
        Times: of m equal ones, the first is in the first of m equal parts of the tick, and so on. A time that occurs
        once stays as it is.

    Examples
    --------
    >>> np.sort(spread_over_ticks(np.array([0.3, 0.3, 0.3, 0.3, 0.5]), 0.1, 0)).round(4)
    array([0.2625, 0.2875, 0.3125, 0.3375, 0.5   ])
    """
    ticks = _in_ticks(seconds, tick)
    order = np.random.default_rng(random_state).permutation(len(seconds))
    order = order[np.argsort(ticks[order], kind="stable")]
    _, first, group, counts = np.unique(ticks[order], return_index=True, return_inverse=True, return_counts=True)
    place = (np.arange(len(order)) - first[group] + 0.5) / counts[group]
    low, high = tick_ends(seconds[order], tick)
    low = np.maximum(low, NEAREST_ZERO * tick)
    result = seconds.copy()
    result[order] = np.where((counts[group] == 1) & (ticks[order] > 0), seconds[order], low + place * (high - low))
    return result
