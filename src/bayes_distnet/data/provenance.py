"""The origin of a data set, as a JSON file beside its tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bayes_distnet.errors import RuntimeDataError


def write_provenance(path: Path, about: dict[str, Any]) -> None:
    """Write notes and facts on the origin of data."""
    path.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read_provenance(path: Path) -> dict[str, Any]:
    """Return notes and facts on the origin of data; nothing where there is no such file."""
    if not path.is_file():
        return {}
    try:
        about = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise RuntimeDataError(f"{path}: not JSON ({error}).") from error
    if not isinstance(about, dict) or not isinstance(about.get("notes", []), list):
        raise RuntimeDataError(f"{path}: expected an object whose notes, if any, are a list.")
    return about
