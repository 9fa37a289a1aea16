"""The header of a model folder: its kind and settings. This module needs the standard library only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bayes_distnet.errors import ModelFileError

FORMAT = "bayes-distnet model"
FORMAT_VERSION = 6
HEADER = "model.json"


def read_header(path: Path) -> dict[str, Any]:
    """Return the header of a model folder: kind, settings, number and names of features."""
    text = read_part(path, HEADER)
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path / HEADER}: not JSON, truncated or changed ({error}).") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError(f"{path / HEADER}: not a {FORMAT} file.")
    _check_version(path, header.get("format_version"))
    return header


def is_model(path: Path) -> bool:
    """Whether a folder holds a model, of any release."""
    try:
        header = json.loads(read_part(path, HEADER))
    except (ModelFileError, ValueError, RecursionError):
        return False
    return isinstance(header, dict) and header.get("format") == FORMAT


def read_part(path: Path, name: str) -> bytes:
    """Return the bytes of a file of a model folder."""
    try:
        return (path / name).read_bytes()
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: no model there (no file {name}).") from error
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise ModelFileError(f"{path}: no model there ({error}).") from error


def _check_version(path: Path, version: Any) -> None:
    if type(version) is not int:
        raise ModelFileError(f"{path / HEADER}: changed: format_version is {version!r}, not a whole number.")
    if version != FORMAT_VERSION:
        advice = "Upgrade bayes-distnet" if version > FORMAT_VERSION else "Install an older bayes-distnet"
        raise ModelFileError(
            f"{path / HEADER}: format version {version}; this release reads version {FORMAT_VERSION}. "
            f"{advice}, or fit and save the model again."
        )
