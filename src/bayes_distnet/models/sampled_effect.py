"""The instance effect of a sampled posterior: every weight draw has a size of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.saving import Arrays, check_array


@dataclass(frozen=True)
class SampledEffect:
    """Draws of the fraction of the variance that the runs of an instance share, beside the draws of the weights.

    Parameters
    ----------
    fractions : array
        (D,) one per weight draw.
    assumed : bool
        Whether no instance had two runs, so that the draws follow their prior.
    """

    fractions: FloatArray
    assumed: bool

    def shared(self, network: RuntimeDistribution) -> FloatArray:
        """Return the part of the variance of log time that runs of an instance share, over all draws.

        An instance's own log median is the location of a draw plus the effect. So its variance has two parts, the
        variance of the locations and the mean variance of the effect. The result is exact where locations are normal
        and scales agree; elsewhere it keeps the variance.

        Parameters
        ----------
        network : RuntimeDistribution
            Lognormals, (n, D), one per weight draw and of equal weights.

        Returns
        -------
        array
            (n,) fractions.
        """
        parameters = network.components.parameters()
        between, variances = np.var(parameters["loc"], axis=1), parameters["scale"] ** 2
        ignorance = between + np.mean(self.fractions * variances, axis=1)
        return np.asarray(ignorance / (between + np.mean(variances, axis=1)))

    def to_arrays(self) -> Arrays:
        """Return the draws as plain arrays."""
        return {"effect_draws": self.fractions, "effect_assumed": np.array([float(self.assumed)])}

    @classmethod
    def from_arrays(cls, arrays: Arrays, *, draws: int) -> Self:
        """Restore so many draws from the result of `to_arrays`."""
        check_array("effect_draws", arrays["effect_draws"], "f", draws)
        check_array("effect_assumed", arrays["effect_assumed"], "f", 1)
        return cls(arrays["effect_draws"], bool(arrays["effect_assumed"][0]))
