"""Restarts: the cutoff with the least expected total time, where restarting pays.

A run that has not finished at the cutoff is stopped and started again with another seed. The instance is fixed: a
restart draws a new run, not a new instance. So the expected total time is computed for each distribution that the
instance may have, and averaged afterwards. The ratio of averages would take ignorance for luck, and restart too early.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.law_table import DRAWS, POINTS, LawTable
from bayes_distnet.decide.restarts.cutoffs import Cutoffs, ExpectedTime
from bayes_distnet.decide.restarts.rule import RestartLaws, RestartRule, total_time
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.checks import check_times, shaped
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes, check_distribution
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_level, is_number


def best_cutoff(
    rtd: PredictedRuntimes, *, overhead: float = 0.0, rule: RestartRule | None = None, level: float = 0.9
) -> Cutoffs:
    """Choose the restart cutoff with the least expected total time.

    The instance is fixed: a restart draws a new run, not a new instance, so the expected time is computed for each of
    the distributions that the instance may have, and averaged afterwards.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    overhead : float, default 0.0
        Seconds lost per restart.
    rule : RestartRule, optional
        Average to minimise, and the gain from which on restarting is worth it.
    level : float, default 0.9
        Probability of the band of the speed-up.

    Returns
    -------
    Cutoffs
        Cutoff, expected time and speed-up per instance; the cutoff is infinite where restarting does not pay.

    Raises
    ------
    SettingError
        An argument that is out of range.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import LogNormal
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> cut = best_cutoff(RuntimeDistribution(LogNormal(loc=[0.0, 0.0], scale=[0.5, 2.0])))
    >>> cut.cutoff.round(2), cut.speed_up.round(1)
    (array([ inf, 0.05]), array([ 1. , 10.3]))
    """
    check_distribution(rtd)
    check_overhead(overhead)
    rule, level = rule or RestartRule(), check_level(level)
    parts = [_choose(LawTable.of(rtd[rows]), overhead, rule, level) for rows in blocks(len(rtd), DRAWS * POINTS)]
    return Cutoffs.joined(parts, level)


def _choose(table: LawTable, overhead: float, rule: RestartRule, level: float) -> Cutoffs:
    choice = rule.choose(RestartLaws(table, overhead))
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(
            np.isinf(choice.costs), np.where(np.isinf(choice.alone), 1.0, 0.0), choice.alone / choice.costs
        )
    low, high = _band(gains, level)
    without = choice.alone.mean(axis=1)
    return Cutoffs(
        cutoff=np.where(choice.pays, choice.cutoff, np.inf),
        expected=np.where(choice.pays, choice.costs.mean(axis=1), without),
        without=without,
        low=np.where(choice.pays, low, 1.0),
        high=np.where(choice.pays, high, 1.0),
        chance=choice.chance,
        best=choice.cutoff,
        best_speed_up=choice.gain,
        level=level,
    )


def expected_time(
    rtd: PredictedRuntimes, cutoff: ArrayLike, *, overhead: float = 0.0, level: float = 0.9
) -> ExpectedTime:
    """Return the expected total time under fixed cutoffs, with the band that holds the instance's own.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predicted runtimes, one row per instance.
    cutoff : array-like
        Seconds: a scalar, (m,) common to all rows, or (n, m); one cutoff per row is (n, 1). Infinity: no restarts.
    overhead : float, default 0.0
        Seconds lost per restart.
    level : float, default 0.9
        Probability of the band.

    Returns
    -------
    ExpectedTime
        Mean, low and high: (n,) for a scalar cutoff, else (n, m).

    Raises
    ------
    SettingError
        A cutoff that is not positive, or another argument that is out of range.

    Examples
    --------
    >>> from bayes_distnet.distributions.families import Exponential
    >>> from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    >>> rtd = RuntimeDistribution(Exponential(scale=[3.0]))
    >>> expected_time(rtd, [0.1, 1.0, 10.0]).mean.round(3)     # a run has no memory: restarting changes nothing
    array([[3., 3., 3.]])
    """
    check_distribution(rtd)
    check_overhead(overhead)
    level = check_level(level)
    times, shape = shaped("cutoff", check_times(cutoff), len(rtd))
    if not np.all(times > 0):
        raise SettingError(f"cutoff: found {times[~(times > 0)][0]}; expected positive seconds.")
    times = np.array(np.broadcast_to(times, (len(rtd), times.shape[1])))
    mean, low, high = np.empty((3, *times.shape))
    for rows in blocks(len(rtd), DRAWS * max(POINTS, times.shape[1])):
        costs = total_time(*LawTable.of(rtd[rows]).at(times[rows]), overhead)
        mean[rows] = costs.mean(axis=1)
        low[rows], high[rows] = _band(costs, level)
    times, mean, low, high = (part.reshape(shape) for part in (times, mean, low, high))
    return ExpectedTime(times, mean, low, high, level)


def _band(values: FloatArray, level: float) -> FloatArray:
    """Ends (2, n, ...) of the central range of values (n, D, ...), some of which may be infinite."""
    return np.quantile(values, [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=1, method="inverted_cdf")


def check_overhead(overhead: float) -> None:
    """Raise a `SettingError` unless these are seconds that a restart can cost."""
    if not is_number(overhead) or not 0 <= overhead < np.inf:
        raise SettingError(f"overhead={overhead!r}: expected seconds per restart, at least 0.")
