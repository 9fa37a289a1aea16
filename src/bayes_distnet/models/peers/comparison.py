"""The common part of the adapters of other packages' models.

An adapter learns in standard log time, relative to one censored lognormal for all runs, so that its settings depend on
no unit. Settings that it has to choose are chosen on held-out instances: runs of one instance share their features, and
would leak into each other's predictions.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.censored import LEAST_SPREAD, log_location_and_spread
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError, not_installed
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.saving import Arrays

LOG_SCALE_RANGE = (-4.0, 2.0)  # range of the log of a spread in standard log time


class ComparisonModel(RuntimeEstimator):
    """A model of another package: it fits and predicts as all models do, and cannot be saved.

    A model on disk is plain arrays, so that loading one runs no foreign code; models of other packages are more.
    """

    def _to_arrays(self) -> Arrays:
        raise SettingError(
            f"{type(self).__name__} is for comparison and cannot be saved. Fit it again, or save another model."
        )

    def _from_arrays(self, arrays: Arrays) -> None:
        self._to_arrays()


def require(module: str) -> Any:
    """Import a module of another package; a `SettingError` names the extra that brings it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise not_installed(module, extra="peers") from error


@dataclass(frozen=True)
class StandardLogTime:
    """Log time relative to location and spread of one censored lognormal for all runs.

    Parameters
    ----------
    center, spread : float
        Location and spread of log time.
    """

    center: float
    spread: float

    @classmethod
    def of(cls, observations: Observations) -> StandardLogTime:
        """Learn location and spread from the runs of all instances."""
        return cls(*log_location_and_spread(observations.seconds, observations.finished))

    def standard(self, seconds: FloatArray) -> FloatArray:
        """Return seconds as standard log times."""
        return np.asarray((np.log(seconds) - self.center) / self.spread)

    def lognormal(self, loc: FloatArray, scale: FloatArray) -> RuntimeDistribution:
        """Return one lognormal per row, in seconds, from location and scale of standard log time."""
        loc, scale = np.broadcast_arrays(self.center + self.spread * loc, self.spread * scale)
        return RuntimeDistribution(LogNormal(loc[:, None], np.maximum(scale, LEAST_SPREAD)[:, None]))


def held_out_loss(z: FloatArray, finished: BoolArray, loc: FloatArray, scale: FloatArray | float) -> float:
    """Return the mean negative log likelihood of standard log times, finished or censored."""
    return float(-LogNormal(loc, scale).log_likelihood(np.exp(z), finished).mean())


def best_scale(z: FloatArray, finished: BoolArray, loc: FloatArray) -> float:
    """Return the scale under which held-out runs are most likely, given their predicted locations."""

    def loss(log_scale: float) -> float:
        return held_out_loss(z, finished, loc, np.exp(log_scale))

    return float(np.exp(minimize_scalar(loss, bounds=LOG_SCALE_RANGE, method="bounded").x))
