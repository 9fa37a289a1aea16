"""Fitted networks and their predictions, in plain NumPy and float64."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.distributions.families import Family, get_family
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.network.architecture import Architecture, Norm, forward
from bayes_distnet.models.network.extrapolation import DOUBT, FAR, FAR_LOCATIONS, distance, open_ended
from bayes_distnet.models.network.settings import Settings
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.scaling import RankGauss, Standard

HISTORY = ("step", "kl_weight", "training_loss", "held_out_loss")


PREDICTION_BLOCK = 128  # rows at a time: what a layer makes of them stays in the processor's cache


@dataclass(frozen=True)
class Ensemble:
    """Fitted networks: weight draws of every member, and the scales of features and time."""

    settings: Settings
    architecture: Architecture
    scaler: RankGauss | Standard
    center: float
    spread: float
    reach: float  # how far the training data reach, see `distance`
    horizon: float  # the longest time that was observed, if runs were cut off; else infinity
    weights: FloatArray  # (members, draws, weights): all members of the first KL weight, then of the next
    pool: FloatArray  # share in the mixture of every KL weight that was kept
    norm: dict[str, FloatArray]  # batch normalisation, one row a member; empty without
    fold: IntArray  # the fold of every training instance
    history: FloatArray  # columns HISTORY

    def inputs(self, features: FloatArray) -> FloatArray:
        """Scale features: what the other methods take."""
        return self.scaler.transform(features)

    def raw(self, x: FloatArray, members: IntArray | None = None) -> FloatArray:
        """Raw outputs, (members, draws, rows, outputs), of all members or of some."""
        padded = np.pad(x, ((0, 0), (0, self.architecture.n_inputs - x.shape[1])))
        chosen = np.arange(len(self.weights)) if members is None else members
        out = np.empty((len(chosen), self.weights.shape[1], len(x), self.architecture.n_outputs))

        for start in range(0, len(x), PREDICTION_BLOCK):
            rows = slice(start, start + PREDICTION_BLOCK)
            for i, m in enumerate(chosen):
                out[i, :, rows] = forward(self.architecture, self.weights[m], padded[rows], self._norm(m))[0]
        return out

    def to_arrays(self) -> Arrays:
        """All that `from_arrays` needs beside the settings."""
        own: Arrays = {
            "weights": self.weights.astype(np.float32),  # they are float32 numbers: nothing is lost
            "pool": self.pool,
            "fold": self.fold,
            "scale": np.array([self.center, self.spread, self.reach, self.horizon]),
            "history": self.history,
        }
        return own | self.norm | with_prefix("scaler", vars(self.scaler))

    @classmethod
    def from_arrays(cls, arrays: Arrays, settings: Settings) -> Self:
        """Rebuild what `to_arrays` wrote."""
        scaler = settings.scaler(**without_prefix("scaler", arrays))
        weights = arrays["weights"].astype(np.float64)
        n_inputs = settings.n_inputs(len(scaler.keep))
        architecture = settings.architecture(n_inputs)
        if weights.ndim != 3 or weights.shape[2] != architecture.n_weights:
            raise ValueError(f"weights of shape {weights.shape} for a network of {architecture.n_weights} weights")
        center, spread, reach, horizon = map(float, arrays["scale"])
        norm = {name: array for name, array in arrays.items() if name.startswith("norm_")}
        return cls(
            settings=settings,
            architecture=architecture,
            scaler=scaler,
            center=center,
            spread=spread,
            reach=reach,
            horizon=horizon,
            weights=weights,
            pool=arrays["pool"],
            norm=norm,
            fold=arrays["fold"],
            history=arrays["history"],
        )

    def _norm(self, member: int) -> Norm | None:
        if not self.norm:
            return None
        return Norm(*(self.norm[f"norm_{name}"][member] for name in ("scale", "shift", "mean", "variance")))

    def distribution(self, x: FloatArray) -> PredictedRuntimes:
        """Predict every row by all members, unsure where it lies far from the training data."""
        if self.settings.published and self.settings.output == "runtimes":
            return self._kernels(self.raw(x))
        plain = self.settings.published or not self.settings.bayesian
        return self.network(x) if plain else self.gated(self.network(x), x)

    def network(self, x: FloatArray) -> RuntimeDistribution:
        """Predict every row by all members, wherever it lies."""
        return self._mixture(self.raw(x))

    def gated(self, rtd: RuntimeDistribution, x: FloatArray, doubt: float = DOUBT) -> RuntimeDistribution:
        """Return a prediction of these rows that gives way to a wide law where nothing is known.

        That is, for one, far from the training data. Weight draws alone extrapolate the location along a line: all
        features far below the training data would give a tiny runtime, and an interquartile range in seconds that is
        tinier still. Out there, nothing is known but of what order runtimes have been so far. And it is, for another,
        the share of a prediction that lies past all times that were observed: no run has ever tested it, and a part of
        it, `doubt`, goes to the wide law too.
        """
        rtd = open_ended(rtd, self.horizon, self.spread, self.settings.family)
        if self.reach == 0.0:  # no feature varies
            return rtd
        ratio = np.maximum(distance(x) / (FAR * self.reach), 1.0)
        unseen = rtd.sf(self.horizon) if np.isfinite(self.horizon) else np.zeros(len(x))
        trust = ratio**-2.0 * (1.0 - doubt * unseen)
        # Laws side by side instead of one wide one, whose tail would rule every mean.
        location = FAR_LOCATIONS * ratio[:, None] ** 0.25
        raw = np.stack([location, np.zeros_like(location)], axis=-1)
        wide = RuntimeDistribution(get_family(self.settings.family).from_raw(raw, self.center, self.spread))
        return RuntimeDistribution.mixture([(rtd, trust), (wide, 1.0 - trust)])

    def out_of_fold(self, x: FloatArray) -> RuntimeDistribution:
        """Predict the training instances, each by the members that have not seen it."""
        parts, rows = [], []
        for fold in range(self.settings.n_members):
            mine = np.flatnonzero(self.fold == fold)
            if not mine.size:  # fewer instances than members
                continue
            unseen = np.arange(fold, len(self.weights), self.settings.n_members)
            parts.append(self._mixture(self.raw(x[mine], unseen)))
            rows.append(mine)
        return RuntimeDistribution.concat(parts)[np.argsort(np.concatenate(rows))]

    def _mixture(self, raw: FloatArray) -> RuntimeDistribution:
        components = self._family(raw)
        size = np.shape(components.parameters()[components.parameter_names[0]])[1]
        return RuntimeDistribution(components, np.repeat(self.pool, size // len(self.pool)))

    def _family(self, raw: FloatArray) -> Family:
        """Components (rows, components) in seconds."""
        kind, settings = get_family(self.settings.family), self.settings
        if settings.output == "runtimes":
            values = np.moveaxis(raw[..., 0], -1, 0)  # (rows, members, draws)
            return kind.from_samples(np.exp(self.center + self.spread * values), axis=-1)
        flat = np.moveaxis(raw.reshape(-1, *raw.shape[2:]), 0, 1)  # (rows, components, outputs)
        if settings.published:
            return kind.from_log_parameters(flat).scaled(math.exp(self.center))
        return kind.from_raw(flat, self.center, self.spread)

    def _kernels(self, raw: FloatArray) -> KernelEstimate:
        """Return the published predictive density: a Gaussian kernel estimate over the predicted runtimes."""
        values = np.moveaxis(raw[..., 0], -1, 0)  # (rows, members, draws)
        runtimes = np.logaddexp(values, 0.0).reshape(len(values), -1) * math.exp(self.center)
        width = runtimes.std(axis=1, ddof=1) * runtimes.shape[1] ** (-1 / 5)
        return KernelEstimate(runtimes, np.maximum(width, 1e-12 * runtimes.max(axis=1) + 1e-300))
