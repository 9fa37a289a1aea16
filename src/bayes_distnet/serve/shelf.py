"""The models that are served, loaded once."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.decide.running.consultation import consult
from bayes_distnet.decide.running.forecast import forecast
from bayes_distnet.decide.running.planners import PortfolioPlanner, SavedPlanner, SolverPlanner, planner_of
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.header import read_header
from bayes_distnet.models.predictions import aligned, predictions
from bayes_distnet.models.record import TrainingRecord, read_record
from bayes_distnet.report.contents import contents
from bayes_distnet.serve.bodies import Row


@dataclass(frozen=True)
class ServedModel:
    """A loaded model and the answers that it gives.

    Parameters
    ----------
    name : str
        Name under which it is served.
    facts : dict
        The facts that `bayes-distnet info --json` prints.
    planner : PortfolioPlanner or SolverPlanner
        The model.
    record : TrainingRecord or None
        Record of its training data.
    """

    name: str
    facts: dict[str, Any]
    planner: PortfolioPlanner | SolverPlanner
    record: TrainingRecord | None

    @classmethod
    def load(cls, folder: str | os.PathLike[str], name: str) -> ServedModel:
        """Load a model from a folder."""
        record = read_record(folder)
        known = record is not None and bool(record.solver)
        planner: Any = planner_of(os.fspath(folder), None if known else _nameless(folder))
        planner = planner.loaded if isinstance(planner, SavedPlanner) else planner
        return cls(name, contents(folder).facts, planner, record)

    @property
    def portfolio(self) -> bool:
        """Whether it chooses between solvers."""
        return isinstance(self.planner, PortfolioPlanner)

    @property
    def solvers(self) -> tuple[str, ...]:
        """Its solvers."""
        return self.planner.facts.solvers

    @property
    def estimator(self) -> RuntimeEstimator:
        """The estimator, of a portfolio that of the first solver."""
        if isinstance(self.planner, PortfolioPlanner):
            model: RuntimeEstimator = self.planner.model.portfolio_.models[0].model
            return model
        return self.planner.model

    @cached_property
    def features(self) -> list[str]:
        """Names of the features; numbers where the model has no names."""
        names = getattr(self.estimator, "feature_names_in_", None)
        return [str(name) for name in (range(self.estimator.n_features_in_) if names is None else names)]

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.features)

    @cached_property
    def trained_on(self) -> frozenset[str]:
        """Names of the training instances, as far as they are recorded."""
        return frozenset() if self.record is None else frozenset(map(str, self.record.names))

    def about(self) -> dict[str, Any]:
        """Describe the model."""
        return {
            "name": self.name,
            "kind": self.facts["model"],
            "portfolio": self.portfolio,
            "solvers": list(self.solvers),
            "features": self.features,
            "training": self.facts["training"],
        }

    def middle(self) -> dict[str, float | None]:
        """Return a made-up instance: the middle of the range of every feature on the training data."""
        trained = self.estimator.training_range_
        ends = zip(self.features, trained.low, trained.high, strict=True)
        return {name: None if math.isnan(low) else float(low / 2 + high / 2) for name, low, high in ends}

    def medians(self, features: pd.DataFrame, solver: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Predict the medians of many instances."""
        table = features[self.features]
        if isinstance(self.planner, PortfolioPlanner):
            return self.planner.model.predict_distribution(table)[solver].median()
        return self.planner.model.predict_distribution(table).median()

    def predict(self, rows: Sequence[Row], settings: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Predict rows as `bayes-distnet predict --json` does."""
        if self.portfolio:
            raise SettingError(f"{self.name}: a portfolio of several solvers; ask for advise or forecast instead.")
        table = predictions(self.planner.model, self._table(rows), **settings)
        columns = {name: [_six_digits(value) for value in table[name].tolist()] for name in table.columns}
        return [
            {"instance": row.instance, **{name: values[i] for name, values in columns.items()}}
            for i, row in enumerate(rows)
        ]

    def _table(self, rows: Sequence[Row]) -> pd.DataFrame:
        """Return rows as a table; numbers go straight into an array, since a table of dictionaries takes longer."""
        for row in rows:  # each alone: in a common table, columns of other rows would hide what is missing
            if not row.features.keys() >= self._names:
                aligned(pd.DataFrame(columns=list(row.features)), self.estimator)
        try:
            values = [[row.features[name] for name in self.features] for row in rows]
            return pd.DataFrame(np.array(values, dtype=float), columns=self.features)
        except (KeyError, TypeError, ValueError):  # missing columns, or text: reported by the model
            return pd.DataFrame([row.features for row in rows])

    def advise(self, row: Row, **situation: Any) -> dict[str, Any]:
        """Answer as `bayes-distnet advise --json` does."""
        self._check(row)
        return consult(self.planner, _numbers(row.features), instance=row.instance, **situation).as_dict()

    def forecast(self, row: Row, points: int) -> dict[str, Any]:
        """Return the curves of the predicted distributions."""
        self._check(row)
        return forecast(self.planner, _numbers(row.features), instance=row.instance, points=points).as_dict()

    def _check(self, row: Row) -> None:
        """Refuse features that `consult` would take for missing."""
        self.estimator.familiarity(aligned(pd.DataFrame([_numbers(row.features)]), self.estimator))


class Shelf(dict[str, ServedModel]):
    """Served models by name, in order."""

    @classmethod
    def load(cls, folders: Iterable[str | os.PathLike[str]]) -> Shelf:
        """Load models from folders; the name of the folder is that of the model."""
        shelf = cls()
        for folder in folders:
            name = base = Path(folder).resolve().name
            for number in range(2, 1000):
                if name not in shelf:
                    break
                name = f"{base} {number}"
            shelf[name] = ServedModel.load(folder, name)
        return shelf


def _nameless(folder: str | os.PathLike[str]) -> str | None:
    """Return a name for the solver of a model that has no record of it; portfolios have names."""
    return None if read_header(Path(folder)).get("model") == "PortfolioModel" else "solver"


def _numbers(features: Mapping[str, Any]) -> dict[str, Any]:
    return {name: math.nan if value is None else value for name, value in features.items()}


def _six_digits(value: Any) -> Any:
    return value if isinstance(value, str) else float(f"{value:.6g}")
