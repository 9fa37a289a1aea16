"""Models on disk: a folder with `model.json` (kind and settings) and `model.safetensors` (arrays), never pickle.

Loading a model from a stranger runs none of their code. The JSON carries a format version and a checksum of the
arrays, so that a truncated, changed or newer file is recognised and named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from safetensors import SafetensorError

from bayes_distnet.errors import ModelFileError
from bayes_distnet.files import write_whole
from bayes_distnet.models.header import FORMAT, FORMAT_VERSION, HEADER, read_header, read_part

ARRAYS = "model.safetensors"

Arrays = dict[str, NDArray[Any]]
T = TypeVar("T")


@dataclass(frozen=True)
class SavedModel:
    """The checked contents of a model folder.

    Parameters
    ----------
    path : Path
        The folder.
    parameters : dict
        Settings of the model.
    n_features : int
        Number of features.
    feature_names : list of str or None
        Their names, where the model was fitted on a DataFrame.
    arrays : dict
        Fitted state.
    """

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
            raise ModelFileError(
                f"{self.path / HEADER}: settings that this release does not have ({error})."
            ) from error

    def restore(self, from_arrays: Callable[[Arrays], None], probe: Callable[[], Any]) -> None:
        """Give the arrays to a model, then test it.

        Parameters
        ----------
        from_arrays : callable
            Method of the model that takes the arrays.
        probe : callable
            Returns a median runtime that the model predicts.

        Raises
        ------
        ModelFileError
            All damage by a changed file, as one error that names the folder.
        """
        try:
            from_arrays(self.arrays)
            median = np.asarray(probe(), dtype=np.float64)
            if not np.all(np.isfinite(median) & (median > 0)):
                raise ValueError(f"it predicts a median runtime of {median.ravel()[0]} s")
        except Exception as error:
            raise ModelFileError(
                f"{self.path}: the arrays do not form a model ({type(error).__name__}: {error}). Save it again."
            ) from error


def write_model(
    path: Path,
    kind: str,
    *,
    parameters: dict[str, Any],
    n_features: int,
    feature_names: list[str] | None,
    arrays: Arrays,
) -> None:
    """Write a model folder; files appear whole or not at all.

    Parameters
    ----------
    path : Path
        The folder; created if missing.
    kind : str
        Name of the model's class.
    parameters : dict
        Settings of the model.
    n_features : int
        Number of features.
    feature_names : list of str or None
        Their names.
    arrays : dict
        Fitted state.

    Raises
    ------
    ModelFileError
        A setting that JSON cannot hold, or a folder that cannot be written.
    """
    payload = safetensors.numpy.save({name: np.asarray(array, order="C") for name, array in arrays.items()})
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
        text = json.dumps(header, indent=1, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: a setting of {kind} cannot be written as JSON ({error}).") from error
    try:
        path.mkdir(parents=True, exist_ok=True)
        write_whole(path / ARRAYS, payload)
        write_whole(path / HEADER, text)
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path}: cannot write a model there ({error}). Give another folder.") from error


def _plain(value: Any) -> Any:
    """Return a setting as JSON can hold it: NumPy's numbers and arrays, a family by its name, no generators."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, type) and hasattr(value, "name"):
        return value.name
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None  # its state after the fit would not give the same model again
    raise TypeError(f"{value!r} is a {type(value).__name__}")


def read_model(path: Path, kind: str) -> SavedModel:
    """Read and check a model folder.

    Parameters
    ----------
    path : Path
        The folder.
    kind : str
        Name of the expected class.

    Returns
    -------
    SavedModel
        Its contents.

    Raises
    ------
    ModelFileError
        A folder that is missing, damaged, of another kind or of another format.
    """
    header = read_header(path)
    payload = read_part(path, ARRAYS)
    if header.get("model") != kind:
        raise ModelFileError(f"{path}: holds a {header.get('model')}, not a {kind}: use {header.get('model')}.load.")
    if hashlib.sha256(payload).hexdigest() != header.get("sha256"):
        raise ModelFileError(f"{path / ARRAYS}: truncated or changed since it was saved (the checksum differs).")
    n_features, names, parameters = (header.get(name) for name in ("n_features", "feature_names", "parameters"))
    if type(n_features) is not int or n_features < 1:
        raise ModelFileError(
            f"{path / HEADER}: changed: n_features is {n_features!r}, not a whole number of at least 1."
        )
    if names is not None and not (
        isinstance(names, list) and len(names) == n_features and all(isinstance(name, str) for name in names)
    ):
        raise ModelFileError(f"{path / HEADER}: changed: feature_names are not {n_features} names.")
    if not isinstance(parameters, dict):
        raise ModelFileError(f"{path / HEADER}: changed: parameters is {parameters!r}, not an object.")
    parameters = {name: tuple(v) if isinstance(v, list) else v for name, v in parameters.items()}
    try:
        arrays = safetensors.numpy.load(payload)
    except (SafetensorError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"{path / ARRAYS}: not arrays that can be read ({error!r}).") from error
    return SavedModel(path, parameters, n_features, names, arrays)


def check_array(
    name: str, array: NDArray[Any], kind: str, length: int | None = None, *, positive: bool = False
) -> None:
    """Check an array of a fitted model.

    Parameters
    ----------
    name : str
        Name of the array in messages.
    array : array
        The array.
    kind : {"i", "f"}
        Integers or floating-point numbers.
    length : int or None
        Length of the vector; None allows any.
    positive : bool, default False
        Whether all values must be positive.

    Raises
    ------
    ValueError
        An array that is no finite vector of this kind and length.
    """
    if array.dtype.kind != kind or array.ndim != 1 or length not in (None, len(array)):
        wanted = "any length" if length is None else f"length {length}"
        raise ValueError(f"{name} is {array.dtype} of shape {array.shape}, not a vector of kind '{kind}', {wanted}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite")
    if positive and not (array > 0).all():
        raise ValueError(f"{name} is not positive")


def with_prefix(prefix: str, arrays: dict[str, Any]) -> Arrays:
    """Return the arrays of one part of a model, named `prefix.name`."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def without_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays that `with_prefix` named, under their own names."""
    return {name.removeprefix(f"{prefix}."): a for name, a in arrays.items() if name.startswith(f"{prefix}.")}
