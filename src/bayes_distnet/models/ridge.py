"""Ridge regression on log runtime."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeCV

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import LEAST_SPREAD
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.forest.trees import instance_moments
from bayes_distnet.models.imputation import ROUNDS, schmee_hahn
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.scaling import RankGauss, scaled_inputs


class Ridge(RuntimeEstimator):
    """Ridge regression on log runtime, the penalty chosen by leave-one-out (SATzilla's model).

    All instances have one spread: the deviation of the leave-one-out residuals. Censored runs are imputed by the scheme
    of Schmee and Hahn.
    """

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        self.scaler_ = RankGauss.fit(features)
        x = scaled_inputs(self.scaler_, features)
        counts = observations.runs_of_each().astype(float)

        def fit(log_times: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
            mean, square = instance_moments(observations, log_times, variance)
            model = RidgeCV(alphas=np.logspace(-3, 5, 33), store_cv_results=True)
            model.fit(x, mean, sample_weight=counts)
            chosen = int(np.argmin(model.cv_results_.mean(axis=0)))
            # cv_results_ hold squared leave-one-out errors, weighted by the square root of the weights already.
            between = float(model.cv_results_[:, chosen].sum() / counts.sum())
            scale = max(float(np.sqrt(square.sum() / counts.sum() + between)), LEAST_SPREAD)
            self.coefficients_, self.intercept_, self.scale_ = model.coef_, float(model.intercept_), scale
            return model.predict(x), np.full(len(x), scale)

        schmee_hahn(observations, fit, ROUNDS)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        x = scaled_inputs(self.scaler_, features)
        loc = x @ self.coefficients_ + self.intercept_
        return RuntimeDistribution(LogNormal(loc[:, None], np.full((len(x), 1), self.scale_)))

    def _to_arrays(self) -> Arrays:
        own = {"coefficients": self.coefficients_, "line": np.array([self.intercept_, self.scale_])}
        return with_prefix("scaler", vars(self.scaler_)) | own

    def _from_arrays(self, arrays: Arrays) -> None:
        self.scaler_ = RankGauss(**without_prefix("scaler", arrays))
        self.coefficients_ = arrays["coefficients"]
        self.intercept_, self.scale_ = map(float, arrays["line"])
