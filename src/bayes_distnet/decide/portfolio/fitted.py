"""A fitted portfolio: models of several solvers, what links them, and what was learnt about choosing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.decide.laws.dependence import Dependence
from bayes_distnet.decide.laws.joint_laws import DRAWS, JointLaws, likely_times
from bayes_distnet.decide.laws.objectives import Objective
from bayes_distnet.decide.laws.similar_laws import with_similar
from bayes_distnet.decide.portfolio.quick_choice import QuickChoice
from bayes_distnet.decide.portfolio.selector import Selector
from bayes_distnet.decide.portfolio.solver_model import SolverModel
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import FeatureError, SettingError


@dataclass(frozen=True)
class Portfolio:
    """What a `PortfolioModel` has learnt.

    Parameters
    ----------
    solvers : tuple of str
        Solvers that can be chosen.
    left_out : dict
        Solvers that cannot, with the reason.
    models : tuple of SolverModel
        One per solver.
    dependence : Dependence
        Correlation of their instance effects.
    objective : Objective
        Objective that the choice was learnt for.
    cutoff : float
        Seconds after which a run is stopped.
    columns : tuple of str
        Names of the features that are used.
    groups : tuple of str or None
        Groups of features that they belong to; None if the training data have no groups.
    feature_cost : float
        Median seconds of a decision by features, with its overhead; 0 if unknown.
    seconds, finished : array
        (n, S, k) training runs.
    selector : Selector or None
        Learnt choice; None with one solver.
    uses_features : bool
        Whether choices by features are worth the seconds that features take; if not, the single best solver is as good.
    presolver : tuple of Slot
        Schedule before features are computed.
    quick : QuickChoice or None
        Choice that needs no model, where it is the cheapest one.
    """

    solvers: tuple[str, ...]
    left_out: dict[str, str]
    models: tuple[SolverModel, ...]
    dependence: Dependence
    objective: Objective
    cutoff: float
    columns: tuple[str, ...]
    groups: tuple[str, ...] | None
    feature_cost: float
    seconds: FloatArray
    finished: BoolArray
    selector: Selector | None
    uses_features: bool
    presolver: tuple[Slot, ...]
    quick: QuickChoice | None = None

    @property
    def single_best(self) -> int:
        """Number of the solver with the least mean cost on the training instances."""
        return 0 if self.selector is None else self.selector.single_best

    def rows(self, X: Any) -> pd.DataFrame:
        """Return features with the columns of the training data; a `FeatureError` if they are not there."""
        if isinstance(X, pd.Series):
            X = X.to_frame().T
        if isinstance(X, pd.DataFrame):
            named = X.set_axis([str(name) for name in X.columns], axis=1)
            if missing := [name for name in self.columns if name not in named.columns]:
                raise FeatureError(
                    f"X: no column {missing[0]!r} ({len(missing)} of the {len(self.columns)} that the model was fitted "
                    "on are missing). Compute the features as for the training runs."
                )
            return named[list(self.columns)].astype(float)
        try:
            array = np.atleast_2d(np.asarray(X, dtype=float))
        except (TypeError, ValueError) as error:
            raise FeatureError(f"X: expected a table of numbers ({error}).") from error
        if array.ndim != 2 or array.shape[1] != len(self.columns):
            raise FeatureError(
                f"X has shape {array.shape}, but the model was fitted on {len(self.columns)} features: give one row "
                "per instance."
            )
        return pd.DataFrame(array, columns=list(self.columns))

    def allowed(self, solvers: Iterable[str] | None) -> IndexArray:
        """Return the numbers of some solvers, by default of all; a `SettingError` names the first that is unknown."""
        if solvers is None:
            return np.arange(len(self.solvers))
        names = [solvers] if isinstance(solvers, str) else list(solvers)
        for name in names:
            if name in self.left_out:
                raise SettingError(f"solver {name!r} cannot be chosen: {self.left_out[name]}.")
            if name not in self.solvers:
                raise SettingError(f"solver {name!r}: expected one of {', '.join(self.solvers)}.")
        if not names:
            raise SettingError("solvers: none given; name at least one.")
        return np.array(sorted({self.solvers.index(name) for name in names}), dtype=np.intp)

    def predict(self, rows: pd.DataFrame, allowed: IndexArray) -> dict[str, PredictedRuntimes]:
        """Return predicted runtimes by solver."""
        return {self.solvers[s]: self.models[s].predict(rows) for s in allowed}

    def shows(self, until: float | None) -> bool:
        """Whether training runs show what happens until some second: past their cutoff they do not."""
        return self.selector is not None and until is not None and until <= self.cutoff

    def shares(self, rows: pd.DataFrame) -> FloatArray:
        """Return the weights (n, N) of the training instances by which they are similar to rows."""
        if self.selector is None:
            return np.full((len(rows), len(self.seconds)), 1.0 / len(self.seconds))
        return self.selector.neighbours.weights(self.selector.inputs.transform(rows.to_numpy(float)))

    def joint(
        self, rows: pd.DataFrame, allowed: IndexArray, *, until: float | None = None, n_draws: int = DRAWS
    ) -> JointLaws:
        """Tabulate drawn instances and, up to the cutoff, similar training instances that each row may stand for."""
        predicted = self.predict(rows, allowed)
        dependence = self.dependence.take([int(s) for s in allowed])
        laws = JointLaws.of(predicted, dependence, times=likely_times(predicted, until), n_draws=n_draws)
        if not self.shows(until):
            return laws
        return with_similar(laws, self.shares(rows), self.seconds[:, allowed], self.finished[:, allowed])
