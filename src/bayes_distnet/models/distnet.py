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
