"""The interface of a recipe: every choice by which networks are built, trained and used.

There are two recipes. `DefaultRecipe` works on little data and is the default of the estimators; `PaperRecipe` has the
settings of the published runs. Fitting, training and prediction ask the recipe and never which one it is. A recipe
imports no JAX: a loaded model predicts without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import Family, get_family
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.network.architecture import Architecture
from bayes_distnet.models.network.extrapolation import Extrapolation
from bayes_distnet.models.network.links import Link
from bayes_distnet.models.network.mixture_head import N_OUTPUTS
from bayes_distnet.models.network.objective import Objective, Plan, Trained
from bayes_distnet.models.scaling import RankGauss, Standard


class Networks(Protocol):
    """Fitted networks, as far as a recipe reads their outputs; `Ensemble` has this form."""

    @property
    def center(self) -> float:
        """Location of log time."""
        ...

    @property
    def spread(self) -> float:
        """Spread of log time."""
        ...

    @property
    def pool(self) -> FloatArray:
        """Weight in the mixture of every KL weight."""
        ...

    @property
    def extrapolation(self) -> Extrapolation:
        """Predictions past the training data."""
        ...

    def raw(self, x: FloatArray) -> FloatArray:
        """Return raw outputs, (members, draws, rows, outputs)."""
        ...

    def network(self, x: FloatArray) -> RuntimeDistribution:
        """Predict every row by all members, wherever it lies."""
        ...


@dataclass(frozen=True)
class Recipe(ABC):
    """Choices that both recipes make.

    Parameters
    ----------
    family : str
        Family of the predicted distributions.
    output : str
        "parameters" of the family, a "mixture" of some of its members, or "runtimes" to which the family is fitted.
    bayesian : bool
        Whether weights have distributions.
    n_members : int
        Networks per KL weight, each trained without one fold.
    n_draws : int
        Weight draws per member in prediction, with parameter outputs.
    kl_weights : tuple of float
        Weights of the KL term; networks are trained for each.
    hidden_layer_sizes : tuple of int
        Units of the hidden layers.
    verbose : bool or None
        Whether a progress bar is shown; None shows it on a terminal only.
    """

    family: str = "lognormal"
    output: str = "parameters"
    bayesian: bool = True
    n_members: int = 5
    n_draws: int = 6
    kl_weights: tuple[float, ...] = (1.0,)
    hidden_layer_sizes: tuple[int, ...] = (16, 16)
    verbose: bool | None = None

    scaler: ClassVar[type[RankGauss] | type[Standard]]
    """How features become inputs."""
    link: ClassVar[Link]
    """How raw outputs become a distribution."""
    one_run_per_row: ClassVar[bool]
    """Whether every run is a training row of its own, instead of all runs of an instance side by side."""

    @property
    @abstractmethod
    def screens_features(self) -> bool:
        """Whether a small forest decides how far the prior trusts each feature."""

    @property
    @abstractmethod
    def learns_tail(self) -> bool:
        """Whether networks with an earlier cutoff show how far runs go past the real one."""

    @property
    def kind(self) -> type[Family]:
        """The family's class."""
        return get_family(self.family)

    @property
    def n_outputs(self) -> int:
        """Outputs of a network."""
        return {"runtimes": 1, "mixture": N_OUTPUTS}.get(self.output, self.kind.n_raw)

    @abstractmethod
    def n_inputs(self, n_features: int) -> int:
        """Return the number of inputs of a network for so many scaled features."""

    @abstractmethod
    def architecture(self, n_inputs: int) -> Architecture:
        """Return the shape of a network."""

    @abstractmethod
    def time_scale(self, observations: Observations) -> tuple[float, float]:
        """Return center and spread of log time, relative to which networks work."""

    @abstractmethod
    def folds(self, n_instances: int, rng: np.random.Generator) -> IntArray:
        """Return the fold of every instance; member j learns without fold j."""

    @abstractmethod
    def objective(self, architecture: Architecture, n_rows: int) -> Objective:
        """Return the optimised quantity, for so many training rows."""

    @abstractmethod
    def plan(self, architecture: Architecture, n_features: int, n_rows: int, evidence: float, spread: float) -> Plan:
        """Return the numbers of a training run.

        Parameters
        ----------
        architecture : Architecture
            Shape of the networks.
        n_features : int
            Number of inputs that are not padding.
        n_rows : int
            Number of training rows.
        evidence : float
            Number of runs that a KL term of weight 1 is divided by.
        spread : float
            Spread of log time.

        Returns
        -------
        Plan
            Learning rates, batch size, KL weights and prior.
        """

    @abstractmethod
    def initial(self, architecture: Architecture, plan: Plan, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Return starting parameters, one row per member: mu, rho if Bayesian, and those of batch normalisation."""

    @abstractmethod
    def noise(self, shape: tuple[int, int, int], rng: np.random.Generator) -> FloatArray:
        """Return standard normal noise (members, draws, weights) of the weight draws of a prediction."""

    @abstractmethod
    def predict(self, networks: Networks, x: FloatArray, distance: FloatArray) -> PredictedRuntimes:
        """Return the prediction of all members for scaled rows at a distance (n,) from the training data."""

    @abstractmethod
    def mixture(self, networks: Networks, raw: FloatArray) -> RuntimeDistribution:
        """Return the mixture of the members' raw outputs (members, draws, rows, outputs), one row per row."""

    def draw_weights(self, trained: Trained, draws: int, rng: np.random.Generator) -> FloatArray:
        """Return the weights (members, draws, weights) of a prediction; one draw per member of plain weights."""
        if trained.sigma is None:
            return trained.mu[:, None]
        noise = self.noise((len(trained.mu), draws, trained.mu.shape[1]), rng)
        drawn = trained.mu[:, None] + trained.sigma[:, None] * noise
        return drawn.astype(np.float32).astype(np.float64)
