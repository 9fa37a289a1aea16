"""The origin of a data set, as a JSON file beside its tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.schema import Fields, read_json


def write_provenance(path: Path, about: dict[str, Any]) -> None:
    """Write notes and facts on the origin of data."""
    path.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read_provenance(path: Path) -> dict[str, Any]:
    """Return notes and facts on the origin of data; nothing where there is no such file."""
    if not path.is_file():
        return {}
    about: dict[str, Any] = read_json(path, Fields({}, {"notes": [str]}), RuntimeDataError)
    return about
