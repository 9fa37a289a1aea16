"""The log-normal accelerated failure time model of lifelines (Davidson-Pilon 2019): a censored linear regression."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.splits import folds_by_instance
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.models.base import seed_of
from bayes_distnet.models.peers.comparison import ComparisonModel, StandardLogTime, held_out_loss, require
from bayes_distnet.models.scaling import RankGauss, scaled_inputs
from bayes_distnet.validation import check_at_least

PENALTIES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)  # on squared coefficients, relative to the mean log likelihood
STRONGER = 3.0  # factor of the penalty where a fit does not converge
TRIES = 8
PARTS = 2  # number of folds that are held out in turn: a fit takes seconds


class LogNormalAFT(ComparisonModel):
    """lifelines' `LogNormalAFTFitter`: location linear in the rank-scaled features, one spread for all instances.

    The penalty on coefficients is chosen on held-out instances, from strong to weak for as long as that helps. A fit
    that does not converge is repeated with a stronger penalty.

    Parameters
    ----------
    cv : int, default 5
        Folds over instances, of which two are held out in turn to choose the penalty.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the folds.
    """

    def __init__(self, cv: int = 5, random_state: Any = 0) -> None:
        self.cv = cv
        self.random_state = random_state

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        check_at_least("cv", self.cv, 2)
        self.scaler_ = RankGauss.fit(features)
        self.time_ = StandardLogTime.of(observations)
        x = scaled_inputs(self.scaler_, features)[observations.instance]
        z, finished, of = self.time_.standard(observations.seconds), observations.finished, observations.instance
        folds = folds_by_instance(
            observations.n_instances, min(self.cv, observations.n_instances), seed_of(self.random_state)
        )
        parts = [(np.isin(of, train), np.isin(of, test)) for train, test in islice(folds, PARTS)]
        parts = [(train, test) for train, test in parts if finished[train].any() and train.sum() > 1]

        def loss(penalty: float) -> float:
            total = 0.0
            for train, test in parts:
                line = fitted_line(x[train], z[train], finished[train], penalty)
                total += test.sum() * held_out_loss(z[test], finished[test], *predicted(line, x[test]))
            return total

        self.penalty_, least = PENALTIES[0], np.inf
        for penalty in PENALTIES:
            found = loss(penalty)
            if found >= least:
                break
            self.penalty_, least = penalty, found
        self.line_ = fitted_line(x, z, finished, self.penalty_)

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        return self.time_.lognormal(*predicted(self.line_, scaled_inputs(self.scaler_, features)))


def predicted(line: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return location and scale of every row; a line is the intercept, the coefficients and the log of the scale."""
    return line[0] + x @ line[1:-1], np.full(len(x), np.exp(line[-1]))


def fitted_line(x: FloatArray, z: FloatArray, finished: BoolArray, penalty: float) -> FloatArray:
    """Fit standard log times by lifelines, without a penalty on the spread; return the line."""
    lifelines = require("lifelines")
    columns = [f"x{j}" for j in range(x.shape[1])]
    table = pd.DataFrame(x, columns=columns).assign(time=np.exp(z), finished=finished)
    for _ in range(TRIES):
        # One penalty per coefficient, and 0 for the spread: lifelines exempts only the intercept of a line with slopes.
        weights = np.append(np.full(x.shape[1], penalty), 0.0)
        model = lifelines.LogNormalAFTFitter(penalizer=weights)
        try:
            with warnings.catch_warnings():
                # The warnings concern standard errors, which are not used, columns that hardly vary, which the penalty
                # handles, and doubtful convergence, which is an error of its own where it fails.
                for category in ("StatisticalWarning", "ApproximationWarning", "ConvergenceWarning"):
                    warnings.simplefilter("ignore", getattr(lifelines.exceptions, category))
                parameters = model.fit(table, "time", "finished").params_
        except lifelines.exceptions.ConvergenceError:
            penalty *= STRONGER
            continue
        return np.array(
            [parameters["mu_", "Intercept"], *parameters["mu_"][columns], parameters["sigma_", "Intercept"]]
        )
    raise RuntimeDataError(f"lifelines' log-normal AFT did not converge, even with a penalty of {penalty:g}.")
