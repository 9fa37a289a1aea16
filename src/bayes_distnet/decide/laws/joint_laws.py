"""Tables of the runtime distributions that an instance may have for each of several solvers at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy.special

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.laws.dependence import Dependence
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError

DRAWS, POINTS = 64, 128
RARE = 1e-3  # probability below the first tabulated time
LEAST = -1e4  # log of survival that stands for none: a product with no copies must stay a number


@dataclass(frozen=True)
class JointLaws:
    """D instances that each row may stand for, with the runtime distribution of every solver on each of them.

    Given the instance, runs of different solvers are independent; what they have in common is the instance.

    Parameters
    ----------
    solvers : tuple of str
        Names of the S solvers.
    times : ndarray
        (n, m) seconds, positive and increasing, common to all solvers.
    log_sf : ndarray
        (n, S, D, m) logs of survival probabilities.
    log_weights : ndarray
        (n, D) logs of the weights of the instances; their exponentials sum to 1.
    """

    solvers: tuple[str, ...]
    times: FloatArray
    log_sf: FloatArray
    log_weights: FloatArray

    @classmethod
    def of(
        cls,
        predicted: Mapping[str, PredictedRuntimes],
        dependence: Dependence,
        *,
        times: FloatArray | None = None,
        n_draws: int = DRAWS,
    ) -> Self:
        """Tabulate the predictions of several solvers.

        Parameters
        ----------
        predicted : mapping
            Predicted runtimes by solver, in the order of `dependence`, one row per instance.
        dependence : Dependence
            Dependence between the solvers.
        times : ndarray, optional
            (m,) or (n, m) positive, increasing seconds; by default a geometric grid over all likely times.
        n_draws : int, default 64
            D.

        Returns
        -------
        JointLaws
            The tables.
        """
        solvers = tuple(predicted)
        if len(solvers) != len(dependence):
            raise SettingError(f"predictions of {len(solvers)} solvers, but a dependence of {len(dependence)}.")
        n = len(next(iter(predicted.values())))
        grid = likely_times(predicted) if times is None else np.asarray(times, dtype=float)
        grid = np.array(np.broadcast_to(grid, (n, grid.shape[-1])))
        hardness = dependence.draws(n_draws)
        log_sf = np.stack([predicted[s].log_sf_given(hardness[:, i], grid) for i, s in enumerate(solvers)], axis=1)
        return cls(solvers, grid, log_sf, np.full((n, n_draws), -np.log(n_draws)))

    def __len__(self) -> int:
        return len(self.times)

    @property
    def n_draws(self) -> int:
        """D, the number of instances per row."""
        return int(self.log_sf.shape[2])

    def take(self, rows: IndexArray | slice) -> JointLaws:
        """Return some of the rows."""
        return JointLaws(self.solvers, self.times[rows], self.log_sf[rows], self.log_weights[rows])

    def of_solver(self, solver: int) -> LawTable:
        """Return the distributions of one solver, by its number."""
        return LawTable(self.times, self.log_sf[:, solver])

    def averaged(self, log_sf: FloatArray) -> LawTable:
        """Average survival (n, D, m) over the instances: one distribution per row."""
        return LawTable(
            self.times, scipy.special.logsumexp(log_sf + self.log_weights[..., None], axis=1, keepdims=True)
        )

    def fastest(self, copies: Sequence[int]) -> LawTable:
        """Return the distribution of the first answer, with this number of copies of every solver side by side."""
        return self.averaged(np.einsum("nsdm,s->ndm", np.maximum(self.log_sf, LEAST), np.asarray(copies, dtype=float)))

    def given_alive(self, log_sf: FloatArray) -> JointLaws:
        """Return the beliefs after runs have given no answer, with log survival (n, D) until now.

        Instances that are hard for these runs become more likely, and with them those hard for similar solvers.

        Parameters
        ----------
        log_sf : array
            (n, D) logs of the probability that the runs are still going.

        Returns
        -------
        JointLaws
            The same laws with other weights.
        """
        log_weights = self.log_weights + log_sf
        return replace(self, log_weights=log_weights - scipy.special.logsumexp(log_weights, axis=1, keepdims=True))

    def restarted(self, solver: int, cutoffs: FloatArray) -> JointLaws:
        """Return laws in which one solver restarts after its cutoff (n,), each time with new luck; inf: it does not."""
        log_sf = self.log_sf.copy()
        for row in np.flatnonzero(np.isfinite(cutoffs)):
            log_sf[row, solver] = restarted_law(self.times[row], log_sf[row, solver], float(cutoffs[row]))
        return replace(self, log_sf=log_sf)


def law_at(times: FloatArray, log_sf: FloatArray, wanted: FloatArray) -> FloatArray:
    """Return log survival (D, k) of distributions (D, m) at some seconds (k,); constant after the last time."""
    grid = np.concatenate([[0.0], times])
    values = np.concatenate([np.zeros((len(log_sf), 1)), np.maximum(log_sf, LEAST)], axis=1)
    after = np.clip(np.searchsorted(grid, wanted, side="right"), 1, len(grid) - 1)
    share = np.clip((wanted - grid[after - 1]) / (grid[after] - grid[after - 1]), 0.0, 1.0)
    return np.asarray(values[:, after - 1] + share * (values[:, after] - values[:, after - 1]))


def restarted_law(times: FloatArray, log_sf: FloatArray, cutoff: float) -> FloatArray:
    """Return log survival (D, m) when runs with distributions (D, m) are restarted after a cutoff."""
    rounds = np.floor(times / cutoff)
    whole = law_at(times, log_sf, np.array([cutoff]))
    return np.asarray(rounds * whole + law_at(times, log_sf, times - rounds * cutoff))


def likely_times(predicted: Mapping[str, PredictedRuntimes], end: float | None = None) -> FloatArray:
    """(n, m) geometric grids from the first likely answer of any solver on, to `end` or the last likely one."""
    first = np.min([rtd.quantile(RARE) for rtd in predicted.values()], axis=0)
    if end is None:
        last = np.max([rtd.quantile(1.0 - RARE**2) for rtd in predicted.values()], axis=0)
    else:
        last = np.full(len(first), float(end))
    first = np.maximum(np.minimum(first, 0.5 * last), 1e-12 * last)
    steps = np.linspace(0.0, 1.0, POINTS)
    return np.asarray(np.exp(np.log(first)[:, None] + np.log(last / first)[:, None] * steps))
