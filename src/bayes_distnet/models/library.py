"""Models as folders, with a record of the runs they were trained on; training and saving in one call."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.layout import TableLayout
from bayes_distnet.data.open_table import LAYOUT
from bayes_distnet.errors import SettingError
from bayes_distnet.files import write_whole, written_folder
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.bounds.calibrate import calibrate_runs
from bayes_distnet.models.bounds.calibration import Calibration
from bayes_distnet.models.bounds.instance_runs import InstanceRuns
from bayes_distnet.models.bounds.stored import read_bounds, write_bounds
from bayes_distnet.models.header import is_model, read_header
from bayes_distnet.models.record import RECORD, TrainingRecord, read_record
from bayes_distnet.models.registry import RECOMMENDED, find_model
from bayes_distnet.models.saved_kinds import load_kind
from bayes_distnet.models.table_model import ENCODER, TableModel
from bayes_distnet.models.training_data import fit_dataset
from bayes_distnet.models.yardsticks import fit_yardsticks, save_yardsticks
from bayes_distnet.validation import is_number


def train(
    data: Dataset,
    model: str | RuntimeEstimator = RECOMMENDED,
    *,
    family: str | None = None,
    holdout: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    name: str = "",
    yardsticks: bool = False,
    bounds: float | None = None,
    cutoffs: str = "global",
) -> RuntimeEstimator:
    """Fit a model to a data set, and save it with a record of its training data.

    Parameters
    ----------
    data : Dataset
        Runs of one solver and features of the instances.
    model : str or estimator, default "hybrid"
        Key of a model in `bayes_distnet.models.MODELS`, or an unfitted estimator.
    family : str or None
        Family of the predicted distributions, of models that have a choice.
    holdout : float or None
        Fraction of the instances that is left out: the second part of `data.split(holdout, random_state=...)`.
    random_state : int, default 0
        Fixes the model and the instances left out.
    n_jobs : int or None
        Threads, of models that have this parameter.
    out : path or None
        Folder to write; None writes nothing.
    overwrite : bool, default False
        Whether a model in that folder may be replaced.
    name : str
        Name of the data in the record.
    yardsticks : bool, default False
        Whether to fit and save two simple models on the same rows as well, which `bayes-distnet evaluate` compares
        the model with.
    bounds : float or None
        Fraction of the instances that are kept from the model to calibrate bounds, which `predict --bounds` and
        `predictions` then have; they are taken from those that are not held out.
    cutoffs : {"global", "features", "random"}, default "global"
        How the cutoffs of runs were chosen, with `bounds`: see `Bounded`.

    Returns
    -------
    RuntimeEstimator
        The fitted model; its attribute `training_record_` holds the record.

    Raises
    ------
    SettingError
        A folder that cannot be written, or settings that the model does not have; before any work is done.

    Examples
    --------
    >>> from bayes_distnet import load_dataset
    >>> train(load_dataset("lpg-zenotravel"), "ridge", holdout=0.2).training_record_.held_out
    60
    """
    from bayes_distnet import __version__

    if out is not None:
        check_writable(out, overwrite=overwrite)
    estimator = _unfitted(model, family, random_state, n_jobs) if isinstance(model, str) else model
    estimator = _of_tables(estimator, data)
    for part, size in (("holdout", holdout), ("bounds", bounds)):
        _check_part(part, size)
    data = data.matched()
    rest = data if holdout is None else data.split(holdout, random_state=random_state)[0]
    used, sample = (rest, None) if bounds is None else _with_calibration(rest, bounds, cutoffs, random_state)
    started = time.perf_counter()
    fit_dataset(estimator, used)
    seconds = time.perf_counter() - started
    if sample is not None:
        estimator.bounds_ = calibrate_runs(estimator, sample, cutoffs)
    observed = used.runs.observed()
    if yardsticks:
        estimator.yardsticks_ = fit_yardsticks(estimator, used, n_jobs=n_jobs)
    estimator.training_record_ = TrainingRecord(
        data=name,
        solver=used.solvers[0],
        instances=len(used),
        runs=len(observed),
        censored=int((~observed.finished).sum()),
        held_out=len(data) - len(rest),
        seconds=round(seconds, 2),
        version=__version__,
        names=tuple(map(str, used.features.index)),
        calibration=len(rest) - len(used),
    )
    if out is not None:
        save_model(estimator, out, overwrite=overwrite)
    return estimator


def _of_tables(model: RuntimeEstimator, data: Dataset) -> RuntimeEstimator:
    """Put an encoder in front of a model whose features are not all numbers, or come from a table of runs."""
    if isinstance(model, TableModel) or hasattr(model, "steps"):  # a pipeline has encoders of its own
        return model
    layout = None if LAYOUT not in data.provenance else TableLayout.from_dict(data.provenance[LAYOUT])
    if layout is None and all(map(pd.api.types.is_numeric_dtype, data.features.dtypes)):
        return model
    return TableModel(model, () if layout is None else layout.categorical, layout)


def _with_calibration(data: Dataset, size: float, cutoffs: str, random_state: int) -> tuple[Dataset, InstanceRuns]:
    """Split data into training data and calibration runs, whose cutoffs are checked before the work."""
    used, kept = data.split(size, random_state=random_state)
    sample = InstanceRuns.of_dataset(kept)
    sample.cut(cutoffs)
    return used, sample


def _check_part(name: str, part: float | None) -> None:
    if part is not None and (not is_number(part) or not 0 < part < 1):
        raise SettingError(f"{name}={part!r}: expected a fraction of the instances between 0 and 1, such as 0.2.")


def _unfitted(key: str, family: str | None, random_state: int, n_jobs: int | None) -> RuntimeEstimator:
    entry = find_model(key)
    if family is not None and not entry.families:
        raise SettingError(f"family={family!r}: {entry.label} has a form of its own; leave family out.")
    model = entry.build("lognormal" if family is None else family, random_state)
    if n_jobs is not None and "n_jobs" in model.get_params(deep=False):
        model.set_params(n_jobs=n_jobs)
    return model


def load_model(path: str | os.PathLike[str]) -> RuntimeEstimator:
    """Read a saved model of any kind. Nothing in the folder is executed.

    Parameters
    ----------
    path : path
        Folder that `train`, `save_model` or a model's `save` wrote.

    Returns
    -------
    RuntimeEstimator
        The fitted model; `training_record_` is set where the folder has a record, and `bounds_` where it has the
        calibration of bounds.

    Raises
    ------
    ModelFileError
        A folder that is missing, damaged or of another format.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from bayes_distnet import Marginal
    >>> x, seconds = np.zeros((4, 1)), np.array([1.0, 2.0, 4.0, 8.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Marginal().fit(x, seconds).save(folder)
    ...     load_model(folder)
    Marginal()
    """
    model = TableModel.load(Path(path)) if (Path(path) / ENCODER).is_file() else load_kind(path)
    record = read_record(path)
    if record is not None:
        model.training_record_ = record
    calibration = read_bounds(Path(path))
    if calibration is not None:
        model.bounds_ = calibration
    return model


def check_writable(folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Raise a `SettingError` if a model may not be written there; call it before the work, not after.

    Parameters
    ----------
    folder : path
        A folder that is missing or empty can be written; one that holds a model only with `overwrite`; no other.
    overwrite : bool, default False
        Whether a model may be replaced.
    """
    folder = Path(folder)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not folder.is_dir():
        raise SettingError(f"{folder}: a file is in the way; give a folder.")
    if not is_model(folder):
        raise SettingError(f"{folder}: holds something other than a model; give a new folder.")
    if not overwrite:
        raise SettingError(
            f"{folder}: holds a model already; give another folder, or overwrite it (overwrite=True, --force)."
        )


def save_model(model: Any, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write a model, and the record of its training data if it has one, to a folder: all of it or nothing.

    Parameters
    ----------
    model : RuntimeEstimator or PortfolioModel
        A fitted model.
    folder : path
        Folder to write, see `check_writable`.
    overwrite : bool, default False
        Whether a model may be replaced.
    """
    folder = Path(folder)
    check_writable(folder, overwrite=overwrite)
    with written_folder(folder) as new:
        model.save(new)
        calibration: Calibration | None = getattr(model, "bounds_", None)
        if calibration is not None:
            write_bounds(new, calibration)
        save_yardsticks(getattr(model, "yardsticks_", {}), new)
        record: TrainingRecord | None = getattr(model, "training_record_", None)
        if record is not None:
            about = {"sha256": read_header(new)["sha256"], **asdict(record)}
            write_whole(new / RECORD, json.dumps(about, indent=1, ensure_ascii=False) + "\n")
