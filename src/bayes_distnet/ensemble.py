"""Fitted networks and their predictions, in plain NumPy and float64: a loaded model answers at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError, check_at_least, check_positive, is_number
from bayes_distnet.families import Family, Normal, get_family
from bayes_distnet.network import Architecture, Norm, forward, padded_size
from bayes_distnet.scaling import RankGauss, Standard
from bayes_distnet.storage import Arrays, with_prefix, without_prefix

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

HISTORY = ("step", "kl_weight", "training_loss", "held_out_loss")
FAR = 1.5  # a row is far from here on, times how far the training data reach
KL_WEIGHTS = {
    "parameters": (1.5, 0.3, 0.04, 0.005),
    "runtimes": (4.5, 0.9, 0.12, 0.015),  # the spread of the draws is to be that of the runs: it wants more holding
}
DOUBT = 0.05  # of what lies past every observed time
OPEN_SHARE = 0.3  # of what lies past every observed time: dearer if the tail is lognormal, safer if it is not
OPEN_SPREAD = 1.0  # of log time, at least: runtimes of one solver differ by factors of e, whatever the cutoff let show
MOST_CERTAIN = 0.98  # of getting, or of not getting, past every observed time
FAR_LOCATIONS = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])  # of the law out there, in spreads of all runs
PREDICTION_BLOCK = 128  # rows at a time: what a layer makes of them stays in the processor's cache


@dataclass(frozen=True)
class Settings:
    """How networks are built and trained. `published` is the setting of the paper's own runs."""

    family: str = "lognormal"
    output: str = "parameters"
    bayesian: bool = True
    published: bool = False
    hidden: tuple[int, ...] = (16, 16)
    members: int = 5  # for each KL weight
    draws: int = 6
    steps: int | None = None
    learning_rate: float = 2e-2
    kl_weights: tuple[float, ...] = KL_WEIGHTS["parameters"]
    patience: int | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        get_family(self.family)
        for name in ("members", "draws"):
            check_at_least(name, getattr(self, name), 1)
        for name in ("steps", "patience"):
            if getattr(self, name) is not None:
                check_at_least(name, getattr(self, name), 1)
        if not isinstance(self.hidden, tuple) or not self.hidden:
            raise SettingError(f"hidden={self.hidden!r}: expected the units of each hidden layer: (16, 16), say.")
        for units in self.hidden:
            check_at_least("hidden", units, 1)
        check_positive("learning_rate", self.learning_rate)
        weights = self.kl_weights
        listed = isinstance(weights, tuple) and len(weights) > 0
        if not listed or not all(is_number(weight) and 0 <= weight < math.inf for weight in weights):
            raise SettingError(f"kl_weights={weights!r}: expected numbers of at least 0, such as (0.5, 0.05).")
        if len(weights) > 1 and self.members < 2:
            raise SettingError("members=1: KL weights are pooled by unseen instances; take 2 members or more.")

    @property
    def scaler(self) -> type[RankGauss] | type[Standard]:
        """How features become inputs."""
        return Standard if self.published else RankGauss

    def n_inputs(self, n_features: int) -> int:
        """Inputs of a network for so many scaled features: padded, so that similar data share a compiled program."""
        return max(n_features, 1) if self.published else padded_size(n_features, least=16)

    def architecture(self, n_inputs: int) -> Architecture:
        """Return the network's shape."""
        return Architecture(
            n_inputs=n_inputs,
            n_outputs=1 if self.output == "runtimes" else get_family(self.family).n_raw,
            hidden=self.hidden,
            activation=self._activation(),
            skip=not self.published,
            batch_norm=self.published,
        )

    def _activation(self) -> str:
        if not self.bayesian:
            return "tanh"
        # The noise of a weight counts times its unit, so with units around zero the outputs tend to spread as much on
        # one side of the middle as on the other. Units that are never negative let the spread grow from end to end.
        return "softplus" if self.published else "raised-tanh"


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

    def distribution(self, x: FloatArray) -> RuntimeDistribution:
        """Predict every row by all members, unsure where it lies far from the training data."""
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
        for fold in range(self.settings.members):
            mine = np.flatnonzero(self.fold == fold)
            if not mine.size:  # fewer instances than members
                continue
            unseen = np.arange(fold, len(self.weights), self.settings.members)
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
            if settings.published:
                return _kernels(np.logaddexp(values, 0.0).reshape(len(values), -1) * math.exp(self.center))
            return kind.from_samples(np.exp(self.center + self.spread * values), axis=-1)
        flat = np.moveaxis(raw.reshape(-1, *raw.shape[2:]), 0, 1)  # (rows, components, outputs)
        if settings.published:
            return kind.from_log_parameters(flat).scaled(math.exp(self.center))
        return kind.from_raw(flat, self.center, self.spread)


def open_ended(rtd: RuntimeDistribution, horizon: float, spread: float, family: str) -> RuntimeDistribution:
    """Hold the probability of passing the longest observed time, but leave open how far past it runs go.

    Runs that were cut off test that probability, and nothing tests the tail behind it: a cutoff close to the fastest
    runs shows a narrow law where slow ones take many times as long. So a part of the untested share goes to a law that
    passes the horizon with the same probability and is as wide as all runs together, or as runtimes usually are.
    """
    if not np.isfinite(horizon):
        return rtd
    passing = rtd.sf(horizon)
    kind = get_family(family)
    wide = kind.from_raw(np.zeros((1, kind.n_raw)), 0.0, max(spread, OPEN_SPREAD))
    reached = wide.quantile(1.0 - np.clip(passing, 1.0 - MOST_CERTAIN, MOST_CERTAIN))
    other = RuntimeDistribution(wide.scaled((horizon / reached)[:, None]))
    return RuntimeDistribution.mixture([(rtd, 1.0 - OPEN_SHARE * passing), (other, OPEN_SHARE * passing)])


def distance(x: FloatArray) -> FloatArray:
    """How far rows lie from the middle of the training data: the mean square of the scaled features."""
    return np.mean(x**2, axis=1) if x.shape[1] else np.zeros(len(x))


def _kernels(runtimes: FloatArray) -> Normal:
    """Return the published predictive density: a Gaussian kernel estimate over the predicted runtimes."""
    width = runtimes.std(axis=1, ddof=1, keepdims=True) * runtimes.shape[1] ** (-1 / 5)
    return Normal(runtimes, np.maximum(np.broadcast_to(width, runtimes.shape), 1e-12 * np.abs(runtimes) + 1e-300))
