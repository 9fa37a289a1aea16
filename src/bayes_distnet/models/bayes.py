"""Bayes DistNet."""

from __future__ import annotations

from typing import Any

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.instance_effect import EffectSize
from bayes_distnet.models.network.default_recipe import KL_WEIGHTS, DefaultRecipe
from bayes_distnet.models.network.estimator import OUTPUTS, NetworkEstimator, as_tuple
from bayes_distnet.models.network.paper_recipe import DRAWS, PaperRecipe
from bayes_distnet.models.network.recipe import Recipe
from bayes_distnet.models.saving import Arrays
from bayes_distnet.validation import check_choice


class BayesDistNet(NetworkEstimator):
    """Bayes DistNet (Tuero and Buro 2021): a network with distributions for weights, trained by Bayes by Backprop.

    Each weight draw predicts a runtime distribution; the prediction is their mixture. Its spread has two parts:
    ignorance about the instance (`band`, `unsure_share`), learnt from how alike runs of an unseen instance are, and the
    solver's luck. With runtime outputs, the published settings or a single member, the disagreement of the draws
    stands in for ignorance, and falls short of it.

    Parameters
    ----------
    family : str, default "lognormal"
        Distribution of one weight draw, a name in `bayes_distnet.distributions.FAMILIES`.
    output : {"parameters", "runtimes"}, default "parameters"
        With "parameters" a weight draw predicts the family's parameters. With "runtimes", as in the paper, a weight
        draw predicts one runtime and the family is fitted to the runtimes of all draws, so that the two kinds of
        uncertainty cannot be told apart.
    preset : {None, "paper"}, default None
        "paper" uses the published settings. Together with a setting that it would ignore it is an error.
    hidden_layer_sizes : tuple of int, default (16, 16)
        Units of the hidden layers.
    n_members : int, default 5
        Networks trained side by side per KL weight, member j without a fifth (or 1/n_members) of the instances.
    n_draws : int, default 6
        Weight draws per member in prediction. With runtime outputs there are 16, or 64 above 512 instances, in
        training too.
    max_iter : int or None, default None
        Training steps, in multiples of fifty; None chooses by the amount of data.
    learning_rate : float, default 0.02
        Peak learning rate of Adam.
    kl_weights : tuple of float or None, default None
        Weights of the KL term; below 1 the posterior is cold. Networks are trained for each, and pooled by their
        predictions of instances they have not seen: little data needs a large weight, much data a small one. None
        means 1.5, 0.3, 0.04 and 0.005, with runtime outputs three times as much.
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

    Examples
    --------
    >>> from bayes_distnet import BayesDistNet, make_runs
    >>> data = make_runs(n_instances=60, n_runs=4, random_state=0)
    >>> model = BayesDistNet(max_iter=100).fit(data.features, data.seconds)
    >>> rtd = model.predict_distribution(data.features)
    >>> rtd.quantile([0.1, 0.5, 0.9]).shape
    (60, 3)
    """

    def __init__(
        self,
        family: str = "lognormal",
        output: str = "parameters",
        preset: str | None = None,
        hidden_layer_sizes: tuple[int, ...] = (16, 16),
        n_members: int = 5,
        n_draws: int = 6,
        max_iter: int | None = None,
        learning_rate: float = 2e-2,
        kl_weights: tuple[float, ...] | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.family = family
        self.output = output
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
        check_choice("output", self.output, OUTPUTS)
        if self._is_paper(output="runtimes", n_members=1, n_draws=DRAWS, kl_weights=(0.1,)):
            return PaperRecipe.bayes(self.family, self.verbose)
        return DefaultRecipe(
            family=self.family,
            output=self.output,
            hidden_layer_sizes=as_tuple(self.hidden_layer_sizes),
            n_members=self.n_members,
            n_draws=self.n_draws,
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            kl_weights=KL_WEIGHTS[self.output] if self.kl_weights is None else as_tuple(self.kl_weights),
            verbose=self.verbose,
        )

    def _fit(self, features: FloatArray, observations: Observations) -> InstanceRuntimes | None:
        super()._fit(features, observations)
        recipe = self.ensemble_.recipe
        if not isinstance(recipe, DefaultRecipe) or recipe.output != "parameters" or recipe.n_members == 1:
            return None
        # Ignorance shows in runs of instances that some of the members have not seen.
        x = self.ensemble_.inputs(features)
        unseen = self.ensemble_.out_of_fold(x)
        self.effect_ = EffectSize.fit(unseen, observations)
        return self._with_effect(unseen, x, features)

    def _predict(self, features: FloatArray) -> PredictedRuntimes:
        if not hasattr(self, "effect_"):
            return super()._predict(features)
        x = self.ensemble_.inputs(features)
        return self._with_effect(self.ensemble_.network(x), x, features)

    def _with_effect(self, rtd: RuntimeDistribution, x: FloatArray, features: FloatArray) -> InstanceRuntimes:
        extrapolation = self.ensemble_.extrapolation
        far = extrapolation.far(x, self.training_range_.distance(features))
        return self.effect_.of(extrapolation.gated(rtd, far), extrapolation.untested(rtd, far))

    def _to_arrays(self) -> Arrays:
        return super()._to_arrays() | (self.effect_.to_arrays() if hasattr(self, "effect_") else {})

    def _from_arrays(self, arrays: Arrays) -> None:
        super()._from_arrays(arrays)
        if "effect" in arrays:
            self.effect_ = EffectSize.from_arrays(arrays)
