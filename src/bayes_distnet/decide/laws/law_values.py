"""Values of tabulated distributions between their times: survival, expected seconds, quantiles, chances."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.decide.laws.law_table import LawTable


def sf_and_spent_at(table: LawTable, t: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return survival probabilities and expected seconds E[min(T, t)] at some times.

    Parameters
    ----------
    table : LawTable
        Distributions.
    t : array-like
        Seconds: a scalar, (n, 1) or (n, D).

    Returns
    -------
    alive, spent : ndarray
        (n, D) each. Between tabulated times the log of survival is a line in time, past the last one in log time.
    """
    wanted = np.broadcast_to(np.asarray(t, dtype=float), table.log_sf.shape[:2])
    zero = np.zeros((len(table), 1))
    times = np.concatenate([zero, table.times], axis=1)
    log_sf = np.concatenate([np.zeros((*table.log_sf.shape[:2], 1)), table.log_sf], axis=2)
    spent = np.concatenate([np.zeros((*table.log_sf.shape[:2], 1)), table.spent], axis=2)
    after = np.clip((times[:, None, :] <= wanted[..., None]).sum(axis=2), 1, times.shape[1] - 1)
    rows = np.arange(len(table))[:, None]
    draws = np.arange(table.n_draws)[None]
    start, end = times[rows, after - 1], times[rows, after]
    left, right = log_sf[rows, draws, after - 1], log_sf[rows, draws, after]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.minimum((wanted - start) / (end - start), 1.0)
        here = left + np.where(share > 0, share * (right - left), 0.0)
        within = spent[rows, draws, after - 1] + (np.minimum(wanted, end) - start) * _mean_of_line(left, here)
    beyond = wanted > times[:, -1:]
    if not beyond.any():
        return np.exp(here), within
    return _past_the_end(table, wanted, beyond, here, within)


def _past_the_end(
    table: LawTable, wanted: FloatArray, beyond: BoolArray, log_sf: FloatArray, spent: FloatArray
) -> tuple[FloatArray, FloatArray]:
    last, end = table.log_sf[..., -1], table.times[:, -1:]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        steps = np.log(end / table.times[:, -2:-1])
        power = np.where(np.isfinite(last), (table.log_sf[..., -2] - last) / steps, np.inf)
        ratio = np.log(wanted / end)
        alive = np.where(np.isneginf(last), 0.0, np.exp(last - power * ratio))
        # Integral of (x / end)^(-power) from end to the time wanted; a logarithm where the power is 1.
        growth = np.where(np.abs(1.0 - power) < 1e-9, ratio, np.expm1((1.0 - power) * ratio) / (1.0 - power))
        more = np.where(np.isneginf(last), 0.0, end * np.exp(last) * growth)
    return np.where(beyond, alive, np.exp(log_sf)), np.where(beyond, spent + more, spent)


def _mean_of_line(left: FloatArray, right: FloatArray) -> FloatArray:
    """Mean of exp of a line from `left` to `right`."""
    gap = left - right
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = np.exp(left) * -np.expm1(-gap) / gap
    return np.where(gap > 1e-12, np.where(np.isinf(gap), 0.0, mean), np.exp(left))


def time_at(table: LawTable, sf: float) -> FloatArray:
    """Return the times (n, D) at which survival falls to `sf`; infinite where the table ends above it."""
    wanted = np.log(sf)
    times = np.concatenate([np.zeros((len(table), 1)), table.times], axis=1)
    log_sf = np.concatenate([np.zeros((*table.log_sf.shape[:2], 1)), table.log_sf], axis=2)
    after = np.clip((log_sf > wanted).sum(axis=2), 1, times.shape[1] - 1)
    rows, draws = np.arange(len(table))[:, None], np.arange(table.n_draws)[None]
    left, right = log_sf[rows, draws, after - 1], log_sf[rows, draws, after]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(np.isneginf(right), 1.0, np.clip((left - wanted) / (left - right), 0.0, 1.0))
        within = times[rows, after - 1] + share * (times[rows, after] - times[rows, after - 1])
    return np.where(table.log_sf[..., -1] > wanted, np.inf, within)


def chances_between(table: LawTable, cutoff: float | None) -> tuple[FloatArray, FloatArray]:
    """Return times (n, k) and the chances (n, D, k) of finishing there, which sum to 1.

    The chance of an interval is shared by its two ends; all that lies past the cutoff, or past the last time, is put
    there.

    Parameters
    ----------
    table : LawTable
        Distributions.
    cutoff : float or None
        Seconds after which runs are stopped.

    Returns
    -------
    times, chances : ndarray
        Seconds and probabilities.
    """
    times, sf = table.times, table.sf
    if cutoff is not None:
        alive = sf_and_spent_at(table, cutoff)[0][..., None]
        sf = np.where(times[:, None, :] >= cutoff, alive, sf)
        times = np.minimum(times, cutoff)
    inside = sf[..., :-1] - sf[..., 1:]
    chances = np.zeros_like(sf)
    chances[..., 0] = 1.0 - sf[..., 0]
    chances[..., :-1] += 0.5 * inside
    chances[..., 1:] += 0.5 * inside
    chances[..., -1] += sf[..., -1]
    return times, chances
