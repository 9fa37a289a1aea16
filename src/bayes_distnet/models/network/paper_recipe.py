"""The recipe of the published runs of DistNet and Bayes DistNet, setting by setting.

A fixed number of epochs at small, clipped steps does not converge on little data: the recipe is here to be compared
with, not to be used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.splits import published_training_part
from bayes_distnet.distributions.kernel_estimate import KernelEstimate
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.network.architecture import Architecture, prior_scales
from bayes_distnet.models.network.default_recipe import by_row
from bayes_distnet.models.network.links import Link, PublishedLink
from bayes_distnet.models.network.objective import Objective, Plan
from bayes_distnet.models.network.recipe import Networks, Recipe
from bayes_distnet.models.scaling import RankGauss, Standard

EPOCHS, BATCH, PATIENCE, DRAWS = 250, 32, 20, 16
FIRST_RATE, DECAY, DECAY_EPOCHS = 1e-3, 0.01, 500  # the learning rate falls to 1e-5 over 500 epochs


@dataclass(frozen=True)
class PaperRecipe(Recipe):
    """One network, standardised features, batch normalisation, momentum; `bayes` and `distnet` are its two forms."""

    scaler: ClassVar[type[RankGauss] | type[Standard]] = Standard
    link: ClassVar[Link] = PublishedLink()
    one_run_per_row: ClassVar[bool] = True

    @property
    def screens_features(self) -> bool:
        """The published networks take features as they are."""
        return False

    @classmethod
    def bayes(cls, family: str, verbose: bool | None) -> PaperRecipe:
        """Return the recipe of Bayes DistNet: one runtime per weight draw, KL weight 0.1."""
        return cls(family, "runtimes", n_members=1, n_draws=DRAWS, kl_weights=(0.1,), verbose=verbose)

    @classmethod
    def distnet(cls, family: str, verbose: bool | None) -> PaperRecipe:
        """Return the recipe of DistNet: plain weights, stopped early."""
        return cls(family, bayesian=False, n_members=1, kl_weights=(0.0,), verbose=verbose)

    def __post_init__(self) -> None:
        _ = self.kind

    @property
    def learns_tail(self) -> bool:
        """The published predictions end as their family does."""
        return False

    def n_inputs(self, n_features: int) -> int:
        """Return one input per feature."""
        return max(n_features, 1)

    def architecture(self, n_inputs: int) -> Architecture:
        """Return two hidden layers of 16 units with batch normalisation."""
        return Architecture(
            n_inputs=n_inputs,
            n_outputs=self.n_outputs,
            hidden=self.hidden_layer_sizes,
            activation="softplus" if self.bayesian else "tanh",
            skip=False,
            batch_norm=True,
        )

    def time_scale(self, observations: Observations) -> tuple[float, float]:
        """Return the longest training run as the unit of time."""
        return math.log(observations.seconds.max()), 1.0

    def folds(self, n_instances: int, rng: np.random.Generator) -> IntArray:
        """Hold out the last fifth of the training instances."""
        return np.where(np.arange(n_instances) < published_training_part(n_instances), 1, 0)

    def objective(self, architecture: Architecture, n_rows: int) -> Objective:
        """Return the summed log likelihood with noise per weight and a scale-mixture prior."""
        return Objective(
            architecture=architecture,
            family=self.family,
            link=self.link,
            output=self.output,
            bayesian=self.bayesian,
            local=False,
            prior="scale-mixture",
            draws=1 if self.output == "parameters" else DRAWS,
            reduction="sum",
            optimiser="momentum",
        )

    def plan(self, architecture: Architecture, n_features: int, n_rows: int, evidence: float, spread: float) -> Plan:
        """Return 250 epochs in batches of 32; the KL term is divided by the number of batches."""
        prior, mask = prior_scales(architecture, n_features)
        batch = min(BATCH, n_rows)
        per_epoch = max(n_rows // batch, 1)
        epoch = np.repeat(np.arange(EPOCHS), per_epoch)
        return Plan(
            rates=(FIRST_RATE * DECAY ** (epoch / DECAY_EPOCHS)).astype(np.float32),
            chunk=per_epoch,
            batch=batch,
            spread=spread,
            kl_weights=np.array(self.kl_weights) / per_epoch,
            prior=prior,
            mask=mask,
            patience=None if self.bayesian else PATIENCE,
        )

    def initial(self, architecture: Architecture, plan: Plan, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Draw mu from N(0, 0.1^2) and rho from N(-3, 0.1^2); plain weights uniformly, by their fan-in."""
        shape, units = (1, architecture.n_weights), (1, sum(architecture.hidden))
        norm = {"norm_scale": np.ones(units), "norm_shift": np.zeros(units)}
        if self.bayesian:
            return {"mu": rng.normal(0.0, 0.1, shape), "rho": rng.normal(-3.0, 0.1, shape)} | norm
        fan_in = {name: size[0] for name, size in architecture.layout}
        reach = {n: np.full(s, fan_in[n.replace("b", "w")] ** -0.5) for n, s in architecture.layout}
        return {"mu": rng.uniform(-1.0, 1.0, shape) * architecture.flatten(reach)} | norm

    def noise(self, shape: tuple[int, int, int], rng: np.random.Generator) -> FloatArray:
        """Return plain noise."""
        return rng.normal(size=shape)

    def predict(self, networks: Networks, x: FloatArray, distance: FloatArray) -> PredictedRuntimes:
        """Return the predicted family, or a Gaussian kernel estimate over the predicted runtimes."""
        if self.output == "parameters":
            return networks.network(x)
        runtimes = self.link.runtimes(by_row(networks.raw(x))[..., 0], networks.center, networks.spread)
        return KernelEstimate(runtimes, _scott_width(runtimes))

    def mixture(self, networks: Networks, raw: FloatArray) -> RuntimeDistribution:
        """Return the predicted family: there is one member with one draw."""
        return RuntimeDistribution(self.link.parameters(self.kind, by_row(raw), networks.center, networks.spread))


def _scott_width(runtimes: FloatArray) -> FloatArray:
    """Return the width of the published kernels: Scott's rule, per row."""
    width = runtimes.std(axis=1, ddof=1) * runtimes.shape[1] ** (-1 / 5)
    return np.asarray(np.maximum(width, 1e-12 * np.abs(runtimes).max(axis=1) + 1e-300))
