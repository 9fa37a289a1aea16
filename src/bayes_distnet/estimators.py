"""DistNet and Bayes DistNet: networks that predict runtime distributions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.base import RuntimeEstimator
from bayes_distnet.distribution import RuntimeDistribution
from bayes_distnet.ensemble import HISTORY, KL_WEIGHTS, Ensemble, Settings
from bayes_distnet.errors import check_choice
from bayes_distnet.observations import Observations
from bayes_distnet.storage import Arrays

FloatArray = NDArray[np.float64]


PRESETS = (None, "paper")
OUTPUTS = ("parameters", "runtimes")


class NetworkEstimator(RuntimeEstimator):
    """What DistNet and Bayes DistNet share; a subclass turns its parameters into settings."""

    seed: int
    ensemble_: Ensemble

    @abstractmethod
    def _settings(self) -> Settings: ...

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        from bayes_distnet.fitting import fit_ensemble  # JAX: only fitting pays for it

        self.ensemble_ = fit_ensemble(features, observations, self._settings(), self.seed)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        return self.ensemble_.distribution(self.ensemble_.inputs(features))

    def _to_arrays(self) -> Arrays:
        return self.ensemble_.to_arrays()

    def _from_arrays(self, arrays: Arrays) -> None:
        self.ensemble_ = Ensemble.from_arrays(arrays, self._settings())

    @property
    def history_(self) -> pd.DataFrame:
        """Training and held-out loss of every KL weight against the step, averaged over its members."""
        check_is_fitted(self)
        return pd.DataFrame(self.ensemble_.history, columns=list(HISTORY)).astype({"step": int})


class BayesDistNet(NetworkEstimator):
    """Bayes DistNet (Tuero and Buro 2021): a network with distributions for weights, trained by Bayes by Backprop.

    Each weight draw predicts a runtime distribution; the prediction is their mixture. What the draws disagree about
    is what the model does not know (`band`, `epistemic`), what each of them leaves open is the solver's own
    randomness (`aleatoric`).

    Args:
        family: distribution of one weight draw, a name in `bayes_distnet.families.FAMILIES`.
        output: "parameters" (a weight draw predicts the family's parameters) or "runtimes" (the paper's: a weight
            draw predicts one runtime, and the family is fitted to the runtimes of all draws, so that the two kinds of
            uncertainty cannot be told apart).
        preset: None, or "paper" for the published settings, whatever all but family and seed say.
        hidden: units of the hidden layers.
        members: networks trained side by side, member j without a fifth (or 1/members) of the instances.
        draws: weight draws a member in prediction; with runtime outputs it is 16, or 64 if they learn
            from more than 512 instances, in training too.
        steps: training steps, in fifties; None chooses by the amount of data.
        learning_rate: of Adam, at its peak.
        kl_weights: weights of the KL term; below 1 is a cold posterior. Networks are trained for each, and pooled by
            how well they predict instances they have not seen: little data wants a large weight, much data a small one.
            None: 1.5, 0.3, 0.04 and 0.005, with runtime outputs three times as much.
        seed: fixes the result.
        progress: show a progress bar; None only on a terminal.

    Example:
        >>> from bayes_distnet import BayesDistNet, make_runs
        >>> data = make_runs(n_instances=60, n_runs=4, seed=0)
        >>> model = BayesDistNet(steps=100, seed=0).fit(data.features, data.seconds)
        >>> rtd = model.predict_distribution(data.features)
        >>> rtd.quantile([0.1, 0.5, 0.9]).shape
        (60, 3)
    """

    def __init__(
        self,
        family: str = "lognormal",
        output: str = "parameters",
        preset: str | None = None,
        hidden: tuple[int, ...] = (16, 16),
        members: int = 5,
        draws: int = 6,
        steps: int | None = None,
        learning_rate: float = 2e-2,
        kl_weights: tuple[float, ...] | None = None,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.family = family
        self.output = output
        self.preset = preset
        self.hidden = hidden
        self.members = members
        self.draws = draws
        self.steps = steps
        self.learning_rate = learning_rate
        self.kl_weights = kl_weights
        self.seed = seed
        self.progress = progress

    def _settings(self) -> Settings:
        check_choice("preset", self.preset, PRESETS)
        if self.preset == "paper":
            paper = Settings(self.family, "runtimes", published=True, members=1, draws=16, kl_weights=(0.1,))
            return replace(paper, progress=self.progress)
        check_choice("output", self.output, OUTPUTS)
        return Settings(
            family=self.family,
            output=self.output,
            hidden=as_tuple(self.hidden),
            members=self.members,
            draws=self.draws,
            steps=self.steps,
            learning_rate=self.learning_rate,
            kl_weights=KL_WEIGHTS[self.output] if self.kl_weights is None else as_tuple(self.kl_weights),
            progress=self.progress,
        )


class DistNet(NetworkEstimator):
    """DistNet (Eggensperger, Lindauer and Hutter 2018): a network that predicts the parameters of a family.

    One network with plain weights, stopped early on a fifth of the instances. It does not say how sure it is.

    Args:
        family: the predicted distribution, a name in `bayes_distnet.families.FAMILIES`.
        preset: None, or "paper" for the published settings, whatever the arguments below say.
        hidden: units of the hidden layers.
        steps: training steps at most; None chooses by the amount of data.
        learning_rate: of Adam, at its peak.
        patience: looks at the held-out instances (one every 50 steps) without a better loss before training stops.
        seed: fixes the result.
        progress: show a progress bar; None only on a terminal.

    Example:
        >>> from bayes_distnet import DistNet, make_runs
        >>> data = make_runs(n_instances=60, n_runs=4, seed=0)
        >>> DistNet(steps=100).fit(data.features, data.seconds).predict(data.features).shape
        (60,)
    """

    def __init__(
        self,
        family: str = "lognormal",
        preset: str | None = None,
        hidden: tuple[int, ...] = (16, 16),
        steps: int | None = None,
        learning_rate: float = 1e-2,
        patience: int = 6,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.family = family
        self.preset = preset
        self.hidden = hidden
        self.steps = steps
        self.learning_rate = learning_rate
        self.patience = patience
        self.seed = seed
        self.progress = progress

    def _settings(self) -> Settings:
        check_choice("preset", self.preset, PRESETS)
        plain = Settings(family=self.family, bayesian=False, members=1, kl_weights=(0.5,), progress=self.progress)
        if self.preset == "paper":
            return replace(plain, published=True, kl_weights=(0.0,))
        return replace(
            plain,
            hidden=as_tuple(self.hidden),
            steps=self.steps,
            learning_rate=self.learning_rate,
            patience=self.patience,
        )


def as_tuple(value: Any) -> Any:
    """Lists and arrays as tuples, anything else as it is (and refused by `Settings` if it is wrong)."""
    return tuple(value) if isinstance(value, list | tuple | np.ndarray) else value
