"""A lognormal for NGBoost whose observation is all runs of an instance; imports NGBoost.

NGBoost's own lognormal for censored runs has the gradient of log scale wrong by a factor of the scale (0.5.11), and
adds 1e-5 to every survival probability, which removes the gradient in the tail. This one is exact.
"""

from __future__ import annotations

import numpy as np
from ngboost.distns.distn import RegressionDistn
from ngboost.scores import LogScore
from scipy.special import log_ndtr

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI
from bayes_distnet.distributions.special.normal import normal_beyond
from bayes_distnet.models.peers.comparison import LOG_SCALE_RANGE

NO_RUN = -1.0


def packed(z: FloatArray, finished: BoolArray) -> FloatArray:
    """Return standard log times (instances x runs, NaN = no run) and finished flags as one array for NGBoost."""
    present = ~np.isnan(z)
    return np.hstack([np.where(present, z, 0.0), np.where(present, finished.astype(float), NO_RUN)])


class RunsLogScore(LogScore):
    """Mean negative log likelihood of an instance's runs, its gradient, and a finished run's Fisher information."""

    loc: FloatArray
    log_scale: FloatArray

    def score(self, y: FloatArray) -> FloatArray:
        """Return the loss of every instance."""
        z, finished, weight = self._parts(y)
        loss = np.where(finished, self.log_scale[:, None] + 0.5 * z**2 + HALF_LOG_2PI, -log_ndtr(-z))
        return np.asarray((weight * loss).sum(axis=1))

    def d_score(self, y: FloatArray) -> FloatArray:
        """Return the gradient of the loss by location and log scale."""
        z, finished, weight = self._parts(y)
        mills, _ = normal_beyond(z)
        by_loc = -np.where(finished, z, mills) * np.exp(-self.log_scale)[:, None]
        by_log_scale = np.where(finished, 1.0 - z**2, -z * mills)
        return np.stack([(weight * by_loc).sum(axis=1), (weight * by_log_scale).sum(axis=1)], axis=1)

    def metric(self) -> FloatArray:
        """Return the Fisher information of a finished run."""
        information = np.zeros((len(self.loc), 2, 2))
        information[:, 0, 0], information[:, 1, 1] = np.exp(-2.0 * self.log_scale), 2.0
        return information

    def _parts(self, y: FloatArray) -> tuple[FloatArray, BoolArray, FloatArray]:
        log_times, kind = np.hsplit(y, 2)
        z = (log_times - self.loc[:, None]) * np.exp(-self.log_scale)[:, None]
        present = kind != NO_RUN
        return z, kind == 1.0, present / present.sum(axis=1, keepdims=True)


class RunsLogNormal(RegressionDistn):
    """Location and log scale of standard log time; boosting starts from the lognormal of all runs, 0 and 0."""

    n_params = 2
    scores = (RunsLogScore,)
    multi_output = True

    def __init__(self, params: FloatArray) -> None:
        super().__init__(params)
        self.loc, self.log_scale = params[0], np.clip(params[1], *LOG_SCALE_RANGE)

    @staticmethod
    def fit(y: FloatArray) -> FloatArray:
        """Return the parameters that boosting starts from."""
        return np.zeros(2)
