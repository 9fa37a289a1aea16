"""The origin of a data set, as a JSON file beside its tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.files import write_whole
from bayes_distnet.schema import Fields, read_json

#: All files that a folder of a data set may have.
FILES = (
    "runs.parquet",
    "features.parquet",
    "feature_cost.parquet",
    "parts.parquet",
    "folds.parquet",
    "groups.parquet",
    "feature_groups.json",
    "feature_groups.parquet",
    "provenance.json",
)


def write_provenance(path: Path, about: dict[str, Any]) -> None:
    """Write notes and facts on the origin of data."""
    write_whole(path, json.dumps(about, indent=2, ensure_ascii=False) + "\n")


def read_provenance(path: Path) -> dict[str, Any]:
    """Return notes and facts on the origin of data; nothing where there is no such file."""
    if not path.is_file():
        return {}
    about: dict[str, Any] = read_json(path, Fields({}, {"notes": [str]}), RuntimeDataError)
    return about
