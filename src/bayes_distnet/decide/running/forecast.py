"""The predicted distributions of one instance, one per solver, in the form that a figure needs.

Nothing is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bayes_distnet.decide.running.planners import Planner, PortfolioPlanner, SavedPlanner, SolverPlanner, planner_of
from bayes_distnet.distributions.curves import Curves, curves
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.predictions import aligned
from bayes_distnet.validation import check_at_least

COPIES = (1, 2, 4, 8)
DIGITS = 6  # significant digits of the dictionary


@dataclass(frozen=True)
class SolverForecast:
    """The predicted distribution of one solver on one instance.

    Parameters
    ----------
    solver : str
        The solver.
    curves : Curves
        Its cdf and density, one row.
    copies : dict
        Median seconds of the fastest of several copies side by side, by their number.
    """

    solver: str
    curves: Curves
    copies: dict[int, float]

    def as_dict(self) -> dict[str, Any]:
        """Return the forecast as JSON can hold it."""
        own = self.curves
        parts = {"times": own.times, "cdf": own.cdf, "density": own.density, "low": own.low, "high": own.high}
        table = {name: None if part is None else [_short(value) for value in part[0]] for name, part in parts.items()}
        return {"solver": self.solver, "copies": {str(k): _short(v) for k, v in self.copies.items()}, **table}


@dataclass(frozen=True)
class Forecast:
    """The predicted distributions of one instance.

    Parameters
    ----------
    instance : str
        Name of the instance.
    familiarity : dict
        Comparison with the training data: verdict, distance, n_out_of_range and farthest, as `familiarity` of a model.
    solvers : tuple of SolverForecast
        One per solver.
    """

    instance: str
    familiarity: dict[str, Any]
    solvers: tuple[SolverForecast, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the forecast as JSON can hold it."""
        return {
            "instance": self.instance,
            "familiarity": self.familiarity,
            "solvers": [solver.as_dict() for solver in self.solvers],
        }


def forecast(
    model: Any,
    features: Mapping[str, Any],
    *,
    instance: str = "",
    copies: Sequence[int] = COPIES,
    points: int = 120,
) -> Forecast:
    """Predict one instance for a figure.

    Parameters
    ----------
    model : path, PortfolioModel, RuntimeEstimator or Planner
        A folder that `fit` wrote, or a fitted model.
    features : mapping
        Features of the instance; all that the model was fitted on.
    instance : str
        Its name.
    copies : sequence of int
        Numbers of copies side by side.
    points : int, default 120
        Number of points of each curve.

    Returns
    -------
    Forecast
        Curves and copies per solver, and the familiarity of the instance.

    Raises
    ------
    FeatureError
        Features that are missing or cannot be used.

    Examples
    --------
    >>> from bayes_distnet import KNearest, decide, load_dataset
    >>> data = load_dataset("sat-portfolio").take(range(0, 300, 6))
    >>> model = decide.PortfolioModel(KNearest(), presolve=False).fit(data)
    >>> seen = forecast(model, data.features.iloc[0].to_dict())
    >>> [solver.solver for solver in seen.solvers], seen.familiarity["verdict"]
    (['kissat', 'clasp', 'glucose'], 'familiar')
    """
    for number in copies:
        check_at_least("copies", number, 1)
    planner = planner_of(model)
    row = pd.DataFrame([dict(features)])
    own, predicted = _predicted(planner.loaded if isinstance(planner, SavedPlanner) else planner, row)
    found = own.familiarity(aligned(row, own)).iloc[0]
    familiarity = {
        "verdict": str(found["verdict"]),
        "distance": _short(float(found["distance"])),
        "n_out_of_range": int(found["n_out_of_range"]),
        "farthest": str(found["farthest"]),
    }
    solvers = tuple(
        SolverForecast(
            name,
            curves(predicted[name], points=points),
            {int(k): float(predicted[name].minimum_of(int(k)).median()[0]) for k in copies},
        )
        for name in planner.facts.solvers
    )
    return Forecast(instance, familiarity, solvers)


def _predicted(planner: Planner, row: pd.DataFrame) -> tuple[RuntimeEstimator, dict[str, PredictedRuntimes]]:
    """Return a model that holds the ranges of the training data, and the predictions by solver."""
    if isinstance(planner, PortfolioPlanner):
        portfolio = planner.model.portfolio_
        return portfolio.models[0].model, planner.model.predict_distribution(row)
    assert isinstance(planner, SolverPlanner)
    return planner.model, {planner.solver: planner.model.predict_distribution(aligned(row, planner.model))}


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
