"""A shape that the runtime distributions of one solver have in common, in place of the lognormal's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.scaling import check_array

PSEUDO_RUNS = 10.0  # of a standard normal: they decide the shape where the runs cannot


SHAPE_RUNS, SHAPE_DRAWS = 2000, 16  # at most, and components of each: twice the draws move scores by 0.002


SHAPE_ROUNDS = 100  # at most


SETTLED = 1e-5  # of the mean log score


LEAST_WIDTH = 0.05  # of a component's scale


@dataclass(frozen=True)
class Shape:
    """A common shape of runtime distributions, in place of the normal bell of log time.

    A lognormal (loc, scale) becomes lognormals (loc + scale * at, scale * width) with weights `share`.
    """

    share: FloatArray
    at: FloatArray
    width: FloatArray

    def __post_init__(self) -> None:
        for name in ("share", "at", "width"):
            check_array(f"shape: {name}", getattr(self, name), "f", positive=name != "at")
        if not len(self.share) == len(self.at) == len(self.width) > 0:
            raise ValueError("shape: share, at and width differ in length")

    def of(self, rtd: RuntimeDistribution) -> RuntimeDistribution:
        """Return a mixture of lognormals with every component in this shape; what becomes of one draw stays one."""
        loc, scale = _parameters(rtd)
        rows = len(rtd)
        draws = np.arange(rtd.n_components) if rtd.draws is None else rtd.draws
        components = LogNormal(
            (loc[..., None] + scale[..., None] * self.at).reshape(rows, -1),
            (scale[..., None] * self.width).reshape(rows, -1),
        )
        weights = (rtd.weights[..., None] * self.share).reshape(rows, -1)
        return RuntimeDistribution(components, weights, np.repeat(draws, len(self.share), axis=-1))


def fit_shape(rtd: RuntimeDistribution, observations: Observations, seed: int) -> Shape:
    """Two normals that, in place of each component of out-of-fold predictions, maximise their log score, by EM.

    Runtime distributions of one solver often share a shape that is no lognormal: a start-up time below which no run
    gets (skewed), a lucky and an unlucky way to go (two humps). Two normals hold both. A run that was cut off counts
    with the moments of what lies past its cutoff.
    """
    rng = np.random.default_rng(seed)
    runs = rng.permutation(len(observations.seconds))[:SHAPE_RUNS]
    finished = observations.finished[runs, None, None]
    loc, scale = _drawn_components(rtd, observations.instance[runs], rng)
    z = ((np.log(observations.seconds[runs])[:, None] - loc) / scale)[..., None]
    # Axes: runs, components of the run's prediction, the two normals.
    share, at, variance = np.array([0.5, 0.5]), np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    prior, last = PSEUDO_RUNS / 2, -np.inf
    for _ in range(SHAPE_ROUNDS):
        width = np.sqrt(variance)
        u = (z - at) / width
        score = -0.5 * u**2 - 0.5 * np.log(2 * np.pi)
        first, second = z, z**2
        if finished.all():
            likelihood = score - np.log(width * scale[..., None])
        else:
            survival = log_ndtr(-u)
            mills = np.exp(score - survival)
            likelihood = np.where(finished, score - np.log(width * scale[..., None]), survival)
            first = np.where(finished, z, at + width * mills)
            second = np.where(finished, z**2, variance * (1 + u * mills) + at**2 + 2 * at * width * mills)
        joint = np.log(share) + likelihood
        highest = joint.max(axis=(1, 2), keepdims=True)
        belongs = np.exp(joint - highest)
        total = belongs.sum(axis=(1, 2), keepdims=True)
        belongs /= total
        counts = belongs.sum(axis=(0, 1)) + prior
        mean = (belongs * first).sum(axis=(0, 1)) / counts
        square = ((belongs * second).sum(axis=(0, 1)) + prior) / counts
        share, at, variance = counts / counts.sum(), mean, np.maximum(square - mean**2, LEAST_WIDTH**2)
        reached = float((highest + np.log(total)).mean())
        if reached - last < SETTLED:
            break
        last = reached
    return Shape(share, at, np.sqrt(variance))


def _parameters(rtd: RuntimeDistribution) -> tuple[FloatArray, FloatArray]:
    parameters, shape = rtd.components.parameters(), (len(rtd), rtd.n_components)
    return np.broadcast_to(parameters["loc"], shape), np.broadcast_to(parameters["scale"], shape)


def _drawn_components(
    rtd: RuntimeDistribution, rows: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw few components of each row by their weights, evenly spread over the cumulated ones: (rows, draws)."""
    loc, scale = _parameters(rtd)
    cumulated = np.cumsum(rtd.weights, axis=1)[rows]
    levels = (np.arange(SHAPE_DRAWS) + rng.random((len(rows), 1))) / SHAPE_DRAWS
    chosen = np.stack([np.searchsorted(c, level) for c, level in zip(cumulated, levels, strict=True)])
    chosen = np.minimum(chosen, rtd.n_components - 1)
    return loc[rows[:, None], chosen], scale[rows[:, None], chosen]
