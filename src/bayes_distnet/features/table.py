"""Features of many instance files: the ending of a file's name selects its feature set."""

from __future__ import annotations

import contextlib
import os
import queue
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from tqdm.auto import tqdm

from bayes_distnet.errors import FeatureError
from bayes_distnet.features.base import Features
from bayes_distnet.features.extractor import Extractor
from bayes_distnet.features.groups import with_required
from bayes_distnet.features.registry import FeatureSet, feature_set_of
from bayes_distnet.validation import check_at_least, check_choice, check_positive, check_seed


@dataclass(frozen=True)
class FeatureTable:
    """Features of many instances.

    Parameters
    ----------
    features : DataFrame
        Features, one row per instance; NaN where a feature is unknown.
    cost : Series
        CPU seconds that each row took; kept apart so that no model learns from it.
    failures : dict
        Error message of each instance whose features could not be computed.
    group_cost : DataFrame
        CPU seconds per instance and group of the feature set; without columns if the files are of several sets, or of
        one without groups.
    """

    features: pd.DataFrame
    cost: pd.Series[float]
    failures: dict[str, str]
    group_cost: pd.DataFrame

    @property
    def costs(self) -> pd.DataFrame:
        """Costs as one table: the column `seconds`, and one column per group."""
        return pd.concat([self.cost.rename("seconds"), self.group_cost], axis=1)


def extract_features(
    paths: Iterable[str | os.PathLike[str]],
    *,
    random_state: int = 0,
    time_limit: float = 30.0,
    groups: Iterable[str] | None = None,
    n_jobs: int = 1,
    on_error: str = "raise",
    progress: bool = False,
) -> FeatureTable:
    """Compute the features of instance files.

    Parameters
    ----------
    paths : iterable of path-like
        Instance files; the file name is the name of the instance.
    random_state : int, default 0
        Seed of random probes.
    time_limit : float, default 30.0
        Limit in wall-clock seconds per file.
    groups : iterable of str or None, default None
        Groups of features to compute, with those that they require; None computes all.
    n_jobs : int, default 1
        Number of files at once.
    on_error : {"raise", "nan"}, default "raise"
        Whether a file whose features cannot be computed is an error, or receives a row of NaN and is listed in
        `failures`.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    FeatureTable
        Features, their cost, and failures, in the order of the files.

    Raises
    ------
    FeatureError
        If there are no files, two have the same name, one has an unknown ending, or features cannot be computed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "tiny.cnf")
    ...     _ = file.write_text("p cnf 2 2" + chr(10) + "1 2 0 -1 2 0")
    ...     table = extract_features([file])
    >>> table.features.loc["tiny.cnf", ["structure.clauses", "probe100.solved.mean"]].tolist()
    [2.0, 1.0]
    """
    files = [Path(path) for path in paths]
    check_choice("on_error", on_error, ("raise", "nan"))
    check_at_least("n_jobs", n_jobs, 1)
    check_positive("time_limit", time_limit)
    seed = check_seed("random_state", random_state)
    sets = _feature_sets(files)
    wanted = None if groups is None else tuple(groups)
    for entry in set(sets.values()):
        with_required(entry.groups, wanted)
    found: dict[str, Features] = {}
    failures: dict[str, str] = {}
    with _results(sets, seed, time_limit, wanted, n_jobs) as results:
        for file, result in zip(files, tqdm(results, total=len(files), disable=not progress, unit="file"), strict=True):
            if isinstance(result, Features):
                found[file.name] = result
            elif on_error == "raise":
                raise result
            else:
                failures[file.name] = str(result)
    index = pd.Index([file.name for file in files], name="instance", dtype=object)
    rows = {name: one.values for name, one in found.items()}  # noqa: PD011
    features = pd.DataFrame.from_dict(rows, orient="index", dtype=float)
    cost = pd.Series({name: one.cost for name, one in found.items()}, name="cost", dtype=float)
    return FeatureTable(features.reindex(index), cost.reindex(index), failures, _group_cost(sets, found).reindex(index))


def _group_cost(sets: dict[Path, FeatureSet], found: dict[str, Features]) -> pd.DataFrame:
    if len(set(sets.values())) > 1:
        return pd.DataFrame(index=pd.Index(list(found), dtype=object))
    costs = {name: one.group_costs for name, one in found.items()}
    return pd.DataFrame.from_dict(costs, orient="index", dtype=float)


@contextlib.contextmanager
def _results(
    sets: dict[Path, FeatureSet], seed: int, time_limit: float, groups: tuple[str, ...] | None, n_jobs: int
) -> Iterator[Iterator[Features | FeatureError]]:
    """Compute features in processes of their own, which end with the block; yield results in the order of the files."""
    processes = [Extractor() for _ in range(min(n_jobs, len(sets)))]
    free = queue.SimpleQueue[Extractor]()
    for process in processes:
        free.put(process)

    def compute(path: Path, entry: FeatureSet) -> Features | FeatureError:
        process = free.get()
        try:
            return process.compute(entry.source, path, time_limit, entry.settings(seed, groups))
        finally:
            free.put(process)

    pool = ThreadPoolExecutor(len(processes), "features")
    try:
        yield pool.map(compute, sets.keys(), sets.values())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.close()
        pool.shutdown(wait=True)


def _feature_sets(files: list[Path]) -> dict[Path, FeatureSet]:
    """Return the feature set of every file; the files must exist and have different names."""
    if not files:
        raise FeatureError("extract_features: no files. Give the paths of instances.")
    names: dict[str, Path] = {}
    found: dict[Path, FeatureSet] = {}
    for file in files:
        found[file] = feature_set_of(file)
        if not file.is_file():
            raise FeatureError(f"{file}: no such file.")
        if file.name in names:
            raise FeatureError(f"{file}: {names[file.name]} has the same name, and the name identifies an instance.")
        names[file.name] = file
    return found
