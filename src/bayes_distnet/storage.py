"""Models on disk: a folder with `model.json` (what it is) and `model.safetensors` (its arrays), never pickle.

Loading a model from a stranger runs none of their code. The JSON carries a format version and a checksum of the
arrays, so that a file cut short, changed or from a newer release is told apart and named.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from bayes_distnet.errors import ModelFileError

FORMAT = "bayes-distnet model"
FORMAT_VERSION = 1
HEADER, ARRAYS = "model.json", "model.safetensors"

Arrays = dict[str, NDArray[Any]]
T = TypeVar("T")


@dataclass(frozen=True)
class SavedModel:
    """What a model folder holds, checked."""

    path: Path
    parameters: dict[str, Any]
    n_features: int
    feature_names: list[str] | None
    arrays: Arrays

    def build(self, kind: Callable[..., T]) -> T:
        """Return an unfitted model with the saved settings."""
        try:
            return kind(**self.parameters)
        except TypeError as error:
            raise ModelFileError(f"{self.path / HEADER}: settings this release does not know ({error}).") from error

    def restore(self, from_arrays: Callable[[Arrays], None]) -> None:
        """Hand the arrays to a model; what does not fit becomes an error that names the folder."""
        try:
            from_arrays(self.arrays)
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise ModelFileError(f"{self.path}: the arrays do not form a model ({error}). Save it again.") from error


def write_model(
    path: Path,
    kind: str,
    *,
    parameters: dict[str, Any],
    n_features: int,
    feature_names: list[str] | None,
    arrays: Arrays,
) -> None:
    """Write a model folder; files appear whole or not at all."""
    payload = safetensors.numpy.save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "model": kind,
        "parameters": parameters,
        "n_features": n_features,
        "feature_names": feature_names,
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    try:
        text = json.dumps(header, indent=1)
    except TypeError as error:
        raise ModelFileError(f"{path}: a setting of {kind} cannot be written as JSON ({error}).") from error
    path.mkdir(parents=True, exist_ok=True)
    _replace(path / ARRAYS, payload)
    _replace(path / HEADER, text.encode())


def read_model(path: Path, kind: str) -> SavedModel:
    """Read and check a model folder of the given kind."""
    try:
        header = json.loads((path / HEADER).read_bytes())
        payload = (path / ARRAYS).read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path}: no model there ({error.strerror}: {error.filename}).") from error
    except ValueError as error:
        raise ModelFileError(f"{path / HEADER}: not JSON, cut short or changed ({error}).") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelFileError(f"{path / HEADER}: not a {FORMAT} file.")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise ModelFileError(
            f"{path / HEADER}: format version {version}; this release reads version {FORMAT_VERSION}. "
            "Upgrade bayes-distnet, or fit and save the model again."
        )
    if header.get("model") != kind:
        raise ModelFileError(f"{path}: holds a {header.get('model')}, not a {kind}: use {header.get('model')}.load.")
    if hashlib.sha256(payload).hexdigest() != header.get("sha256"):
        raise ModelFileError(f"{path / ARRAYS}: cut short or changed since it was saved (checksum differs).")
    try:
        arrays = safetensors.numpy.load(payload)
        names = header["feature_names"]
        parameters = {name: tuple(v) if isinstance(v, list) else v for name, v in header["parameters"].items()}
        return SavedModel(path, parameters, int(header["n_features"]), names, arrays)
    except (SafetensorError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(f"{path}: cut short or changed ({error!r}).") from error


def with_prefix(prefix: str, arrays: dict[str, Any]) -> Arrays:
    """Return the arrays of one part of a model, named `prefix.name`."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays that `with_prefix` named, under their own names."""
    return {name.removeprefix(f"{prefix}."): a for name, a in arrays.items() if name.startswith(f"{prefix}.")}


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
