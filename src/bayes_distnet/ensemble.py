"""Networks fitted to runs: from features and observations to weight draws, and from those to distributions.

Several members train side by side, member j without the instances of fold j: their disagreement is part of what the
model does not know, and every instance gets an honest prediction from a network that has not seen it. Fitting uses
JAX; predicting is plain NumPy in float64, so a loaded model answers at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.distribution import RuntimeDistribution
from bayes_distnet.families import Family, Normal, get_family
from bayes_distnet.marginal import censored_maximum_likelihood
from bayes_distnet.pooling import pool_weights, run_scores
from bayes_distnet.network import Architecture, Norm, forward, padded_size, prior_scales
from bayes_distnet.runs import Observations
from bayes_distnet.scaling import RankGauss, Standard
from bayes_distnet.storage import Arrays, with_prefix, without_prefix

if TYPE_CHECKING:
    from bayes_distnet.training import Plan, Trained, TrainingData

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

HISTORY = ("step", "training_loss", "held_out_loss")
FOLDS = 5
FULL_BATCH, BATCH = 512, 256
CHUNK = 50
LEAST_STEPS = 500
INITIAL_SIGMA = 0.05
LEAST_FINISHED = 0.2
PREDICTION_BLOCK = 2048
RUNTIME_DRAWS = 64
PUBLISHED_EPOCHS, PUBLISHED_BATCH, PUBLISHED_PATIENCE, PUBLISHED_KL = 250, 32, 20, 0.1


@dataclass(frozen=True)
class Settings:
    """How networks are built and trained. `published` is the setting of the paper's own runs."""

    family: str = "lognormal"
    output: str = "parameters"
    bayesian: bool = True
    published: bool = False
    hidden: tuple[int, ...] = (16, 16)
    members: int = 5  # for each KL weight
    draws: int = 16
    steps: int | None = None
    learning_rate: float = 2e-2
    kl_weights: tuple[float, ...] = (0.5, 0.05)
    patience: int | None = None
    progress: bool | None = None

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
            activation="softplus" if self.published and self.bayesian else "tanh",
            skip=not self.published,
            batch_norm=self.published,
        )


@dataclass(frozen=True)
class Ensemble:
    """Fitted networks: weight draws of every member, and the scales of features and time."""

    settings: Settings
    architecture: Architecture
    scaler: RankGauss | Standard
    center: float
    spread: float
    weights: FloatArray  # (members, draws, weights): all members of the first KL weight, then of the next
    pool: FloatArray  # share of every KL weight in the mixture
    norm: dict[str, FloatArray]  # batch normalisation, one row a member; empty without
    fold: IntArray  # the fold of every training instance
    history: list[dict[str, float]]

    def raw(self, features: FloatArray, members: IntArray | None = None) -> FloatArray:
        """Raw outputs, (members, draws, rows, outputs), of all members or of some."""
        x = self.scaler.transform(features)
        x = np.pad(x, ((0, 0), (0, self.architecture.n_inputs - x.shape[1])))
        chosen = np.arange(len(self.weights)) if members is None else members
        out = np.empty((len(chosen), self.weights.shape[1], len(x), self.architecture.n_outputs))
        for start in range(0, len(x), PREDICTION_BLOCK):
            block = slice(start, start + PREDICTION_BLOCK)
            for i, m in enumerate(chosen):
                out[i, :, block] = forward(self.architecture, self.weights[m], x[block], self._norm(m))[0]
        return out

    def to_arrays(self) -> Arrays:
        """All that `from_arrays` needs beside the settings."""
        own: Arrays = {
            "weights": self.weights.astype(np.float32),  # they are float32 numbers: nothing is lost
            "pool": self.pool,
            "fold": self.fold,
            "scale": np.array([self.center, self.spread]),
            "history": np.array([list(row.values()) for row in self.history]),
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
        center, spread = map(float, arrays["scale"])
        norm = {name: array for name, array in arrays.items() if name.startswith("norm_")}
        history = [dict(zip(HISTORY, map(float, row), strict=True)) for row in arrays["history"]]
        return cls(settings, architecture, scaler, center, spread, weights, arrays["pool"], norm, arrays["fold"], history)

    def _norm(self, member: int) -> Norm | None:
        if not self.norm:
            return None
        return Norm(*(self.norm[f"norm_{name}"][member] for name in ("scale", "shift", "mean", "variance")))

    def distribution(self, features: FloatArray) -> RuntimeDistribution:
        """Predict every row by all members."""
        return self._mixture(self.raw(features))

    def out_of_fold(self, features: FloatArray) -> RuntimeDistribution:
        """Predict the training instances, each by the members that have not seen it."""
        parts, rows = [], []
        for fold in range(self.settings.members):
            mine = np.flatnonzero(self.fold == fold)
            unseen = np.arange(fold, len(self.weights), self.settings.members)
            parts.append(self._mixture(self.raw(features[mine], unseen)))
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


def _kernels(runtimes: FloatArray) -> Normal:
    """Return the published predictive density: a Gaussian kernel estimate over the predicted runtimes."""
    width = runtimes.std(axis=1, ddof=1, keepdims=True) * runtimes.shape[1] ** (-1 / 5)
    return Normal(runtimes, np.maximum(np.broadcast_to(width, runtimes.shape), 1e-12 * np.abs(runtimes) + 1e-300))


def fit_ensemble(
    features: FloatArray, observations: Observations, settings: Settings, seed: int
) -> Ensemble:
    """Train networks on one feature row an instance and the runs of all instances."""
    from bayes_distnet import training  # JAX: only fitting pays for it

    rng = np.random.default_rng(seed)
    scaler = settings.scaler.fit(features)
    x = scaler.transform(features)
    if settings.published:
        center, spread = math.log(observations.seconds.max()), 1.0
    else:  # the networks work relative to one lognormal for all runs
        marginal = censored_maximum_likelihood("lognormal", observations.seconds, observations.finished)
        center, spread = float(marginal.loc), float(marginal.scale)
    fold = _folds(observations.n_instances, settings, rng)
    data, row_instance = _training_data(
        x, observations, center, settings.n_inputs(x.shape[1]), per_run=settings.published
    )
    fold_of_member = np.tile(np.arange(settings.members), len(settings.kl_weights))
    rows_of = [np.flatnonzero(fold[row_instance] != mine) for mine in fold_of_member]
    held_out = [np.flatnonzero(fold[row_instance] == mine) for mine in fold_of_member]
    architecture = settings.architecture(data.features.shape[1])
    objective = training.Objective(
        architecture=architecture,
        family=settings.family,
        output=settings.output,
        bayesian=settings.bayesian,
        local=not settings.published,
        prior="scale-mixture" if settings.published else "gaussian",
        draws=settings.draws if settings.published or settings.output == "runtimes" else 1,
        published=settings.published,
    )
    runs_seen = sum(float(data.present[rows].sum()) for rows in rows_of) / len(rows_of)
    plan = _plan(settings, architecture, x.shape[1], rows_of, runs_seen, observations.finished_share, spread)
    initial = _initial(architecture, settings, plan, rng)
    trained = training.train(
        objective, data, plan, initial, rows_of, held_out, int(rng.integers(2**31)), settings.progress
    )
    groups = len(settings.kl_weights)
    ensemble = Ensemble(
        settings=settings,
        architecture=architecture,
        scaler=scaler,
        center=center,
        spread=spread,
        weights=_draw_weights(trained, settings, rng),
        pool=np.full(groups, 1.0 / groups),
        norm=trained.norm,
        fold=fold,
        history=trained.history,
    )
    if groups == 1:
        return ensemble
    alone = [replace(ensemble, pool=one).out_of_fold(features) for one in np.eye(groups)]
    return replace(ensemble, pool=pool_weights([run_scores(rtd, observations) for rtd in alone]))


def _folds(n_instances: int, settings: Settings, rng: np.random.Generator) -> IntArray:
    """Return the fold of every instance; member j learns without fold j."""
    if settings.published:  # the last fifth of the training instances is held out
        return np.where(np.arange(n_instances) < math.ceil(0.8 * n_instances), 1, 0)
    return rng.permutation(np.arange(n_instances) % (settings.members if settings.members > 1 else FOLDS))


def _training_data(
    x: FloatArray, observations: Observations, center: float, n_inputs: int, *, per_run: bool
) -> tuple[TrainingData, IntArray]:
    """Lay the runs out as padded rows, an instance's runs side by side, and tell the instance of every row.

    Runs of one instance share their features, so side by side they share the network's work. An instance with far
    more runs than the others is spread over several rows: no padding without bound.
    """
    from bayes_distnet.training import TrainingData

    counts = observations.runs_of_each()
    most, total = int(counts.max()), len(observations.seconds)
    width = most if observations.n_instances * most <= 4 * total else math.ceil(2 * total / observations.n_instances)
    width = 1 if per_run else width
    order = np.argsort(observations.instance, kind="stable")
    instance = observations.instance[order]
    position = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    rows_each = -(-counts // width)
    row = (np.cumsum(rows_each) - rows_each)[instance] + position // width
    n_rows = int(rows_each.sum())
    shape = (padded_size(n_rows, 64), 1 if width == 1 else padded_size(width, 2))
    times, finished, present = np.ones(shape), np.zeros(shape, bool), np.zeros(shape)
    at = (row, position % width)
    times[at] = observations.seconds[order] / math.exp(center)
    finished[at], present[at] = observations.finished[order], 1.0
    row_instance = np.repeat(np.arange(observations.n_instances), rows_each)
    padded = np.zeros((shape[0], n_inputs))
    padded[:n_rows, : x.shape[1]] = x[row_instance]
    data = TrainingData(padded.astype(np.float32), times.astype(np.float32), finished, present.astype(np.float32))
    return data, row_instance


def _plan(
    settings: Settings,
    architecture: Architecture,
    n_features: int,
    rows_of: list[IntArray],
    runs_seen: float,
    finished_share: float,
    spread: float,
) -> Plan:
    from bayes_distnet.training import Plan, cosine_rates

    most = max(len(rows) for rows in rows_of)
    prior, mask = prior_scales(architecture, n_features)
    if settings.published:
        batch = min(PUBLISHED_BATCH, most)
        per_epoch = max(most // batch, 1)
        epoch = np.repeat(np.arange(PUBLISHED_EPOCHS), per_epoch)
        return Plan(
            rates=(1e-3 * 0.01 ** (epoch / 500)).astype(np.float32),
            chunk=per_epoch,
            batch=batch,
            spread=spread,
            kl_weights=np.array([PUBLISHED_KL / per_epoch]),
            prior=prior,
            mask=mask,
            patience=None if settings.bayesian else PUBLISHED_PATIENCE,
        )
    steps = settings.steps or round(LEAST_STEPS * math.sqrt(max(1.0, most / FULL_BATCH)))
    per_run = 1.0 / max(finished_share, LEAST_FINISHED) / max(runs_seen, 1.0)
    return Plan(
        rates=cosine_rates(steps, settings.learning_rate),
        chunk=CHUNK,
        batch=padded_size(most, 64) if most <= FULL_BATCH else BATCH,
        spread=spread,
        kl_weights=np.repeat(settings.kl_weights, settings.members) * per_run,
        prior=prior,
        mask=mask,
        patience=settings.patience,
    )


def _initial(
    architecture: Architecture, settings: Settings, plan: Plan, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Starting parameters, one row a member."""
    members = settings.members * len(settings.kl_weights)
    shape, units = (members, architecture.n_weights), (members, sum(architecture.hidden))
    norm = {"norm_scale": np.ones(units), "norm_shift": np.zeros(units)} if architecture.batch_norm else {}
    if settings.published and settings.bayesian:
        return {"mu": rng.normal(0.0, 0.1, shape), "rho": rng.normal(-3.0, 0.1, shape)} | norm
    if settings.published:
        fan_in = {name: size[0] for name, size in architecture.layout}
        reach = {n: np.full(s, fan_in[n.replace("b", "w")] ** -0.5) for n, s in architecture.layout}
        return {"mu": rng.uniform(-1.0, 1.0, shape) * architecture.flatten(reach)} | norm
    start = {name: np.zeros(size) for name, size in architecture.layout}
    start |= {n: np.ones(s) for n, s in architecture.layout if n[0] == "w" and n[1:].isdigit()}
    mu = rng.normal(size=shape) * plan.prior * plan.mask * architecture.flatten(start)
    if not settings.bayesian:
        return {"mu": mu}
    sigma = {name: np.full(size, INITIAL_SIGMA) for name, size in architecture.layout}
    if settings.output == "runtimes":
        # The spread of the draws is the predicted distribution: start as wide as the runs are.
        sigma["b_out"][:] = 1.0
    rho = np.log(np.expm1(architecture.flatten(sigma)))
    return {"mu": mu, "rho": np.broadcast_to(rho, shape)}


def _draw_weights(trained: Trained, settings: Settings, rng: np.random.Generator) -> FloatArray:
    if trained.sigma is None:
        return trained.mu[:, None]
    draws = settings.draws if settings.published or settings.output == "parameters" else RUNTIME_DRAWS
    noise = rng.normal(size=(len(trained.mu), draws, trained.mu.shape[1]))
    drawn = trained.mu[:, None] + trained.sigma[:, None] * noise
    return drawn.astype(np.float32).astype(np.float64)
