"""The marginal: one distribution for all instances."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import censored_maximum_likelihood
from bayes_distnet.distributions.families import get_family
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.saving import Arrays


class Marginal(RuntimeEstimator):
    """One distribution for all instances, fitted by censored maximum likelihood: features are ignored.

    Parameters
    ----------
    family : str, default "lognormal"
        Name of the distribution.

    Examples
    --------
    >>> x, seconds = np.zeros((4, 1)), np.array([1.0, 2.0, 4.0, 8.0])
    >>> Marginal().fit(x, seconds).predict(x[:1]).round(2)
    array([2.83])
    """

    _least_instances = 1

    def __init__(self, family: str = "lognormal") -> None:
        self.family = family

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        self.fitted_ = censored_maximum_likelihood(self.family, observations.seconds, observations.finished)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        shape = (len(features), 1)
        parameters = {name: np.full(shape, value) for name, value in self.fitted_.parameters().items()}
        return RuntimeDistribution(type(self.fitted_)(**parameters))

    def _to_arrays(self) -> Arrays:
        return {name: np.asarray(value) for name, value in self.fitted_.parameters().items()}

    def _from_arrays(self, arrays: Arrays) -> None:
        self.fitted_ = get_family(self.family)(**arrays)
