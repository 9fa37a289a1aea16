"""The record of a model's training data, beside it in its folder. This module needs the standard library only."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bayes_distnet.models.header import read_header

RECORD = "training.json"


@dataclass(frozen=True)
class TrainingRecord:
    """The data that a model was trained on; stored beside it.

    Parameters
    ----------
    data, solver : str
        Name of the data set, and the solver whose runs were used.
    instances, runs, censored : int
        Numbers of instances, of runs, and of those runs that were censored.
    held_out : int
        Instances left out for evaluation.
    seconds : float
        Time that fitting took.
    version : str
        Version of this package.
    names : tuple of str
        Names of the training instances.
    calibration : int, default 0
        Instances kept from the model to calibrate bounds.
    """

    data: str
    solver: str
    instances: int
    runs: int
    censored: int
    held_out: int
    seconds: float
    version: str
    names: tuple[str, ...]
    calibration: int = 0

    def count_seen(self, instances: Iterable[str]) -> int:
        """Return the number of these instances that the model was trained on."""
        return len({*map(str, self.names)} & {*map(str, instances)})


def read_record(folder: str | os.PathLike[str]) -> TrainingRecord | None:
    """Return the record of a model's training data; None where it is missing, damaged or of another model."""
    try:
        about = json.loads((Path(folder) / RECORD).read_text("utf-8"))
        digest = about.pop("sha256")
        record = TrainingRecord(**{**about, "names": tuple(about["names"])})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return record if digest == read_header(Path(folder)).get("sha256") else None
