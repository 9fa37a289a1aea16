"""Fitted networks and their predictions, in plain NumPy and float64: a loaded model answers at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.network.architecture import Architecture, Norm, forward
from bayes_distnet.models.network.extrapolation import Extrapolation
from bayes_distnet.models.network.open_tail import OpenTail
from bayes_distnet.models.network.recipe import Recipe
from bayes_distnet.models.network.stacked import BLOCK, StackedNetworks
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.scaling import RankGauss, Standard

HISTORY = ("step", "kl_weight", "training_loss", "held_out_loss")


@dataclass(frozen=True)
class Ensemble:
    """Fitted networks: weight draws of every member, and the scales of features and time.

    Parameters
    ----------
    recipe : Recipe
        How the networks were built and how their outputs are read.
    architecture : Architecture
        Shape of the networks.
    scaler : RankGauss or Standard
        Fitted scaling of features.
    center, spread : float
        Scale of log time.
    reach, horizon : float
        Range of the training data, see `Extrapolation`.
    tail : OpenTail
        How far runs go past the horizon.
    weights : array
        (members, draws, weights): all members of the first KL weight, then of the next.
    pool : array
        Weight in the mixture of every KL weight that was kept.
    norm : dict
        Batch normalisation, one row per member; empty without.
    fold : array
        Fold of every training instance.
    history : array
        Columns `HISTORY`.
    """

    recipe: Recipe
    architecture: Architecture
    scaler: RankGauss | Standard
    center: float
    spread: float
    reach: float
    horizon: float
    tail: OpenTail
    weights: FloatArray
    pool: FloatArray
    norm: dict[str, FloatArray]
    fold: IntArray
    history: FloatArray

    @property
    def extrapolation(self) -> Extrapolation:
        """Predictions past the training data."""
        return Extrapolation(self.recipe.family, self.center, self.spread, self.reach, self.horizon, self.tail)

    @property
    def n_steps(self) -> int:
        """Number of training steps."""
        return int(self.history[:, HISTORY.index("step")].max())

    def inputs(self, features: FloatArray) -> FloatArray:
        """Scale features: the other methods take the result."""
        return self.scaler.transform(features)

    def raw(self, x: FloatArray, members: IntArray | None = None) -> FloatArray:
        """Return raw outputs, (members, draws, rows, outputs), of all members or of some."""
        padded, draws = self._padded(x), self.weights.shape[1]
        chosen = np.arange(len(self.weights)) if members is None else members
        out = np.empty((len(chosen), draws, self.architecture.n_outputs, len(x)))
        if not self.norm:
            for rows, block in self._stacked(members).blocks(padded):
                out[..., rows] = block
            return out.swapaxes(2, 3)
        for start in range(0, len(x), BLOCK):
            rows = slice(start, start + BLOCK)
            for i, m in enumerate(chosen):
                block = forward(self.architecture, self.weights[m], padded[rows], self._norm(m))[0]
                out[i, ..., rows] = block.swapaxes(1, 2)
        return out.swapaxes(2, 3)

    def blocks(self, x: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """Yield some rows at a time and their raw outputs, (members, draws, outputs, rows), of all members."""
        return self._stacked(None).blocks(self._padded(x))

    @cached_property
    def _all(self) -> StackedNetworks:
        return StackedNetworks.of(self.architecture, self.weights)

    def _stacked(self, members: IntArray | None) -> StackedNetworks:
        return self._all if members is None else StackedNetworks.of(self.architecture, self.weights[members])

    def _padded(self, x: FloatArray) -> FloatArray:
        return np.pad(x, ((0, 0), (0, self.architecture.n_inputs - x.shape[1])))

    def distribution(self, x: FloatArray, distance: FloatArray) -> PredictedRuntimes:
        """Predict every row by all members, as the recipe does at a distance (n,) from the training data."""
        return self.recipe.predict(self, x, distance)

    def network(self, x: FloatArray) -> RuntimeDistribution:
        """Predict every row by all members, wherever it lies."""
        return self.recipe.mixture(self, self.raw(x))

    def out_of_fold(self, x: FloatArray) -> RuntimeDistribution:
        """Predict the training instances, each by the members that have not seen it."""
        parts, rows = [], []
        for fold in range(self.recipe.n_members):
            mine = np.flatnonzero(self.fold == fold)
            if not mine.size:  # fewer instances than members
                continue
            unseen = np.arange(fold, len(self.weights), self.recipe.n_members)
            parts.append(self.recipe.mixture(self, self.raw(x[mine], unseen)))
            rows.append(mine)
        return RuntimeDistribution.concat(parts)[np.argsort(np.concatenate(rows))]

    def to_arrays(self) -> Arrays:
        """Return everything that `from_arrays` needs beside the recipe."""
        own: Arrays = {
            "weights": self.weights.astype(np.float32),  # they are float32 numbers: nothing is lost
            "pool": self.pool,
            "fold": self.fold,
            "scale": np.array([self.center, self.spread, self.reach, self.horizon]),
            "history": self.history,
            "tail": self.tail.weights,
        }
        return own | self.norm | with_prefix("scaler", vars(self.scaler))

    @classmethod
    def from_arrays(cls, arrays: Arrays, recipe: Recipe) -> Self:
        """Restore an ensemble from the result of `to_arrays`."""
        scaler = recipe.scaler(**without_prefix("scaler", arrays))
        weights = arrays["weights"].astype(np.float64)
        architecture = recipe.architecture(recipe.n_inputs(len(scaler.keep)))
        if weights.ndim != 3 or weights.shape[2] != architecture.n_weights:
            raise ValueError(f"weights of shape {weights.shape} for a network of {architecture.n_weights} weights")
        center, spread, reach, horizon = map(float, arrays["scale"])
        return cls(
            recipe=recipe,
            architecture=architecture,
            scaler=scaler,
            center=center,
            spread=spread,
            reach=reach,
            horizon=horizon,
            tail=OpenTail(arrays["tail"]),
            weights=weights,
            pool=arrays["pool"],
            norm={name: array for name, array in arrays.items() if name.startswith("norm_")},
            fold=arrays["fold"],
            history=arrays["history"],
        )

    def _norm(self, member: int) -> Norm | None:
        if not self.norm:
            return None
        return Norm(*(self.norm[f"norm_{name}"][member] for name in ("scale", "shift", "mean", "variance")))
