"""Runs and features of the same instances, as models take them; on disk a folder of small tables."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.tables import read_frame, read_runs, write_frame, write_runs
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError
from bayes_distnet.validation import check_seed


@dataclass(frozen=True)
class Dataset:
    """Runs of one or more solvers, and features of the instances they ran on.

    `features` has one row an instance, by name; `runs` every run. `seconds` and `finished`, instances x runs, are in
    the order of `features`, so that `model.fit(data.features, data.seconds, finished=data.finished)` works. Where
    there are several solvers, choose one first: `data.of("clasp")`.
    """

    runs: RunTable
    features: pd.DataFrame
    feature_cost: pd.Series[float] | None = None
    """CPU seconds it took to compute the features of each instance, where known."""
    parts: pd.Series | None = None
    """The part of each instance in a split that was published with the data: a fold, or "train" and "test"."""
    notes: tuple[str, ...] = ()
    """What had to be decided, repaired or left out when the data were read."""
    provenance: dict[str, Any] = field(default_factory=dict)
    """When, where and how the runs were collected."""

    def __post_init__(self) -> None:
        """Refuse features that do not say whose they are."""
        if not self.features.index.is_unique:
            twice = self.features.index[self.features.index.duplicated()][0]
            raise RuntimeDataError(f"features: instance {twice!r} has two rows.")

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        """Say what is inside."""
        solvers = ", ".join(self.solvers)
        return (
            f"<Dataset: {len(self)} instances, {self.features.shape[1]} features, {len(self.runs)} runs of {solvers}>"
        )

    @property
    def solvers(self) -> list[str]:
        """Names of the solvers, sorted."""
        return list(self.runs.solvers())

    def of(self, solver: str) -> Dataset:
        """Return the data of one solver."""
        return replace(self, runs=self.runs.of(solver))

    @property
    def X(self) -> pd.DataFrame:
        """The features, under the name scikit-learn has for them."""
        return self.features

    @property
    def seconds(self) -> FloatArray:
        """CPU seconds, instances x runs; NaN where there is no run that tells anything."""
        return self._matrices[0]

    @property
    def finished(self) -> BoolArray:
        """Whether each of those runs finished; the others were cut off at their seconds."""
        return self._matrices[1]

    @cached_property
    def _matrices(self) -> tuple[FloatArray, BoolArray]:
        if len(self.solvers) > 1:
            raise RuntimeDataError(
                f"these are runs of {len(self.solvers)} solvers ({', '.join(self.solvers)}): choose one, "
                f"e.g. .of({self.solvers[0]!r})."
            )
        observed = self.runs.observed()
        frame = observed.frame.assign(finished=observed.finished)
        frame = frame[frame["instance"].isin(self.features.index)]
        # By seed, so that a column is one seed for all instances; by count where seeds do not tell runs apart, or where
        # instances have seeds of their own and the matrix would be mostly holes.
        column, most = frame["seed"], frame.groupby("instance").size().max() if len(frame) else 0
        if frame.duplicated(["instance", "seed"]).any() or frame["seed"].nunique() > 2 * most:
            column = frame.groupby("instance", sort=False).cumcount()
        labels, columns = np.unique(column.to_numpy(), return_inverse=True)
        rows = self.features.index.get_indexer(pd.Index(frame["instance"]))
        seconds = np.full((len(self), len(labels)), np.nan)
        finished = np.zeros(seconds.shape, dtype=bool)
        seconds[rows, columns], finished[rows, columns] = frame["seconds"], frame["finished"]
        return seconds, finished

    def matched(self) -> Dataset:
        """Return only the instances that have both features and runs.

        >>> runs = pd.DataFrame({"instance": ["a", "b"], "seconds": [1.0, 2.0], "status": "solved"})
        >>> features = pd.DataFrame({"size": [30.0, 10.0]}, index=["c", "a"])
        >>> Dataset(RunTable.from_frame(runs), features).matched().features.index.tolist()
        ['a']
        """
        with_runs = dict.fromkeys(self.runs.observed().frame["instance"])
        both = [name for name in self.features.index if name in with_runs]
        if not both:
            raise FeatureError(
                f"No instance has both runs and features: runs are of {list(with_runs)[:2]}, features of "
                f"{list(self.features.index[:2])}. Rename one of them so that an instance has one name."
            )
        return self.select(both)

    def select(self, instances: Iterable[str]) -> Dataset:
        """Return the data of some instances, in the order given."""
        names = list(instances)
        if unknown := [name for name in names if name not in self.features.index]:
            raise RuntimeDataError(f"no features of instance {unknown[0]!r} ({len(unknown)} such names).")
        frame = self.runs.frame
        cost, parts = self.feature_cost, self.parts
        return replace(
            self,
            runs=RunTable(frame[frame["instance"].isin(names)].reset_index(drop=True)),
            features=self.features.loc[names],
            feature_cost=None if cost is None else cost.reindex(names),
            parts=None if parts is None else parts[parts.index.isin(names)],
        )

    def split(self, test_size: float = 0.2, *, random_state: int = 0) -> tuple[Dataset, Dataset]:
        """Return training and test data, split at random by instance."""
        if not 0 < test_size < 1:
            raise SettingError(f"test_size={test_size!r}: expected a part between 0 and 1.")
        order = np.random.default_rng(check_seed("random_state", random_state)).permutation(len(self))
        tested = round(len(self) * test_size)
        if not 0 < tested < len(self):
            raise SettingError(f"a share of {test_size:g} of {len(self)} instances leaves one part empty.")
        names: NDArray[Any] = self.features.index.to_numpy()
        return self.select(names[np.sort(order[tested:])]), self.select(names[np.sort(order[:tested])])

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the data to a folder: `runs.parquet`, `features.parquet`, and what is known of their making."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_runs(self.runs, folder / "runs.parquet")
        write_frame(self.features.rename_axis("instance"), folder / "features.parquet")
        _write_column(self.feature_cost, folder / "feature_cost.parquet", "seconds")
        _write_column(self.parts, folder / "parts.parquet", "part")
        about = {"notes": list(self.notes), **self.provenance}
        (folder / "provenance.json").write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Dataset:
        """Read a folder that `save` wrote."""
        folder = Path(folder)
        if not (folder / "runs.parquet").is_file():
            raise RuntimeDataError(f"{folder}: no data set here (no runs.parquet).")
        provenance = _read_about(folder / "provenance.json")
        return cls(
            read_runs(folder / "runs.parquet"),
            _by_instance(folder / "features.parquet"),
            _read_column(folder / "feature_cost.parquet", "seconds"),
            _read_column(folder / "parts.parquet", "part"),
            tuple(provenance.pop("notes", ())),
            provenance,
        )


def _read_about(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        about = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise RuntimeDataError(f"{path}: not JSON ({error}).") from error
    if not isinstance(about, dict) or not isinstance(about.get("notes", []), list):
        raise RuntimeDataError(f"{path}: expected an object whose notes, if any, are a list.")
    return about


def _by_instance(path: Path) -> pd.DataFrame:
    table = read_frame(path)
    if "instance" not in table:
        raise RuntimeDataError(f"{path}: no column 'instance'; found {list(table.columns)[:5]}.")
    return table.set_index("instance")


def _write_column(column: pd.Series | None, path: Path, name: str) -> None:
    """Write a column by instance; None removes what an older data set left there."""
    if column is None:
        path.unlink(missing_ok=True)
    else:
        write_frame(column.rename_axis("instance").to_frame(name), path)


def _read_column(path: Path, name: str) -> pd.Series | None:
    """Return a column of a table by instance; None if there is no such file."""
    return _by_instance(path)[name] if path.is_file() else None
