"""A presolver: a short schedule for all instances, run before any feature is computed.

It answers easy instances without paying for features, and gives instances on which the chosen solver fails a second
chance. It is learnt from the training runs, together with the choices that would follow it, and kept only if it pays on
instances that it was not chosen on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.decide.schedules.slot import Slot

MOST_SLOTS = 2
LENGTHS = 12
LONGEST = 0.2  # of the cutoff
FOLDS = 10


@dataclass(frozen=True)
class _Progress:
    """When slots so far answer each run, infinite where they do not, and how long they take."""

    answered: FloatArray  # (n, k)
    elapsed: float = 0.0

    def then(self, seconds: FloatArray, length: float) -> _Progress:
        """Append a slot of a solver with runtimes (n, k)."""
        here = np.where(seconds <= length, self.elapsed + seconds, np.inf)
        return _Progress(np.minimum(self.answered, here), self.elapsed + length)


def learn_presolver(
    times: FloatArray,
    chosen: IndexArray,
    fee: FloatArray,
    objective: Objective,
    solvers: tuple[str, ...],
    cutoff: float,
) -> tuple[Slot, ...]:
    """Choose a presolver.

    Parameters
    ----------
    times : array
        (n, S, k) seconds of the runs; infinite where a run did not finish, NaN where there is none.
    chosen : array of int
        (n,) solver that is chosen for each instance by a model that has not seen it.
    fee : array
        (n,) seconds of the features.
    objective : Objective
        What is to be small.
    solvers : tuple of str
        Names of the solvers.
    cutoff : float
        Seconds for presolver, features and chosen solver together.

    Returns
    -------
    tuple of Slot
        The presolver; empty if none pays.
    """
    times = _repeated(times)
    after = times[np.arange(len(times)), chosen]
    lengths = _lengths(times, cutoff)
    slots: list[Slot] = []
    progress = _Progress(np.full(after.shape, np.inf))
    without = _costs(progress, after, fee, objective, cutoff)
    while lengths.size and len(slots) < MOST_SLOTS:
        options = [(s, length) for s in range(times.shape[1]) for length in lengths]
        gains = np.stack(
            [without - _costs(progress.then(times[:, s], t), after, fee, objective, cutoff) for s, t in options]
        )
        if not _pays(gains):
            break
        solver, length = options[int(gains.mean(axis=1).argmax())]
        slots.append(Slot(solvers[solver], progress.elapsed, float(length)))
        progress = progress.then(times[:, solver], length)
        without = _costs(progress, after, fee, objective, cutoff)
    return tuple(slots)


def _repeated(times: FloatArray) -> FloatArray:
    """Fill up fewer runs by repeating them, so that every instance counts the same; without any, none finishes."""
    count = (~np.isnan(times)).sum(axis=2, keepdims=True)
    order = np.argsort(np.isnan(times), axis=2, kind="stable")
    filled = np.take_along_axis(times, order, axis=2)
    filled = np.take_along_axis(filled, np.arange(times.shape[2]) % np.maximum(count, 1), axis=2)
    return np.where(np.isnan(filled), np.inf, filled)


def _lengths(times: FloatArray, cutoff: float) -> FloatArray:
    finite = times[np.isfinite(times)]
    first = max(float(np.quantile(finite, 0.01)), 1e-4 * cutoff)
    return np.geomspace(first, LONGEST * cutoff, LENGTHS) if first < LONGEST * cutoff else np.empty(0)


def _costs(progress: _Progress, after: FloatArray, fee: FloatArray, objective: Objective, cutoff: float) -> FloatArray:
    """(n,) mean cost of the presolver so far, then features, then the chosen solver."""
    assert objective.of_runs is not None
    total = np.minimum(progress.answered, progress.elapsed + fee[:, None] + after)
    return np.asarray(objective.of_runs(np.minimum(total, cutoff), total <= cutoff).mean(axis=1))


def _pays(gains: FloatArray) -> bool:
    """Whether the best of several options (options, n) gains on instances that it was not chosen on."""
    n = gains.shape[1]
    fold = np.random.default_rng(0).permutation(np.arange(n) % FOLDS)
    held_out = np.empty(n)
    for part in range(FOLDS):
        held_out[fold == part] = (
            gains[gains[:, fold != part].mean(axis=1).argmax(), fold == part] if (fold == part).any() else 0
        )
    return bool(held_out.mean() > 0.0) if n > FOLDS else False
