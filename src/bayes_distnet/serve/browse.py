"""A data set to browse: its instances, and recorded runs beside predictions."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.kaplan_meier import kaplan_meier, median_runtime
from bayes_distnet.errors import BayesDistNetError, SettingError
from bayes_distnet.serve.shelf import ServedModel

SORTED_BY = ("instance", "recorded", "predicted")


class Browser:
    """The instances of a data set.

    Parameters
    ----------
    data : Dataset
        Runs and features.
    name : str
        Name of the data.
    """

    def __init__(self, data: Dataset, name: str) -> None:
        self.data, self.name = data, name
        self.instances = [str(instance) for instance in data.features.index]
        self._place = {instance: i for i, instance in enumerate(self.instances)}
        self._runs = {solver: _runs(data, solver) for solver in data.solvers}
        self._recorded = {solver: _medians(*runs) for solver, runs in self._runs.items()}
        self._predicted: dict[tuple[str, str], FloatArray] = {}
        self._lock = threading.Lock()

    def about(self) -> dict[str, Any]:
        """Describe the data."""
        return {"name": self.name, "instances": len(self.instances), "solvers": list(self._runs)}

    def first(self, model: ServedModel) -> dict[str, Any] | None:
        """Return the first instance that has all features of a model, not one it was trained on if there is another."""
        if any(name not in self.data.features.columns for name in model.features):
            return None
        new = (name for name in self.instances if name not in model.trained_on)
        return self._features(next(new, self.instances[0]))

    def table(
        self, model: ServedModel, solver: str, search: str, sort: str, descending: bool, start: int, count: int
    ) -> dict[str, Any]:
        """Return a part of the table of instances.

        Parameters
        ----------
        model : ServedModel
            Model whose medians are shown.
        solver : str
            Solver whose runs are shown.
        search : str
            Part of the names of the instances wanted.
        sort : {"instance", "recorded", "predicted"}
            Column that the rows are sorted by.
        descending : bool
            Whether the largest comes first.
        start, count : int
            Rows wanted.

        Returns
        -------
        dict
            total, solver and rows: instance, runs, finished, recorded and predicted (medians in seconds), trained.
        """
        recorded, (seconds, finished) = self._recorded[solver], self._runs[solver]
        predicted = self._medians(model, solver)
        rows = np.array([i for i, name in enumerate(self.instances) if search.lower() in name.lower()], dtype=np.intp)
        keys: Any = np.array(self.instances) if sort == "instance" else recorded if sort == "recorded" else predicted
        order = rows[np.argsort(keys[rows], kind="stable")] if len(rows) else rows
        order = order[::-1] if descending else order
        shown = [
            {
                "instance": self.instances[i],
                "runs": int((~np.isnan(seconds[i])).sum()),
                "finished": int(finished[i].sum()),
                "recorded": float(recorded[i]),
                "predicted": float(predicted[i]),
                "trained": self.instances[i] in model.trained_on,
            }
            for i in order[start : start + count]
        ]
        return {"total": len(rows), "solver": solver, "rows": shown}

    def instance(self, name: str) -> dict[str, Any]:
        """Return the features of an instance, and the empirical cdf of its runs by solver."""
        place = self._find(name)
        runs = {
            solver: _empirical(seconds[place], finished[place]) for solver, (seconds, finished) in self._runs.items()
        }
        return {**self._features(name), "runs": runs}

    def solver_of(self, model: ServedModel, wanted: str | None) -> str:
        """Return the solver whose runs are shown beside a model's predictions."""
        if wanted is not None and wanted not in self._runs:
            raise SettingError(f"solver {wanted[:50]!r}: the data have runs of {', '.join(self._runs)}.")
        known = [solver for solver in model.solvers if solver in self._runs]
        return wanted or (known or list(self._runs))[0]

    def _find(self, name: str) -> int:
        if name not in self._place:
            raise SettingError(f"no instance {name[:80]!r} in these data.")
        return self._place[name]

    def _features(self, name: str) -> dict[str, Any]:
        row = self.data.features.iloc[[self._place[name]]].astype(object)
        values = row.where(row.notna(), None).to_dict("records")[0]
        return {"instance": name, "features": {str(key): value for key, value in values.items()}}

    def _medians(self, model: ServedModel, solver: str) -> FloatArray:
        own = solver if solver in model.solvers else model.solvers[0]
        with self._lock:
            if (model.name, own) not in self._predicted:
                try:
                    medians = model.medians(self.data.features, own)
                except (BayesDistNetError, KeyError):  # features of another kind of instance
                    medians = np.full(len(self.instances), np.nan)
                self._predicted[model.name, own] = medians
            return self._predicted[model.name, own]


def _runs(data: Dataset, solver: str) -> tuple[FloatArray, BoolArray]:
    own = data.of(solver)
    return own.seconds, own.finished


def _medians(seconds: FloatArray, finished: BoolArray) -> FloatArray:
    """Medians of the runs of every instance; NaN where half of them did not finish."""
    medians = np.full(len(seconds), np.nan)
    for i, present in enumerate(~np.isnan(seconds)):
        if present.any():
            medians[i] = median_runtime(seconds[i, present], finished[i, present])
    return medians


def _empirical(seconds: FloatArray, finished: BoolArray) -> dict[str, Any]:
    """Steps of the estimate of Kaplan and Meier: the cdf at the end of every run that finished."""
    present = ~np.isnan(seconds)
    seconds, finished = seconds[present], finished[present]
    if not seconds.size:
        return {"runs": 0, "cut_off": 0, "median": None, "times": [], "cdf": []}
    steps = pd.Series(kaplan_meier(seconds, finished)[finished]).groupby(seconds[finished]).sum().cumsum()
    return {
        "runs": len(seconds),
        "cut_off": int((~finished).sum()),
        "median": median_runtime(seconds, finished),
        "times": [float(time) for time in steps.index],
        "cdf": [round(float(value), 6) for value in steps],
    }
