"""DistNet."""

from __future__ import annotations

from typing import Any

from bayes_distnet.models.network.default_recipe import DefaultRecipe
from bayes_distnet.models.network.estimator import NetworkEstimator, as_tuple
from bayes_distnet.models.network.paper_recipe import PaperRecipe
from bayes_distnet.models.network.recipe import Recipe

PENALTY = 0.5  # weight of the Gaussian prior of plain weights


class DistNet(NetworkEstimator):
    """DistNet (Eggensperger, Lindauer and Hutter 2018): a network that predicts the parameters of a family.

    One network with plain weights, stopped early on a fifth of the instances. It does not express how sure it is.

    Parameters
    ----------
    family : str, default "lognormal"
        The predicted distribution, a name in `bayes_distnet.distributions.FAMILIES`.
    preset : {None, "paper"}, default None
        "paper" uses the published settings. Together with a setting that it would ignore it is an error.
    hidden_layer_sizes : tuple of int, default (16, 16)
        Units of the hidden layers.
    max_iter : int or None, default None
        Largest number of training steps; None chooses by the amount of data.
    learning_rate : float, default 0.01
        Peak learning rate of Adam.
    n_iter_no_change : int, default 6
        Evaluations on the held-out instances (one per 50 steps) without a better loss before training stops.
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
    >>> from bayes_distnet import DistNet, make_runs
    >>> data = make_runs(n_instances=60, n_runs=4, random_state=0)
    >>> DistNet(max_iter=100).fit(data.features, data.seconds).predict(data.features).shape
    (60,)
    """

    def __init__(
        self,
        family: str = "lognormal",
        preset: str | None = None,
        hidden_layer_sizes: tuple[int, ...] = (16, 16),
        max_iter: int | None = None,
        learning_rate: float = 1e-2,
        n_iter_no_change: int = 6,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.family = family
        self.preset = preset
        self.hidden_layer_sizes = hidden_layer_sizes
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        if self._is_paper():
            return PaperRecipe.distnet(self.family, self.verbose)
        return DefaultRecipe(
            family=self.family,
            bayesian=False,
            n_members=1,
            kl_weights=(PENALTY,),
            hidden_layer_sizes=as_tuple(self.hidden_layer_sizes),
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            n_iter_no_change=self.n_iter_no_change,
            verbose=self.verbose,
        )
