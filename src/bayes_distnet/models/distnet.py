"""DistNet."""

from __future__ import annotations

from dataclasses import replace

from bayes_distnet.models.network.estimator import PRESETS, NetworkEstimator, as_tuple
from bayes_distnet.models.network.settings import Settings
from bayes_distnet.validation import check_choice


class DistNet(NetworkEstimator):
    """DistNet (Eggensperger, Lindauer and Hutter 2018): a network that predicts the parameters of a family.

    One network with plain weights, stopped early on a fifth of the instances. It does not say how sure it is.

    Args:
        family: the predicted distribution, a name in `bayes_distnet.distributions.families.all.FAMILIES`.
        preset: None, or "paper" for the published settings, whatever the arguments below say.
        hidden_layer_sizes: units of the hidden layers.
        max_iter: training steps at most; None chooses by the amount of data.
        learning_rate: of Adam, at its peak.
        n_iter_no_change: looks at the held-out instances (one every 50 steps) without a better loss before training stops.
        random_state: fixes the result.
        verbose: show a progress bar; None only on a terminal.

    Example:
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
        random_state: int = 0,
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

    def _settings(self) -> Settings:
        check_choice("preset", self.preset, PRESETS)
        plain = Settings(family=self.family, bayesian=False, n_members=1, kl_weights=(0.5,), verbose=self.verbose)
        if self.preset == "paper":
            return replace(plain, published=True, kl_weights=(0.0,))
        return replace(
            plain,
            hidden_layer_sizes=as_tuple(self.hidden_layer_sizes),
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            n_iter_no_change=self.n_iter_no_change,
        )
