"""The default recipe: networks that learn from few instances and from many."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import log_location_and_spread
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.models.network.architecture import Architecture, padded_size, prior_scales
from bayes_distnet.models.network.links import Link, StandardisedLink
from bayes_distnet.models.network.mixture_head import PARTS, parts_of
from bayes_distnet.models.network.objective import Objective, Plan
from bayes_distnet.models.network.recipe import Networks, Recipe
from bayes_distnet.models.network.schedule import cosine_rates
from bayes_distnet.models.scaling import RankGauss, Standard
from bayes_distnet.validation import check_at_least, check_positive, is_number

KL_WEIGHTS = {
    "parameters": (1.5, 0.3, 0.04, 0.005),
    "mixture": (1.5, 0.3, 0.04, 0.005),
    # The spread of the draws has to match that of the runs, so that it needs stronger regularisation.
    "runtimes": (4.5, 0.9, 0.12, 0.015),
}

FOLDS = 5
FULL_BATCH, BATCH = 512, 256
SMALL_BATCH = 128  # rows per step of a Bayesian network: half the time of all rows at once, the same scores
RUNTIME_BATCH = 64  # sixteen draws per row are expensive, and average out noise that more rows would average out
CHUNK = 50
LEAST_STEPS = 500
INITIAL_SIGMA = 0.01  # small: the KL term raises it at once, noisy gradients lower it only slowly
RUNTIME_DRAWS = 16
MANY_RUNTIME_DRAWS = 64  # above FULL_BATCH rows; see `DefaultRecipe.runtime_draws`


@dataclass(frozen=True)
class DefaultRecipe(Recipe):
    """Rank-scaled features, a skip connection, Adam, closed-form KL, several KL weights pooled by held-out score.

    Parameters
    ----------
    family, output, bayesian, n_members, n_draws, kl_weights, hidden_layer_sizes, verbose : as for `Recipe`
        Choices that both recipes make.
    max_iter : int or None
        Training steps; None chooses by the amount of data.
    learning_rate : float
        Peak learning rate of Adam.
    n_iter_no_change : int or None
        Evaluations on held-out instances (one per 50 steps) without a better loss before training stops; None never
        stops early.
    """

    kl_weights: tuple[float, ...] = KL_WEIGHTS["parameters"]
    max_iter: int | None = None
    learning_rate: float = 2e-2
    n_iter_no_change: int | None = None

    scaler: ClassVar[type[RankGauss] | type[Standard]] = RankGauss
    link: ClassVar[Link] = StandardisedLink()
    one_run_per_row: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _ = self.kind
        for name in ("n_members", "n_draws"):
            check_at_least(name, getattr(self, name), 1)
        for name in ("max_iter", "n_iter_no_change"):
            if getattr(self, name) is not None:
                check_at_least(name, getattr(self, name), 1)
        sizes = self.hidden_layer_sizes
        if not isinstance(sizes, tuple) or not sizes:
            raise SettingError(f"hidden_layer_sizes={sizes!r}: expected the units of each hidden layer, e.g. (16, 16).")
        for units in sizes:
            check_at_least("hidden_layer_sizes", units, 1)
        check_positive("learning_rate", self.learning_rate)
        weights = self.kl_weights
        listed = isinstance(weights, tuple) and len(weights) > 0
        if not listed or not all(is_number(weight) and 0 <= weight < math.inf for weight in weights):
            raise SettingError(f"kl_weights={weights!r}: expected numbers of at least 0, such as (0.5, 0.05).")
        if len(weights) > 1 and self.n_members < 2:
            raise SettingError(
                "n_members=1: KL weights are pooled by their scores on unseen instances; give 2 members or more."
            )

    @property
    def screens_features(self) -> bool:
        """Plain weights have no prior that features could share."""
        return self.bayesian

    @property
    def learns_tail(self) -> bool:
        """Only Bayesian networks have an open tail; one member alone has no unseen instances."""
        return self.bayesian and self.n_members > 1

    def n_inputs(self, n_features: int) -> int:
        """Return a padded number of inputs, so that similar data share a compiled program."""
        return padded_size(n_features, least=16)

    def architecture(self, n_inputs: int) -> Architecture:
        """Return two hidden layers with a skip connection."""
        # The noise of a weight counts times its unit, so that with units around zero the outputs tend to spread as much
        # on one side of the middle as on the other. Units that are never negative (raised tanh) let the spread grow
        # from one end to the other.
        return Architecture(
            n_inputs=n_inputs,
            n_outputs=self.n_outputs,
            hidden=self.hidden_layer_sizes,
            activation="raised-tanh" if self.bayesian else "tanh",
            skip=True,
            batch_norm=False,
        )

    def time_scale(self, observations: Observations) -> tuple[float, float]:
        """Return location and spread of one censored lognormal for all runs."""
        return log_location_and_spread(observations.seconds, observations.finished)

    def folds(self, n_instances: int, rng: np.random.Generator) -> IntArray:
        """Deal instances out at random, one fold per member."""
        return rng.permutation(np.arange(n_instances) % (self.n_members if self.n_members > 1 else FOLDS))

    def runtime_draws(self, n_rows: int) -> int:
        """Return the number of draws that a family is fitted to."""
        # Mean and variance of n draws vary by chance, and training compensates with a spread that is too wide, by 14 %
        # with 16 draws and 3 % with 64. With few instances that is welcome, since they leave the spread in doubt.
        return RUNTIME_DRAWS if n_rows <= FULL_BATCH else MANY_RUNTIME_DRAWS

    def objective(self, architecture: Architecture, n_rows: int) -> Objective:
        """Return the mean log likelihood with noise per unit and a Gaussian prior."""
        return Objective(
            architecture=architecture,
            family=self.family,
            link=self.link,
            output=self.output,
            bayesian=self.bayesian,
            draws=self.runtime_draws(n_rows) if self.output == "runtimes" else 1,
        )

    def plan(self, architecture: Architecture, n_features: int, n_rows: int, evidence: float, spread: float) -> Plan:
        """Return a cosine schedule whose length grows with the root of the number of rows."""
        prior, mask = prior_scales(architecture, n_features)
        steps = self.max_iter or round(LEAST_STEPS * math.sqrt(max(1.0, n_rows / FULL_BATCH)))
        return Plan(
            rates=cosine_rates(steps, self.learning_rate),
            chunk=CHUNK,
            batch=self._batch_size(n_rows),
            spread=spread,
            kl_weights=np.repeat(self.kl_weights, self.n_members) / evidence,
            prior=prior,
            mask=mask,
            patience=self.n_iter_no_change,
        )

    def _batch_size(self, n_rows: int) -> int:
        if self.output == "runtimes":
            return RUNTIME_BATCH
        if n_rows > FULL_BATCH:
            return BATCH
        whole = -(-n_rows // 64) * 64
        return min(whole, SMALL_BATCH) if self.bayesian else whole

    def initial(self, architecture: Architecture, plan: Plan, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Draw hidden weights from the prior; output weights start at zero."""
        shape = (self.n_members * len(self.kl_weights), architecture.n_weights)
        start = {name: np.zeros(size) for name, size in architecture.layout}
        start |= {n: np.ones(s) for n, s in architecture.layout if n[0] == "w" and n[1:].isdigit()}
        mu = rng.normal(size=shape) * plan.prior * plan.mask * architecture.flatten(start)
        if not self.bayesian:
            return {"mu": mu}
        sigma = {name: np.full(size, INITIAL_SIGMA) for name, size in architecture.layout}
        if self.output == "runtimes":
            # The spread of the draws is the predicted distribution: it starts as wide as the runs are.
            sigma["b_out"][:] = 1.0
        rho = np.log(np.expm1(architecture.flatten(sigma)))
        return {"mu": mu, "rho": np.broadcast_to(rho, shape)}

    def noise(self, shape: tuple[int, int, int], rng: np.random.Generator) -> FloatArray:
        """Return plain noise; for runtime outputs, stratified noise."""
        return stratified_normals(shape, rng) if self.output == "runtimes" else rng.normal(size=shape)

    def predict(self, networks: Networks, x: FloatArray, distance: FloatArray) -> RuntimeDistribution:
        """Return the mixture of all members; of Bayesian networks, one that is unsure far from the training data."""
        rtd = networks.network(x)
        if not self.bayesian:
            return rtd
        return networks.extrapolation.gated(rtd, networks.extrapolation.far(x, distance))

    def mixture(self, networks: Networks, raw: FloatArray) -> RuntimeDistribution:
        """Return one component per weight draw (with a mixture several), or per member with runtime outputs."""
        if self.output == "mixture":
            return self._mixed(networks, raw)
        if self.output == "runtimes":
            values = np.moveaxis(raw[..., 0], -1, 0)  # (rows, members, draws)
            components = self.kind.from_samples(self.link.runtimes(values, networks.center, networks.spread), axis=-1)
        else:
            components = self.link.parameters(self.kind, by_row(raw), networks.center, networks.spread)
        size = np.shape(components.parameters()[components.parameter_names[0]])[1]
        return RuntimeDistribution(components, np.repeat(networks.pool, size // len(networks.pool)))

    def _mixed(self, networks: Networks, raw: FloatArray) -> RuntimeDistribution:
        """Return the parts of all draws; those of one draw count as one draw."""
        # (members, draws, parts, rows): as `Ensemble.raw` lays rows out in memory, they are the last axis.
        log_weights, *shapes = (np.stack(each, axis=2) for each in parts_of(raw))
        members, draws, _, rows = log_weights.shape
        of_family = np.empty((self.kind.n_raw, rows, members * draws * PARTS))
        for out, values in zip(of_family, shapes, strict=False):  # some families have no spread
            out[:] = values.reshape(-1, rows).T
        components = self.link.parameters(self.kind, np.moveaxis(of_family, 0, -1), networks.center, networks.spread)
        pool = np.repeat(networks.pool, members // len(networks.pool))
        weights = np.ascontiguousarray((np.exp(log_weights) * pool[:, None, None, None]).reshape(-1, rows).T)
        return RuntimeDistribution(components, weights, np.repeat(np.arange(members * draws), PARTS))


def by_row(raw: FloatArray) -> FloatArray:
    """Return raw outputs (members, draws, rows, outputs) as (rows, members * draws, outputs)."""
    return np.moveaxis(raw.reshape(-1, *raw.shape[2:]), 0, 1)


def stratified_normals(shape: tuple[int, int, int], rng: np.random.Generator) -> FloatArray:
    """Return normals whose draws (the middle axis) fall one into each slice of equal probability, in random order.

    A family that is fitted to sixteen plain draws is off by a quarter of their deviation, by chance alone. With
    stratified draws the mean of any sum of weights is nearly exact, and so is its variance.

    Parameters
    ----------
    shape : tuple of int
        Members, draws and weights.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    array
        Standard normals of this shape.
    """
    slices = rng.permuted(np.broadcast_to(np.arange(shape[1])[:, None], shape), axis=1)
    return np.asarray(ndtri((slices + rng.uniform(size=shape)) / shape[1]))
