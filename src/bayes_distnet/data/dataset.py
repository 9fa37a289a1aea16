"""Runs and features of the same instances, in the form that models take; on disk a folder of small tables."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.data.feature_groups import FeatureGroups, read_groups, write_groups
from bayes_distnet.data.folds import read_folds, write_folds
from bayes_distnet.data.matrix import places_in_matrix
from bayes_distnet.data.provenance import FILES, read_provenance, write_provenance
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.shown import runs_html
from bayes_distnet.data.splits import choose_cutoffs, two_parts
from bayes_distnet.data.statuses import TIMEOUT
from bayes_distnet.data.tables import read_by_instance, read_column, read_runs, write_column, write_frame, write_runs
from bayes_distnet.errors import FeatureError, RuntimeDataError
from bayes_distnet.files import located, written_together

if TYPE_CHECKING:
    from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution


@dataclass(frozen=True)
class Dataset:
    """Runs of one or more solvers, and features of the instances that they ran on.

    `model.fit(data.features, data.seconds, finished=data.finished)` trains a model. A data set with several solvers
    is reduced to one of them first: `data.of("clasp")`.

    Parameters
    ----------
    runs : RunTable
        All runs.
    features : DataFrame
        Features, one row per instance, indexed by the names of the instances.
    feature_cost : Series, optional
        CPU seconds that computing the features took, by instance.
    parts : Series, optional
        Part of each instance in a split that was published with the data: "train" or "test".
    notes : tuple of str
        Decisions, repairs and omissions made when the data were read.
    provenance : dict
        Time, place and settings of the collection of the runs.
    folds : DataFrame, optional
        Folds that were published with the data, one column per repetition (1, 2, ...): see `make_folds`.
    feature_groups : FeatureGroups, optional
        Groups of features that are computed together, with their cost and outcome.
    groups : Series, optional
        Group of each instance, such as the user who sent a job: `split` never divides a group.
    truth : RuntimeDistribution, optional
        Distribution from which generated runs were drawn, one row per row of `features`. It is not saved.
    """

    runs: RunTable
    features: pd.DataFrame
    feature_cost: pd.Series[float] | None = None
    parts: pd.Series | None = None
    notes: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)
    folds: pd.DataFrame | None = None
    feature_groups: FeatureGroups | None = None
    groups: pd.Series | None = None
    truth: RuntimeDistribution | None = None

    def __post_init__(self) -> None:
        """Refuse features, folds, feature groups and truth that cannot be assigned to instances."""
        if not self.features.index.is_unique:
            twice = self.features.index[self.features.index.duplicated()][0]
            raise RuntimeDataError(f"features: instance {twice!r} has two rows.")
        costs = None if self.feature_groups is None else self.feature_groups.cost
        for what, table in (("folds", self.folds), ("feature_groups", costs), ("groups", self.groups)):
            if table is not None and not table.index.equals(self.features.index):
                raise RuntimeDataError(f"{what}: expected the same instances as in features, in the same order.")
        if self.truth is not None and len(self.truth) != len(self.features):
            raise RuntimeDataError(f"truth has {len(self.truth)} rows, but features has {len(self.features)}.")

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        size = f"{len(self)} instances, {self.features.shape[1]} features, {len(self.runs)} runs"
        return f"<Dataset: {size} of {', '.join(self.solvers)}>"

    def _repr_html_(self) -> str:
        return runs_html(self.runs, f"Dataset: {len(self):,} instances, {self.features.shape[1]:,} features")

    @property
    def solvers(self) -> list[str]:
        """Names of the solvers, sorted."""
        return list(self.runs.solvers())

    @property
    def X(self) -> pd.DataFrame:
        """The features, under scikit-learn's name."""
        return self.features

    @property
    def seconds(self) -> FloatArray:
        """CPU seconds, instances x runs in the order of `features`; NaN where there is no solved run or timeout."""
        return self._matrices[0]

    @property
    def finished(self) -> BoolArray:
        """Whether each run of `seconds` finished; the others were cut off at their seconds."""
        return self._matrices[1]

    @cached_property
    def _matrices(self) -> tuple[FloatArray, BoolArray]:
        runs, rows, columns = self._places
        seconds = np.full((len(self), int(columns.max(initial=-1)) + 1), np.nan)
        finished = np.zeros(seconds.shape, dtype=bool)
        seconds[rows, columns], finished[rows, columns] = self.runs.seconds[runs], self.runs.finished[runs]
        return seconds, finished

    @cached_property
    def _places(self) -> tuple[IndexArray, IndexArray, IndexArray]:
        return places_in_matrix(self.runs, self.features.index)

    def of(self, solver: str) -> Dataset:
        """Return the data of one solver.

        Parameters
        ----------
        solver : str
            Name of the solver.

        Returns
        -------
        Dataset
            Its runs, and all features.

        Raises
        ------
        RuntimeDataError
            If there is no run of the solver.
        """
        return replace(self, runs=self.runs.of(solver))

    def matched(self) -> Dataset:
        """Keep the instances that have both features and runs.

        Returns
        -------
        Dataset
            Data of these instances.

        Raises
        ------
        FeatureError
            If no instance has both.

        Examples
        --------
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
        """Return the data of some instances.

        Parameters
        ----------
        instances : iterable of str
            Names of the instances, in the order wanted.

        Returns
        -------
        Dataset
            Runs, features and all else of these instances.

        Raises
        ------
        RuntimeDataError
            If an instance has no features.
        """
        names = list(instances)
        rows = self.features.index.get_indexer(pd.Index(names, dtype=self.features.index.dtype))
        if unknown := [name for name, row in zip(names, rows, strict=True) if row < 0]:
            raise RuntimeDataError(f"no features of instance {unknown[0]!r} ({len(unknown)} such names).")
        return self.take(rows)

    def take(self, rows: ArrayLike) -> Dataset:
        """Return the data of the instances in some rows of `features`.

        Parameters
        ----------
        rows : array-like of int
            Row numbers, in the order wanted.

        Returns
        -------
        Dataset
            Runs, features and all else of these instances.
        """
        chosen: IndexArray = np.asarray(rows, dtype=np.intp)
        names = self.features.index[chosen]
        frame, cost, parts, groups = self.runs.frame, self.feature_cost, self.parts, self.feature_groups
        return replace(
            self,
            runs=RunTable(frame[frame["instance"].isin(names)].reset_index(drop=True)),
            features=self.features.iloc[chosen],
            feature_cost=None if cost is None else cost.reindex(names),
            parts=None if parts is None else parts[parts.index.isin(names)],
            folds=None if self.folds is None else self.folds.iloc[chosen],
            feature_groups=None if groups is None else groups.take(names),
            groups=None if self.groups is None else self.groups.iloc[chosen],
            truth=None if self.truth is None else self.truth[chosen],
        )

    def split(self, test_size: float = 0.2, *, random_state: int = 0) -> tuple[Dataset, Dataset]:
        """Split the data at random by instance, or by group where instances have groups.

        Parameters
        ----------
        test_size : float, default 0.2
            Fraction of the instances, or of the groups, to test on, between 0 and 1.
        random_state : int, default 0
            Seed that determines the split.

        Returns
        -------
        train, test : Dataset
            Training and test data, each in the order of `features`.

        Raises
        ------
        SettingError
            If one of the two would be empty.
        """
        train, test = two_parts(len(self), self.groups, test_size, random_state)
        return self.take(train), self.take(test)

    def cut_off(self, fraction: float, cutoffs: str = "global", random_state: int = 0) -> Dataset:
        """Cut off a fraction of the runs, as a smaller time limit would have.

        Runs that were cut off before count towards the fraction: after two calls, the larger fraction is unfinished.

        Parameters
        ----------
        fraction : float
            Fraction of the runs in `seconds` that do not finish, in [0, 1).
        cutoffs : {"global", "instance", "random"}, default "global"
            One cutoff for all runs, one per instance, or one per run: see `bayes_distnet.data.splits.choose_cutoffs`.
        random_state : int, default 0
            Seed of cutoffs that are drawn at random.

        Returns
        -------
        Dataset
            The same data. A run past its cutoff is a timeout of that many seconds, and the column `cutoff` of the run
            table holds the cutoffs. Runs that `seconds` does not hold, and all other columns, are unchanged.

        Examples
        --------
        >>> runs = pd.DataFrame({"instance": ["a", "b"], "seconds": [1.0, 2.0], "status": "solved"})
        >>> data = Dataset(RunTable.from_frame(runs), pd.DataFrame({"size": [30.0, 10.0]}, index=["a", "b"]))
        >>> data.cut_off(0.5).runs.frame[["seconds", "status", "cutoff"]].values.tolist()
        [[1.0, 'solved', 1.0], [1.0, 'timeout', 1.0]]
        """
        chosen = choose_cutoffs(self.seconds, fraction, cutoffs, random_state)
        if fraction == 0:
            return self
        runs, rows, columns = self._places
        limit = np.full(len(self.runs), np.inf)
        limit[runs] = chosen[rows, columns]
        frame = self.runs.frame
        frame = frame.assign(
            seconds=np.minimum(frame["seconds"], limit),
            status=frame["status"].mask(frame["seconds"] > limit, TIMEOUT),
            cutoff=np.minimum(frame["cutoff"], limit),
        )
        return replace(self, runs=RunTable(frame))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the data to a folder of tables, all of them or none.

        Parameters
        ----------
        folder : path-like
            Folder to write to; it is made if it does not exist. It receives `runs.parquet`, `features.parquet`,
            `provenance.json` (with the notes) and, if they are known, `feature_cost.parquet`, `parts.parquet`,
            `folds.parquet`, `groups.parquet`, `feature_groups.json` and `feature_groups.parquet`.
        """
        with written_together(Path(folder), FILES) as drafts:
            write_runs(self.runs, drafts / "runs.parquet")
            write_frame(self.features.rename_axis("instance"), drafts / "features.parquet")
            write_column(self.feature_cost, drafts / "feature_cost.parquet", "seconds")
            write_column(self.parts, drafts / "parts.parquet", "part")
            write_folds(self.folds, drafts / "folds.parquet")
            write_groups(self.feature_groups, drafts)
            write_column(self.groups, drafts / "groups.parquet", "group")
            write_provenance(drafts / "provenance.json", {"notes": list(self.notes), **self.provenance})

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Dataset:
        """Read a folder that `save` wrote.

        Parameters
        ----------
        folder : path-like
            The folder.

        Returns
        -------
        Dataset
            The data; `truth` is None.

        Raises
        ------
        RuntimeDataError
            If the folder holds no data set, or a file of it cannot be read.
        """
        folder = Path(folder)
        if not (folder / "runs.parquet").is_file():
            raise RuntimeDataError(f"{folder}: no data set here (no runs.parquet).")
        provenance = read_provenance(folder / "provenance.json")
        features = read_by_instance(folder / "features.parquet")
        with located(folder, RuntimeDataError):  # files may not belong together
            return cls(
                read_runs(folder / "runs.parquet"),
                features,
                read_column(folder / "feature_cost.parquet", "seconds"),
                read_column(folder / "parts.parquet", "part"),
                tuple(provenance.pop("notes", ())),
                provenance,
                read_folds(folder / "folds.parquet", features.index),
                read_groups(folder, features.index),
                read_column(folder / "groups.parquet", "group"),
            )
