r"""Dependence between solvers: an instance that is hard for one tends to be hard for the others.

Features do not determine an instance, and what they leave out is much the same for all solvers. So the instance effects
:math:`A_1, ..., A_S` of the solvers (see `InstanceEffect`) are jointly normal with unit variances and a correlation
matrix :math:`R`, learnt from predictions of unseen instances. The normal score of a run of solver s is

.. math:: Z = \sqrt{\rho_s}\, A_s + \sqrt{1 - \rho_s}\, E

with luck :math:`E` that is independent between runs and between solvers. Runs that were cut off have scores beyond a
known value; they are drawn from their distribution given all else (data augmentation), and R is the mean over sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.special
from scipy.stats import qmc

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.instance_effect import LARGEST
from bayes_distnet.errors import SettingError

SWEEPS, WARM_UP = 60, 20
LEAST_PRIOR = 10.0  # instances of independent solvers that are added; at least as many as there are solvers
MOST_INSTANCES = 2000  # that the correlation is learnt from, which bounds the time
LARGEST_CORRELATION = 0.995


@dataclass(frozen=True)
class Dependence:
    """Correlation of the instance effects of several solvers.

    Parameters
    ----------
    correlation : array
        (S, S) correlation matrix.

    Examples
    --------
    >>> independent = Dependence(np.eye(2))
    >>> independent.draws(4).shape
    (4, 2)
    >>> alike = Dependence(np.ones((2, 2))).draws(64)
    >>> bool((alike[:, 0] == alike[:, 1]).all())
    True
    """

    correlation: FloatArray

    def __post_init__(self) -> None:
        matrix = self.correlation
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
            raise SettingError(f"correlation: expected a square matrix of numbers, found shape {matrix.shape}.")
        if not np.allclose(matrix, matrix.T) or not np.allclose(np.diag(matrix), 1.0):
            raise SettingError("correlation: expected a symmetric matrix with ones on its diagonal.")
        if np.linalg.eigvalsh(matrix).min() < -1e-8 * len(matrix):
            raise SettingError("correlation: the matrix has a negative eigenvalue; it is no correlation matrix.")

    def __len__(self) -> int:
        return len(self.correlation)

    def draws(self, count: int) -> FloatArray:
        """Return quasi-random instances: normal scores of hardness (count, S), one column per solver.

        Every column holds the same `count` equal slices from easy to hard, as `hardness_scores` has them, so that what
        follows for a single solver does not depend on the others.

        Parameters
        ----------
        count : int
            Number of instances.

        Returns
        -------
        array
            Normal scores.
        """
        values, vectors = np.linalg.eigh(self.correlation)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        points = qmc.Sobol(len(self), rng=np.random.default_rng(0)).random_base2(max(0, int(np.ceil(np.log2(count)))))
        scores = scipy.special.ndtri(np.clip(points[:count], 1e-12, 1.0 - 1e-12)) @ root.T
        # Scores that are equal except for rounding must get equal ranks: solvers that are alike stay alike.
        ranks = np.argsort(np.argsort(scores.round(9), axis=0, kind="stable"), axis=0, kind="stable")
        return np.asarray(scipy.special.ndtri((ranks + 0.5) / count))

    def take(self, columns: list[int]) -> Dependence:
        """Return the dependence of some of the solvers."""
        return Dependence(self.correlation[np.ix_(columns, columns)])


def learn_dependence(
    scores: FloatArray, finished: BoolArray, sizes: FloatArray, assumed: BoolArray, random_state: int = 0
) -> tuple[Dependence, FloatArray]:
    """Learn the correlation of instance effects from normal scores of runs under predictions of unseen instances.

    With several runs per instance the sizes of the effects are known, and luck is told from ignorance. With one run per
    instance a size is only assumed. Then the correlation between *runs* of two solvers is all that can be seen. It
    bounds the sizes from below: what two solvers share on an instance cannot be luck. So an assumed size is raised to
    the largest such correlation.

    Parameters
    ----------
    scores : array
        (n, S, k) normal scores of runs; NaN where there is no run.
    finished : array of bool
        (n, S, k); False for a run that was cut off at its score.
    sizes : array
        (S,) sizes of the instance effects, as fractions of the variance of scores.
    assumed : array of bool
        (S,) whether a size was assumed.
    random_state : int, default 0
        Fixes the drawn scores of runs that were cut off.

    Returns
    -------
    dependence : Dependence
        The correlation, shrunk towards 0.
    sizes : array
        (S,) sizes, raised where they were assumed.
    """
    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.permutation(len(scores))[:MOST_INSTANCES])
    working = np.where(assumed, LARGEST, np.clip(sizes, 1e-3, LARGEST))
    shared = _correlation(scores[rows], finished[rows], working, rng)
    shared = shared * np.sqrt(working[:, None] * working)  # correlation between runs of different solvers
    off = shared - np.diag(np.diag(shared))
    largest = off.max(axis=1, initial=0.0)
    raised = np.where(assumed, np.clip(np.maximum(sizes, largest), 0.0, LARGEST), sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = np.where(raised[:, None] * raised > 0, off / np.sqrt(raised[:, None] * raised), 0.0)
    return Dependence(nearest_correlation(np.clip(matrix, -LARGEST_CORRELATION, LARGEST_CORRELATION))), raised


def nearest_correlation(matrix: FloatArray) -> FloatArray:
    """Return a correlation matrix near a symmetric one: ones on the diagonal, negative eigenvalues removed."""
    matrix = 0.5 * (matrix + matrix.T)
    np.fill_diagonal(matrix, 1.0)
    values, vectors = np.linalg.eigh(matrix)
    if values.min() < 1e-9:
        matrix = (vectors * np.maximum(values, 1e-9)) @ vectors.T
    scale = np.sqrt(np.diag(matrix))
    matrix = matrix / scale[:, None] / scale
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(0.5 * (matrix + matrix.T))


def _correlation(scores: FloatArray, finished: BoolArray, sizes: FloatArray, rng: np.random.Generator) -> FloatArray:
    """(S, S) posterior mean of the correlation of effects, by data augmentation."""
    present = ~np.isnan(scores)
    floor = np.clip(np.where(present, scores, 0.0), -6.0, 6.0)
    cut = present & ~finished
    count = present.sum(axis=2).astype(float)
    n, solvers = count.shape
    prior = max(LEAST_PRIOR, float(solvers))
    luck = np.sqrt(1.0 - sizes)
    runs, matrix, total = np.where(cut, floor + 0.5, floor), np.eye(solvers), np.zeros((solvers, solvers))
    for sweep in range(SWEEPS):
        # Predictions may be off or too wide as a whole: scores of every solver are shifted and scaled.
        mean, spread = _mean_and_spread(runs, present)
        effects = _drawn_effects((runs - mean) / spread, present, count, matrix, sizes, rng)
        middle = (np.sqrt(sizes) * effects)[..., None]
        drawn = middle + luck[:, None] * _beyond(((floor - mean) / spread - middle) / luck[:, None], rng)
        runs = np.where(cut, mean + spread * drawn, floor)
        moment = (effects.T @ effects + prior * np.eye(solvers)) / (n + prior)
        scale = np.sqrt(np.diag(moment))
        matrix = moment / scale[:, None] / scale
        total += matrix if sweep >= WARM_UP else 0.0
    return total / (SWEEPS - WARM_UP)


def _mean_and_spread(runs: FloatArray, present: BoolArray) -> tuple[FloatArray, FloatArray]:
    """(S, 1) mean and deviation of the scores of every solver."""
    count = np.maximum(present.sum(axis=(0, 2)), 1.0)[:, None]
    mean = np.where(present, runs, 0.0).sum(axis=(0, 2))[:, None] / count
    square = np.where(present, (runs - mean) ** 2, 0.0).sum(axis=(0, 2))[:, None] / count
    return mean, np.sqrt(np.maximum(square, 1e-6))


def _drawn_effects(
    runs: FloatArray,
    present: BoolArray,
    count: FloatArray,
    matrix: FloatArray,
    sizes: FloatArray,
    rng: np.random.Generator,
) -> FloatArray:
    """(n, S) effects drawn given all runs: normal, with precision R^-1 + count * size / (1 - size)."""
    inverse = np.linalg.inv(matrix)
    information = count * sizes / (1.0 - sizes)
    weight = np.where(present, runs, 0.0).sum(axis=2) * np.sqrt(sizes) / (1.0 - sizes)
    precision = inverse + np.einsum("ns,st->nst", information, np.eye(len(sizes)))
    root = np.linalg.cholesky(precision)
    mean = np.linalg.solve(precision, weight[..., None])[..., 0]
    noise = np.linalg.solve(np.swapaxes(root, 1, 2), rng.standard_normal((*weight.shape, 1)))[..., 0]
    return np.asarray(mean + noise)


def _beyond(floor: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw standard normals above `floor`."""
    log_chance = scipy.special.log_ndtr(-floor) + np.log(rng.uniform(1e-12, 1.0, floor.shape))
    return np.asarray(-scipy.special.ndtri_exp(log_chance))
