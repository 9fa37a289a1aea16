"""Linear pools: mixtures of predictions, weighted by their log score on runs that they have not seen."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution

PSEUDO_COUNT = 2.0  # runs per part that every weight starts with
SCORED_ROWS = 2000  # at a time: bounds the memory of mixtures with hundreds of components


class Rows(Protocol):
    """Predictions of which some rows at a time can be taken; they may be made when they are asked for."""

    def __getitem__(self, rows: slice | IntArray) -> RuntimeDistribution: ...


def run_scores(predictions: Rows, observations: Observations) -> FloatArray:
    """Return the log density of every finished run and the log survival of every censored one.

    Parameters
    ----------
    predictions : Rows
        Predictions, one row per instance.
    observations : Observations
        Runs of the same instances.

    Returns
    -------
    array
        One score per run, ordered by instance.
    """
    seconds, finished = observations.matrix()
    present = ~np.isnan(seconds)
    seconds = np.where(present, seconds, 1.0)
    scores = np.empty(seconds.shape)
    for start in range(0, len(seconds), SCORED_ROWS):
        rows = slice(start, start + SCORED_ROWS)
        rtd = predictions[rows]
        scores[rows] = np.where(finished[rows], rtd.log_pdf(seconds[rows]), rtd.log_sf(seconds[rows]))
    return scores[present]


def pool_weights(scores: list[FloatArray], rounds: int = 200) -> FloatArray:
    """Return the weights of a linear pool that maximise the log score, by EM from equal weights.

    Parameters
    ----------
    scores : list of arrays
        Log scores of every part, one per run.
    rounds : int, default 200
        Rounds of EM.

    Returns
    -------
    array
        One weight per part; pseudo-counts keep all of them above zero.

    Examples
    --------
    >>> pool_weights([np.log(np.full(98, 0.5)), np.log(np.full(98, 0.5))]).tolist()
    [0.5, 0.5]
    """
    matrix = np.stack(scores, axis=1)
    density = np.exp(matrix - matrix.max(axis=1, keepdims=True))
    weights = np.full(matrix.shape[1], 1.0 / matrix.shape[1])
    for _ in range(rounds):
        share = density * weights
        counts = (share / share.sum(axis=1, keepdims=True)).sum(axis=0) + PSEUDO_COUNT
        weights = counts / counts.sum()
    return weights
