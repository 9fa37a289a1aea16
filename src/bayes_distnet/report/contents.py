"""Contents of files and folders: runs, data sets, models and results."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.shipped.load import load_dataset
from bayes_distnet.data.shipped.registry import DATASETS
from bayes_distnet.data.tables import read_runs
from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.results import ABOUT, KEY, Results
from bayes_distnet.models.header import HEADER, read_header
from bayes_distnet.models.record import read_record


@dataclass(frozen=True)
class Contents:
    """What a file or folder holds.

    Parameters
    ----------
    kind : {"runs", "data", "model", "results"}
        What it is.
    facts : dict
        Plain values, as JSON can hold them.
    runs : RunTable or None
        The runs, of a table or a data set.
    """

    kind: str
    facts: dict[str, Any]
    runs: RunTable | None = None


def contents(source: str | os.PathLike[str]) -> Contents:
    """Return the contents of a file or folder.

    Parameters
    ----------
    source : path or str
        A store, a Parquet or CSV table of runs, a folder (of a data set, a model, or results), or the name of a data
        set that comes with the package.

    Returns
    -------
    Contents
        Its kind and facts.

    Raises
    ------
    SettingError
        A source that does not exist.

    Examples
    --------
    >>> contents("clasp-factoring").facts["instances"]
    510
    """
    path = Path(source)
    if (path / HEADER).is_file():
        return _model(path)
    if (path / ABOUT).is_file():
        return _results(path)
    if path.is_file():
        runs = read_runs(path)
        return Contents("runs", runs.counts(), runs)
    if str(source) in DATASETS:
        return _data(load_dataset(str(source)))
    if path.is_dir():
        return _data(Dataset.load(path))
    raise SettingError(f"{path}: no such file, folder or data set; data sets are {', '.join(DATASETS)}.")


def _model(path: Path) -> Contents:
    header, record = read_header(path), read_record(path)
    facts = {key: header.get(key) for key in ("model", "n_features", "parameters")}
    if facts["model"] == "PortfolioModel" and isinstance(facts["parameters"], dict):
        own = facts["parameters"]
        facts |= {"parameters": own.get("settings"), "portfolio": own.get("about")}
    training = None if record is None else {key: value for key, value in asdict(record).items() if key != "names"}
    return Contents("model", {**facts, "training": training})


def _results(path: Path) -> Contents:
    results = Results.load(path)
    scored, failed = len(results.table.drop_duplicates(KEY)), len(results.failures)
    return Contents("results", {**results.about, "scored": scored, "failed": failed})


def _data(data: Dataset) -> Contents:
    facts = {
        "instances": len(data),
        "features": data.features.shape[1],
        "folds": [] if data.folds is None else data.folds.nunique().tolist(),
        "feature_groups": [] if data.feature_groups is None else list(data.feature_groups.names),
        **data.runs.counts(),
    }
    return Contents("data", facts, data.runs)
