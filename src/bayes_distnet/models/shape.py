"""A shape that the runtime distributions of one solver have in common, in place of the lognormal's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI
from bayes_distnet.distributions.special.normal import normal_beyond
from bayes_distnet.models.pooling import Rows
from bayes_distnet.models.saving import check_array

PSEUDO_RUNS = 10.0  # runs of a standard normal that decide the shape where the data cannot
RUNS, COMPONENTS = 2000, 16  # largest numbers of runs and of components per run: twice as many move scores by 0.002
ROUNDS = 100  # at most
SETTLED = 1e-5  # gain of the mean log score per round below which the fit stops
LEAST_WIDTH = 0.05  # in scales of a component


@dataclass(frozen=True)
class Shape:
    """A common shape of runtime distributions, in place of the normal bell of log time.

    A lognormal (loc, scale) becomes lognormals (loc + scale * at, scale * width) with weights `share`.

    Parameters
    ----------
    share, at, width : array
        Weight, location and width of every part, in units of a component's scale.
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
        """Return a mixture of lognormals with every component in this shape; the parts of one draw stay one draw."""
        loc, scale = _parameters(rtd)
        rows = len(rtd)
        draws = np.arange(rtd.n_components) if rtd.draws is None else rtd.draws
        components = LogNormal(
            (loc[..., None] + scale[..., None] * self.at).reshape(rows, -1),
            (scale[..., None] * self.width).reshape(rows, -1),
        )
        weights = (rtd.weights[..., None] * self.share).reshape(rows, -1)
        return RuntimeDistribution(components, weights, np.repeat(draws, len(self.share), axis=-1))


@dataclass(frozen=True)
class _Standardised:
    """Runs relative to components of their predictions; axes: runs, components, parts of the shape (length 1)."""

    z: FloatArray
    log_scale: FloatArray
    finished: BoolArray

    def log_likelihood(self, shape: Shape) -> FloatArray:
        """Return log density of finished runs and log survival of censored ones under every part of the shape."""
        u = (self.z - shape.at) / shape.width
        density = -0.5 * u**2 - HALF_LOG_2PI - np.log(shape.width) - self.log_scale
        return density if self.finished.all() else np.where(self.finished, density, log_ndtr(-u))

    def moments(self, shape: Shape) -> tuple[FloatArray, FloatArray]:
        """Return expected z and z^2; those of a censored run are of the distribution past its cutoff."""
        if self.finished.all():
            return self.z, self.z**2
        mean, variance = normal_beyond((self.z - shape.at) / shape.width)
        first = shape.at + shape.width * mean
        return np.where(self.finished, self.z, first), np.where(
            self.finished, self.z**2, shape.width**2 * variance + first**2
        )


def fit_shape(unseen: Rows, observations: Observations, seed: int) -> Shape:
    """Fit two normals that, in place of each component of out-of-fold predictions, maximise their log score, by EM.

    Runtime distributions of one solver often share a shape that is no lognormal: a start-up time below which no run
    gets (skewed), a lucky and an unlucky course of the search (two humps). Two normals represent both. A censored run
    counts with the moments of the distribution past its cutoff.

    Parameters
    ----------
    unseen : Rows
        Out-of-fold predictions: mixtures of lognormals, one row per instance.
    observations : Observations
        Runs of the same instances.
    seed : int
        Fixes the choice of runs and components.

    Returns
    -------
    Shape
        Two parts.
    """
    runs = _standardised(unseen, observations, np.random.default_rng(seed))
    shape = Shape(np.array([0.5, 0.5]), np.array([-1.0, 1.0]), np.sqrt(np.array([0.5, 0.5])))
    last = -np.inf
    for _ in range(ROUNDS):
        shape, reached = _em_round(runs, shape)
        if reached - last < SETTLED:
            break
        last = reached
    return shape


def _em_round(runs: _Standardised, shape: Shape) -> tuple[Shape, float]:
    """Return the shape after one round of EM, and the mean log score before it."""
    joint = np.log(shape.share) + runs.log_likelihood(shape)
    highest = joint.max(axis=(1, 2), keepdims=True)
    belongs = np.exp(joint - highest)
    total = belongs.sum(axis=(1, 2), keepdims=True)
    belongs /= total
    first, second = runs.moments(shape)
    prior = PSEUDO_RUNS / 2
    counts = belongs.sum(axis=(0, 1)) + prior
    mean = (belongs * first).sum(axis=(0, 1)) / counts
    square = ((belongs * second).sum(axis=(0, 1)) + prior) / counts
    width = np.sqrt(np.maximum(square - mean**2, LEAST_WIDTH**2))
    return Shape(counts / counts.sum(), mean, width), float((highest + np.log(total)).mean())


def _standardised(unseen: Rows, observations: Observations, rng: np.random.Generator) -> _Standardised:
    runs = rng.permutation(len(observations.seconds))[:RUNS]
    instances, rows = np.unique(observations.instance[runs], return_inverse=True)
    loc, scale = _drawn_components(unseen[instances], rows, rng)
    z = (np.log(observations.seconds[runs])[:, None] - loc) / scale
    return _Standardised(z[..., None], np.log(scale)[..., None], observations.finished[runs, None, None])


def _parameters(rtd: RuntimeDistribution) -> tuple[FloatArray, FloatArray]:
    parameters, shape = rtd.components.parameters(), (len(rtd), rtd.n_components)
    return np.broadcast_to(parameters["loc"], shape), np.broadcast_to(parameters["scale"], shape)


def _drawn_components(
    rtd: RuntimeDistribution, rows: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draw few components of each row by their weights, evenly spread over the cumulated ones: (rows, components)."""
    loc, scale = _parameters(rtd)
    cumulated = np.cumsum(rtd.weights[rows], axis=1)
    levels = (np.arange(COMPONENTS) + rng.random((len(rows), 1))) / COMPONENTS
    chosen = np.stack([np.searchsorted(c, level) for c, level in zip(cumulated, levels, strict=True)])
    chosen = np.minimum(chosen, rtd.n_components - 1)
    return loc[rows[:, None], chosen], scale[rows[:, None], chosen]
