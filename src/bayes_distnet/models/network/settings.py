"""Settings of networks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bayes_distnet.distributions.families import get_family
from bayes_distnet.errors import SettingError
from bayes_distnet.models.network.architecture import Architecture, padded_size
from bayes_distnet.models.scaling import RankGauss, Standard
from bayes_distnet.validation import check_at_least, check_positive, is_number

KL_WEIGHTS = {
    "parameters": (1.5, 0.3, 0.04, 0.005),
    "runtimes": (4.5, 0.9, 0.12, 0.015),  # the spread of the draws is to be that of the runs: it wants more holding
}


@dataclass(frozen=True)
class Settings:
    """How networks are built and trained. `published` is the setting of the paper's own runs."""

    family: str = "lognormal"
    output: str = "parameters"
    bayesian: bool = True
    published: bool = False
    hidden_layer_sizes: tuple[int, ...] = (16, 16)
    n_members: int = 5  # for each KL weight
    n_draws: int = 6
    max_iter: int | None = None
    learning_rate: float = 2e-2
    kl_weights: tuple[float, ...] = KL_WEIGHTS["parameters"]
    n_iter_no_change: int | None = None
    verbose: bool | None = None

    def __post_init__(self) -> None:
        get_family(self.family)
        for name in ("n_members", "n_draws"):
            check_at_least(name, getattr(self, name), 1)
        for name in ("max_iter", "n_iter_no_change"):
            if getattr(self, name) is not None:
                check_at_least(name, getattr(self, name), 1)
        if not isinstance(self.hidden_layer_sizes, tuple) or not self.hidden_layer_sizes:
            raise SettingError(
                f"hidden_layer_sizes={self.hidden_layer_sizes!r}: expected the units of each hidden layer: (16, 16), say."
            )
        for units in self.hidden_layer_sizes:
            check_at_least("hidden_layer_sizes", units, 1)
        check_positive("learning_rate", self.learning_rate)
        weights = self.kl_weights
        listed = isinstance(weights, tuple) and len(weights) > 0
        if not listed or not all(is_number(weight) and 0 <= weight < math.inf for weight in weights):
            raise SettingError(f"kl_weights={weights!r}: expected numbers of at least 0, such as (0.5, 0.05).")
        if len(weights) > 1 and self.n_members < 2:
            raise SettingError("n_members=1: KL weights are pooled by unseen instances; take 2 members or more.")

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
            hidden=self.hidden_layer_sizes,
            activation=self._activation(),
            skip=not self.published,
            batch_norm=self.published,
        )

    def _activation(self) -> str:
        if not self.bayesian:
            return "tanh"
        # The noise of a weight counts times its unit, so with units around zero the outputs tend to spread as much on
        # one side of the middle as on the other. Units that are never negative let the spread grow from end to end.
        return "softplus" if self.published else "raised-tanh"
