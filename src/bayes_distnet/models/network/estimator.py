"""The part that DistNet and Bayes DistNet share."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.interrupts import held_back
from bayes_distnet.models.base import RuntimeEstimator, Unseen, seed_of
from bayes_distnet.models.network.compilation import respect_thread_limit
from bayes_distnet.models.network.ensemble import HISTORY, Ensemble
from bayes_distnet.models.network.recipe import Recipe
from bayes_distnet.models.saving import Arrays
from bayes_distnet.models.shared_draws import SharedDraws
from bayes_distnet.validation import check_choice

PRESETS = (None, "paper")
OUTPUTS = ("parameters", "mixture", "runtimes")


class NetworkEstimator(RuntimeEstimator):
    """An estimator made of networks; a subclass turns its parameters into a recipe."""

    preset: str | None
    random_state: Any
    ensemble_: Ensemble

    @abstractmethod
    def _recipe(self) -> Recipe: ...

    def _fit(self, features: FloatArray, observations: Observations) -> Unseen | None:
        n_jobs = self.get_params(deep=False).get("n_jobs")
        self.ensemble_ = fit_networks(features, observations, self._recipe(), seed_of(self.random_state), n_jobs)
        return None

    def _predict(self, features: FloatArray) -> PredictedRuntimes:
        return self.ensemble_.distribution(self.ensemble_.inputs(features), self.training_range_.distance(features))

    def _shared_draws(self, features: FloatArray) -> SharedDraws:
        return SharedDraws.of(self.ensemble_.network(self.ensemble_.inputs(features)))

    def _to_arrays(self) -> Arrays:
        return self.ensemble_.to_arrays()

    def _from_arrays(self, arrays: Arrays) -> None:
        self.ensemble_ = Ensemble.from_arrays(arrays, self._recipe())

    def _is_paper(self, **own: Any) -> bool:
        """Whether the published recipe is asked for; settings that it would ignore are an error.

        `own` are the settings that the published recipe has itself: they may be given.
        """
        check_choice("preset", self.preset, PRESETS)
        if self.preset is None:
            return False
        kept = {"preset", "family", "n_jobs", "random_state", "verbose"}  # n_jobs never changes a result
        defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
        ignored = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if name not in kept and not _same(value, defaults[name]) and not _same(value, own.get(name))
        ]
        if ignored:
            raise SettingError(
                f"preset={self.preset!r} has settings of its own and would ignore {', '.join(ignored)}. "
                "Leave them out, or leave the preset out."
            )
        return True

    @property
    def n_iter_(self) -> int:
        """Number of training steps."""
        check_is_fitted(self)
        return self.ensemble_.n_steps

    @property
    def history_(self) -> pd.DataFrame:
        """Training and held-out loss of every KL weight against the step, averaged over its members."""
        check_is_fitted(self)
        return pd.DataFrame(self.ensemble_.history, columns=list(HISTORY)).astype({"step": int})


def fit_networks(
    features: FloatArray, observations: Observations, recipe: Recipe, seed: int, n_jobs: int | None
) -> Ensemble:
    """Train networks; JAX is imported here, so that only fitting pays for it. See `fitting.fit_ensemble`."""
    respect_thread_limit()
    with held_back():  # an interrupt inside of JAX's compiled modules would abort the process
        from bayes_distnet.models.network.fitting import fit_ensemble

    return fit_ensemble(features, observations, recipe, seed, n_jobs)


def as_tuple(value: Any) -> Any:
    """Return lists and arrays as tuples, anything else as it is (and refused by the recipe if it is wrong)."""
    return tuple(value) if isinstance(value, list | tuple | np.ndarray) else value


def _same(value: Any, other: Any) -> bool:
    return bool(np.array_equal(as_tuple(value), as_tuple(other))) if value is not other else True
