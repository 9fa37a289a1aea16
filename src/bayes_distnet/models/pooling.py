"""Linear pools: mixtures of predictions, weighted by how well each predicted runs it had not seen."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution

PSEUDO_COUNT = 2.0


def run_scores(rtd: RuntimeDistribution, observations: Observations) -> FloatArray:
    """Log density of every finished run and log survival of every one cut off."""
    seconds, finished = observations.matrix()
    present = ~np.isnan(seconds)
    seconds = np.where(present, seconds, 1.0)
    scores = np.where(finished, rtd.log_pdf(seconds), rtd.log_sf(seconds))
    return np.asarray(scores[present])


def pool_weights(scores: list[FloatArray], rounds: int = 200) -> FloatArray:
    """Weights of a linear pool that maximise the log score, by EM from equal weights, with pseudo-counts."""
    matrix = np.stack(scores, axis=1)
    density = np.exp(matrix - matrix.max(axis=1, keepdims=True))
    weights = np.full(matrix.shape[1], 1.0 / matrix.shape[1])
    for _ in range(rounds):
        share = density * weights
        counts = (share / share.sum(axis=1, keepdims=True)).sum(axis=0) + PSEUDO_COUNT
        weights = counts / counts.sum()
    return weights
