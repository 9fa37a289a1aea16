"""Exact schedules: the time per solver that answers the most cases, by mixed-integer programming."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import scipy.optimize
import scipy.sparse
from scipy.stats import qmc

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.joint_laws import JointLaws
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.errors import SettingError

MOST_SOLVERS = 10
CASES = 256  # joint runtimes that stand for the predicted distributions
CHOICES = 16  # lengths per solver
PERMUTED = 6  # slots up to which all orders are tried


def exact_schedule(laws: JointLaws, deadline: float) -> tuple[Slot, ...]:
    """Return the schedule for one instance with the largest chance of an answer before the deadline.

    Every solver has at most one slot. Quasi-random joint runtimes of all solvers stand for the predicted distributions;
    which of them a schedule answers is counted exactly. Slots are put into the order of the least mean time.

    Parameters
    ----------
    laws : JointLaws
        One row of at most ten solvers, tabulated until the deadline.
    deadline : float
        Seconds.

    Returns
    -------
    tuple of Slot
        The schedule; its last slot ends at the deadline.

    Raises
    ------
    SettingError
        More than ten solvers.
    """
    if len(laws.solvers) > MOST_SOLVERS:
        raise SettingError(
            f"exact schedules take at most {MOST_SOLVERS} solvers, found {len(laws.solvers)}: name some "
            "(solvers=[...]), or use method='greedy'."
        )
    times = joint_runtimes(laws, CASES)
    seconds = longest_cover(times, deadline)
    used = [int(s) for s in np.flatnonzero(seconds)] or [int((times <= deadline).mean(axis=0).argmax())]
    order = fastest_order(times, seconds, used)
    starts = np.concatenate([[0.0], np.cumsum(seconds[order])])
    slots = [Slot(laws.solvers[s], float(starts[i]), float(seconds[s])) for i, s in enumerate(order)]
    return (*slots[:-1], Slot(slots[-1].solver, slots[-1].start, deadline - slots[-1].start))


def joint_runtimes(laws: JointLaws, count: int) -> FloatArray:
    """Return quasi-random runtimes (count, S) of one row; infinite past the last tabulated time."""
    solvers = len(laws.solvers)
    points = qmc.Sobol(solvers + 1, rng=np.random.default_rng(0)).random_base2(int(np.ceil(np.log2(count))))[:count]
    draws = np.searchsorted(np.cumsum(np.exp(laws.log_weights[0])), points[:, 0] * (1.0 - 1e-12))
    draws = np.minimum(draws, laws.n_draws - 1)
    grid = np.concatenate([[0.0], laws.times[0]])
    result = np.full((count, solvers), np.inf)
    for solver in range(solvers):
        log_sf = np.concatenate([np.zeros((laws.n_draws, 1)), laws.log_sf[0, solver]], axis=1)
        for case, draw in enumerate(draws):
            wanted = np.log(points[case, solver + 1] + 1e-300)
            if wanted >= log_sf[draw, -1]:
                result[case, solver] = np.interp(-wanted, -log_sf[draw], grid)
    return result


def longest_cover(times: FloatArray, budget: float, weights: FloatArray | None = None) -> FloatArray:
    """Return the seconds per solver, within a budget, that answer the most cases.

    Parameters
    ----------
    times : ndarray
        (K, S) runtimes of every solver in every case.
    budget : float
        Sum of the seconds.
    weights : ndarray, optional
        (K,) weights of the cases.

    Returns
    -------
    ndarray
        (S,) seconds; none for solvers that are not used. Of schedules that answer equally many cases, a short one is
        taken.
    """
    cases, solvers = times.shape
    weights = np.ones(cases) if weights is None else weights
    options = [(s, t) for s in range(solvers) for t in _lengths(times[:, s], budget)]
    if not options:
        return np.zeros(solvers)
    solver, length = np.array([s for s, _ in options]), np.array([t for _, t in options])
    covers = scipy.sparse.csr_matrix((times[:, solver] <= length).astype(float))
    k, j = cases, len(options)
    # Maximise answered cases; the sum of lengths only breaks ties.
    price = np.concatenate([0.5 * weights.min() * length / (budget * solvers), -weights])
    once = scipy.sparse.csr_matrix((np.ones(j), (solver, np.arange(j))), shape=(solvers, j))
    constraints = [
        scipy.optimize.LinearConstraint(scipy.sparse.hstack([-covers, scipy.sparse.identity(k)]), -np.inf, 0.0),
        scipy.optimize.LinearConstraint(scipy.sparse.hstack([once, scipy.sparse.csr_matrix((solvers, k))]), 0.0, 1.0),
        scipy.optimize.LinearConstraint(np.concatenate([length, np.zeros(k)])[None], 0.0, budget),
    ]
    integral = np.concatenate([np.ones(j), np.zeros(k)])
    bounds = scipy.optimize.Bounds(0.0, 1.0)
    found = scipy.optimize.milp(price, integrality=integral, bounds=bounds, constraints=constraints)
    seconds = np.zeros(solvers)
    np.maximum.at(seconds, solver, np.where(found.x[:j] > 0.5, length, 0.0))
    return seconds


def _lengths(times: FloatArray, budget: float) -> FloatArray:
    """Return lengths at which a solver answers more cases: all of them, or quantiles if there are many."""
    useful = np.unique(times[times <= budget])
    if len(useful) <= CHOICES:
        return np.asarray(useful)
    return np.asarray(useful[np.linspace(0, len(useful) - 1, CHOICES).round().astype(int)])


def fastest_order(times: FloatArray, seconds: FloatArray, used: list[int]) -> list[int]:
    """Return the order of slots with the least mean time; by answers per second where there are many slots."""
    if len(used) > PERMUTED:
        return sorted(used, key=lambda s: -float((times[:, s] <= seconds[s]).mean()) / max(float(seconds[s]), 1e-300))

    def mean_time(order: Iterable[int]) -> float:
        answered, start = np.full(len(times), np.inf), 0.0
        for s in order:
            answered = np.minimum(answered, np.where(times[:, s] <= seconds[s], start + times[:, s], np.inf))
            start += seconds[s]
        return float(np.minimum(answered, start).mean())

    return list(min(list(itertools.permutations(used)), key=mean_time))
