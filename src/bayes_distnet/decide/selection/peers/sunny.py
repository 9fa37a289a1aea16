"""SUNNY: a schedule from the nearest neighbours (Amadini, Gabbrielli and Mauro 2014)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
from sklearn.neighbors import NearestNeighbors

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.decide.selection.peers.base import Peer
from bayes_distnet.decide.selection.peers.inputs import Inputs
from bayes_distnet.decide.selection.procedures import Schedule, Step
from bayes_distnet.decide.solver_runs import SolverRuns

MOST_SETS = 20_000  # sets of solvers of one size that are all tried; beyond it, solvers are added one by one


class SUNNY(Peer):
    """The smallest set of solvers that solves most of the neighbours shares the time, and the fastest starts.

    A solver's time is proportional to the neighbours that it solves; that of neighbours which nobody solves goes to the
    backup solver, the single best one of the training instances.

    Parameters
    ----------
    k : int or None, default 10
        Number of neighbours, as published; None for the square root of the number of training instances.
    random_state : int, default 0
        Not used: the result is not random.
    """

    def __init__(self, k: int | None = 10, random_state: int = 0) -> None:
        super().__init__(random_state)
        self.k = k

    def _fit(self, features: pd.DataFrame, runs: SolverRuns) -> None:
        self.inputs_ = Inputs.fit(features)
        k = min(self.k or round(math.sqrt(len(features))), len(features))
        self.index_ = NearestNeighbors(n_neighbors=k).fit(self.inputs_.ranged(features))
        self.solved_ = runs.solved() > 0.5
        self.seconds_ = np.where(self.solved_, np.nanmean(runs.seconds, axis=2), runs.cutoff)
        self.backup_, self.cutoff_ = runs.single_best(), runs.cutoff

    def schedules(self, features: pd.DataFrame) -> list[Schedule]:
        """Return a schedule of the length of the cutoff, per row of features."""
        nearest = self.index_.kneighbors(self.inputs_.ranged(features), return_distance=False)
        return [self._schedule(self.solved_[rows], self.seconds_[rows]) for rows in nearest]

    def _schedule(self, solved: BoolArray, seconds: FloatArray) -> Schedule:
        chosen = list(smallest_cover(solved, seconds))
        slots = {solver: int(solved[:, solver].sum()) for solver in chosen}
        if unsolved := int((~solved.any(axis=1)).sum()):
            slots[self.backup_] = slots.get(self.backup_, 0) + unsolved
        each = self.cutoff_ / sum(slots.values())
        order = sorted(slots, key=lambda solver: (seconds[:, solver].mean(), solver))
        return tuple(Step(self.solvers_[solver], each * slots[solver]) for solver in order)


def smallest_cover(solved: BoolArray, seconds: FloatArray) -> tuple[int, ...]:
    """Return the smallest set of solvers that solves as many instances as all solvers do.

    Parameters
    ----------
    solved : ndarray of bool, shape (k, S)
        Whether each solver solves each instance.
    seconds : ndarray of shape (k, S)
        Runtimes; among sets of the same size, the one whose fastest members take the least time is chosen.

    Returns
    -------
    tuple of int
        Solvers; empty if no instance is solved.
    """
    reach, useful = int(solved.any(axis=1).sum()), np.flatnonzero(solved.any(axis=0))
    found: tuple[int, ...] = ()
    for size in range(1, min(reach, len(useful)) + 1):
        if math.comb(len(useful), size) > MOST_SETS:
            return _greedy_cover(solved, seconds)
        sets = np.array(list(itertools.combinations(useful, size)))
        enough = solved[:, sets].any(axis=2).sum(axis=0) == reach
        if enough.any():
            fastest = seconds[:, sets[enough]].min(axis=2).mean(axis=0)
            found = tuple(int(solver) for solver in sets[enough][int(np.argmin(fastest))])
            break
    return found


def _greedy_cover(solved: BoolArray, seconds: FloatArray) -> tuple[int, ...]:
    left, chosen = solved.any(axis=1), []
    while left.any():
        gains = solved[left].sum(axis=0)
        best = min(np.flatnonzero(gains == gains.max()), key=lambda solver: seconds[:, solver].mean())
        chosen.append(int(best))
        left &= ~solved[:, best]
    return tuple(chosen)
