"""Bayes DistNet."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from typing import Any

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError, not_installed
from bayes_distnet.interrupts import held_back
from bayes_distnet.models.base import Unseen, seed_of
from bayes_distnet.models.instance_effect import EffectSize, with_effect
from bayes_distnet.models.network.default_recipe import KL_WEIGHTS, DefaultRecipe
from bayes_distnet.models.network.estimator import OUTPUTS, NetworkEstimator, as_tuple
from bayes_distnet.models.network.paper_recipe import DRAWS, PaperRecipe
from bayes_distnet.models.network.recipe import Recipe
from bayes_distnet.models.sampled_effect import SampledEffect
from bayes_distnet.models.saving import Arrays
from bayes_distnet.validation import check_at_least, check_choice, check_positive

POSTERIORS = ("variational", "nuts")
DRAWS_PER_NETWORK, DRAWS_PER_CHAIN = 6, 100
START_KL_WEIGHT = 1.0  # of the networks that chains start from


class BayesDistNet(NetworkEstimator):
    """Bayes DistNet (Tuero and Buro 2021): a network with distributions for weights, trained by Bayes by Backprop.

    Each weight draw predicts a runtime distribution; the prediction is their mixture. Its spread has two parts:
    ignorance about the instance (`band`, `unsure_share`), learnt from how alike runs of an unseen instance are, and the
    solver's luck. With runtime outputs, the published settings or a single member, the disagreement of the draws
    stands in for ignorance, and falls short of it.

    Parameters
    ----------
    family : str, default "lognormal"
        Distribution of the parts of one weight draw, a name in `bayes_distnet.distributions.FAMILIES`.
    output : {None, "mixture", "parameters", "runtimes"}, default None
        With "mixture" a weight draw predicts a mixture of three members of the family: runtimes may have two humps, a
        hard start or a heavy tail. With "parameters" it predicts the parameters of one. With "runtimes", as in the
        paper, it predicts one runtime and the family is fitted to the runtimes of all draws, so that the two kinds of
        uncertainty cannot be told apart. None means "mixture", and "parameters" with posterior="nuts".
    posterior : {"variational", "nuts"}, default "variational"
        With "variational" the distribution of the weights is a Gaussian without correlations, learnt by gradient
        descent. With "nuts" weights and the size of the instance effect are sampled from their posterior: a reference
        for a few hundred instances, which takes minutes. It needs the extra `reference`, the lognormal family and
        parameter outputs.
    preset : {None, "paper"}, default None
        "paper" uses the published settings. Together with a setting that it would ignore it is an error.
    hidden_layer_sizes : tuple of int, default (16, 16)
        Units of the hidden layers.
    n_members : int, default 5
        Networks trained side by side per KL weight, member j without a fifth (or 1/n_members) of the instances. With
        posterior="nuts" the number of chains: each starts from one of these networks and learns from all instances.
    n_draws : int or None, default None
        Weight draws per member in prediction; None means 6, and 100 with posterior="nuts", where each is the last of
        five steps after a warm-up of as many steps. With runtime outputs there are 16, or 64 above 512 instances, in
        training too.
    max_iter : int or None, default None
        Training steps, in multiples of fifty; None chooses by the amount of data.
    learning_rate : float, default 0.02
        Peak learning rate of Adam.
    kl_weights : tuple of float or None, default None
        Weights of the KL term; below 1 the posterior is cold. Networks are trained for each, and pooled by their
        predictions of instances they have not seen: little data needs a large weight, much data a small one. None
        means 1.5, 0.3, 0.04 and 0.005, with runtime outputs three times as much. With posterior="nuts" there is one:
        1 (the default) is the posterior, less raises the likelihood to the power of 1 / weight.
    n_jobs : int or None, default None
        Threads of the forests that screen features, as in scikit-learn.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the result; None draws a new seed per fit.
    verbose : bool or None, default None
        Whether a progress bar is shown; None shows it on a terminal only.

    Attributes
    ----------
    history_ : DataFrame
        Losses during training.
    n_iter_ : int
        Number of training steps.
    r_hat_ : float
        With posterior="nuts", how far the chains disagree about predicted locations: 1 is best, and a warning is given
        above 1.1.

    Examples
    --------
    >>> from bayes_distnet import BayesDistNet, make_runs
    >>> data = make_runs(n_instances=60, n_runs=4, random_state=0)
    >>> model = BayesDistNet(max_iter=100).fit(data.features, data.seconds)
    >>> rtd = model.predict_distribution(data.features)
    >>> rtd.quantile([0.1, 0.5, 0.9]).shape
    (60, 3)
    """

    effect_: EffectSize | SampledEffect
    r_hat_: float

    def __init__(
        self,
        family: str = "lognormal",
        output: str | None = None,
        posterior: str = "variational",
        preset: str | None = None,
        hidden_layer_sizes: tuple[int, ...] = (16, 16),
        n_members: int = 5,
        n_draws: int | None = None,
        max_iter: int | None = None,
        learning_rate: float = 2e-2,
        kl_weights: tuple[float, ...] | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.family = family
        self.output = output
        self.posterior = posterior
        self.preset = preset
        self.hidden_layer_sizes = hidden_layer_sizes
        self.n_members = n_members
        self.n_draws = n_draws
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.kl_weights = kl_weights
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        check_choice("output", self.output, (None, *OUTPUTS))
        if self._is_paper(output="runtimes", n_members=1, n_draws=DRAWS, kl_weights=(0.1,)):
            return PaperRecipe.bayes(self.family, self.verbose)
        check_choice("posterior", self.posterior, POSTERIORS)
        recipe = DefaultRecipe(
            family=self.family,
            output=self._output(),
            hidden_layer_sizes=as_tuple(self.hidden_layer_sizes),
            n_members=self.n_members,
            n_draws=DRAWS_PER_NETWORK if self.n_draws is None else self.n_draws,
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            kl_weights=self._kl_weights(),
            verbose=self.verbose,
        )
        return replace(recipe, kl_weights=(START_KL_WEIGHT,), n_draws=1) if self._is_sampled() else recipe

    def _output(self) -> str:
        return self.output or ("parameters" if self.posterior == "nuts" else "mixture")

    def _kl_weights(self) -> tuple[float, ...]:
        if self.kl_weights is not None:
            weights: tuple[float, ...] = as_tuple(self.kl_weights)
            return weights
        return (1.0,) if self.posterior == "nuts" else KL_WEIGHTS[self._output()]

    def _is_sampled(self) -> bool:
        """Whether the posterior is sampled; settings for which it cannot be are an error."""
        if self.posterior != "nuts":
            return False
        if self._output() != "parameters":
            raise SettingError(f"output={self.output!r}: posterior='nuts' needs output='parameters'.")
        if self.family != "lognormal":
            raise SettingError(f"family={self.family!r}: posterior='nuts' needs family='lognormal'.")
        weights = self._kl_weights()
        if len(weights) != 1:
            raise SettingError(f"kl_weights={weights!r}: posterior='nuts' needs a single weight, such as (1.0,).")
        check_positive("kl_weights", weights[0])
        if self.n_draws is not None:
            check_at_least("n_draws", self.n_draws, 4)  # fewer show no disagreement of chains
        return True

    def _fit(self, features: FloatArray, observations: Observations) -> Unseen | None:
        if self.posterior == "nuts" and importlib.util.find_spec("blackjax") is None:
            raise not_installed("blackjax", extra="reference")
        super()._fit(features, observations)
        recipe = self.ensemble_.recipe
        if self.posterior == "nuts":
            self._sample(features, observations)
            return None
        if not isinstance(recipe, DefaultRecipe) or recipe.output == "runtimes" or recipe.n_members == 1:
            return None
        # Ignorance shows in runs of instances that some of the members have not seen.
        x = self.ensemble_.inputs(features)
        unseen = self.ensemble_.out_of_fold(x)
        self.effect_ = EffectSize.fit(unseen, observations)
        return lambda: self._with_effect(unseen, x, features)

    def _sample(self, features: FloatArray, observations: Observations) -> None:
        with held_back():  # as in `fit_networks`
            from bayes_distnet.models.network.sampled_posterior import sample_posterior  # needs JAX and BlackJAX

        sampled = sample_posterior(
            self.ensemble_,
            features,
            observations,
            kl_weight=self._kl_weights()[0],
            draws=DRAWS_PER_CHAIN if self.n_draws is None else self.n_draws,
            seed=seed_of(self.random_state),
            n_jobs=self.n_jobs,
        )
        self.ensemble_, self.effect_, self.r_hat_ = sampled.ensemble, sampled.effect, sampled.r_hat

    def _predict(self, features: FloatArray) -> PredictedRuntimes:
        if not hasattr(self, "effect_"):
            return super()._predict(features)
        x = self.ensemble_.inputs(features)
        return self._with_effect(self.ensemble_.network(x), x, features)

    def _with_effect(self, rtd: RuntimeDistribution, x: FloatArray, features: FloatArray) -> InstanceRuntimes:
        extrapolation = self.ensemble_.extrapolation
        far = extrapolation.far(x, self.training_range_.distance(features))
        gated, untested = extrapolation.gated(rtd, far), extrapolation.untested(rtd, far)
        return with_effect(gated, self.effect_.shared(rtd), untested, assumed=self.effect_.assumed)

    def _to_arrays(self) -> Arrays:
        own = {"r_hat": np.array([self.r_hat_])} if hasattr(self, "r_hat_") else {}
        return super()._to_arrays() | own | (self.effect_.to_arrays() if hasattr(self, "effect_") else {})

    def _from_arrays(self, arrays: Arrays) -> None:
        super()._from_arrays(arrays)
        if "effect" in arrays:
            self.effect_ = EffectSize.from_arrays(arrays)
        if "effect_draws" in arrays:
            self.effect_ = SampledEffect.from_arrays(arrays, draws=self.ensemble_.weights[..., 0].size)
            self.r_hat_ = float(arrays["r_hat"][0])
