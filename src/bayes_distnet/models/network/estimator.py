"""The part that DistNet and Bayes DistNet share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.network.ensemble import HISTORY, Ensemble
from bayes_distnet.models.network.settings import Settings
from bayes_distnet.models.saving import Arrays

PRESETS = (None, "paper")


OUTPUTS = ("parameters", "runtimes")


class NetworkEstimator(RuntimeEstimator):
    """What DistNet and Bayes DistNet share; a subclass turns its parameters into settings."""

    random_state: int
    ensemble_: Ensemble

    @abstractmethod
    def _settings(self) -> Settings: ...

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        from bayes_distnet.models.network.fitting import fit_ensemble

        self.ensemble_ = fit_ensemble(features, observations, self._settings(), self.random_state)

    def _predict(self, features: FloatArray) -> PredictedRuntimes:
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


def as_tuple(value: Any) -> Any:
    """Lists and arrays as tuples, anything else as it is (and refused by `Settings` if it is wrong)."""
    return tuple(value) if isinstance(value, list | tuple | np.ndarray) else value
