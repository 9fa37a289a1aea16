"""Checks of a distribution's input: parameters, weights, times, rows; errors name the row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.families import Family
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.validation import check_numbers


def check_components(components: object) -> tuple[Family, tuple[int, int]]:
    """Return the family with float64 parameters of their common shape (n, S), and that shape.

    Parameters
    ----------
    components : object
        The argument of a caller.

    Returns
    -------
    components : Family
        The family with full parameters.
    shape : tuple of int
        (n, S).
    """
    if not isinstance(components, Family):
        raise SettingError(
            f"components: expected a family with its parameters, such as LogNormal(loc=[0.0], scale=[1.0]); "
            f"found {components!r:.100}."
        )
    parameters = {
        name: check_numbers(f"the {components.name} parameter '{name}'", value)
        for name, value in components.parameters().items()
    }
    shapes = {name: value.shape for name, value in parameters.items()}
    try:
        shape = np.broadcast_shapes(*shapes.values())
    except ValueError:
        shape = (0, 0, 0)
    if len(shape) > 2:
        raise SettingError(
            f"the {components.name} parameters have shapes {shapes}; they must broadcast to (rows, components) or, for "
            f"one component per row, to (rows,)"
        )
    if len(shape) < 2:
        parameters = {name: value.reshape(-1, 1) for name, value in parameters.items()}
        shape = (*shape, 1, 1)[:2]
    if shape[1] == 0:
        raise SettingError(f"the {components.name} parameters have shapes {shapes}: a row needs at least one component")
    full = {name: np.broadcast_to(value, shape) for name, value in parameters.items()}
    for name, value in full.items():
        _check_parameter(components.name, name, value)
    return type(components)(**full), (shape[0], shape[1])


def _check_parameter(family: str, name: str, value: FloatArray) -> None:
    bad = ~np.isfinite(value) if name == "loc" else ~(np.isfinite(value) & (value > 0))
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise SettingError(
            f"row {row}, component {column}: the {family} parameter '{name}' is {value[row, column]}; "
            f"it must be finite{'' if name == 'loc' else ' and positive'}"
        )


def check_weights(weights: ArrayLike | None, n: int, size: int) -> FloatArray:
    """Return log weights (n, S), or (1, S) where all rows share them; each row normalised.

    Parameters
    ----------
    weights : array-like, optional
        (S,) or (n, S); equal by default.
    n, size : int
        Rows and components.

    Returns
    -------
    ndarray
        Log weights.
    """
    if weights is None:
        return np.full((1, size), -np.log(size))
    array = check_numbers("weights", weights)
    if array.shape not in ((size,), (n, size)):
        raise SettingError(
            f"weights have shape {array.shape}; for {n} rows of {size} components give ({size},) or ({n}, {size})"
        )
    array = np.atleast_2d(array)
    total = array.sum(axis=1, keepdims=True)
    bad = ~((array >= 0).all(axis=1) & np.isfinite(total[:, 0]) & (total[:, 0] > 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise SettingError(
            f"row {row}: weights must be finite, not negative and not all 0; the smallest is {array[row].min()}, "
            f"their sum {total[row, 0]}"
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(array) - np.log(total))


def check_pool_weight(weight: ArrayLike, n: int) -> FloatArray:
    """Return the weight of a whole distribution in a pool, (n, 1) or (1, 1).

    Parameters
    ----------
    weight : array-like
        A scalar or (n,).
    n : int
        Rows.

    Returns
    -------
    ndarray
        Not normalised.
    """
    array = check_numbers("a weight", weight)
    if array.shape not in ((), (n,)) or not np.all(np.isfinite(array) & (array >= 0)):
        raise SettingError(
            f"a weight must be a number, or one for each of {n} rows, finite and not negative; got {weight!r}"
        )
    return array.reshape(-1, 1)


def check_hardness(hardness: ArrayLike, n: int) -> FloatArray:
    """Return normal scores of shape (n, D).

    Parameters
    ----------
    hardness : array-like
        (D,) for all rows, or (n, D).
    n : int
        Number of rows.

    Returns
    -------
    ndarray
        The scores of every row.
    """
    scores = check_numbers("hardness", hardness)
    if scores.ndim not in (1, 2) or (scores.ndim == 2 and len(scores) != n) or np.isnan(scores).any():
        raise SettingError(f"hardness: expected normal scores of shape (D,) or ({n}, D), found {hardness!r:.100}")
    return np.broadcast_to(scores, (n, scores.shape[-1]))


def check_times(t: ArrayLike) -> FloatArray:
    """Return times as float64; NaN is refused, all other numbers (negative, infinite) have an answer.

    Parameters
    ----------
    t : array-like
        Seconds.

    Returns
    -------
    ndarray
        Of the same shape.
    """
    times = check_numbers("t", t, RuntimeDataError)
    if np.isnan(times).any():
        raise RuntimeDataError(f"t holds NaN ({int(np.isnan(times).sum())} of {times.size} times); leave those out")
    return times


def check_runs(seconds: ArrayLike, finished: ArrayLike | None, n: int) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return runs (n, k) of n instances: seconds (1.0 where there is no run), whether they finished, which exist.

    Parameters
    ----------
    seconds : array-like
        (n, k); NaN where there is no run.
    finished : array-like of bool, optional
        (n, k); all by default.
    n : int
        Number of instances.

    Returns
    -------
    seconds, finished, present : ndarray
        Each (n, k).
    """
    runs = check_numbers("runs", seconds, RuntimeDataError)
    if runs.ndim != 2 or len(runs) != n:
        raise RuntimeDataError(
            f"runs have shape {runs.shape}; for {n} instances give ({n}, k) seconds, NaN where there is no run"
        )
    present = ~np.isnan(runs)
    bad = present & ~(np.isfinite(runs) & (runs > 0))
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise RuntimeDataError(f"runs[{row}, {column}] is {runs[row, column]}; runtimes are finite and positive")
    flags: NDArray[np.generic] = present if finished is None else np.asarray(finished)
    if flags.dtype != bool or flags.shape != runs.shape:
        raise RuntimeDataError(
            f"finished: expected booleans of shape {runs.shape}, found {flags.dtype} of shape {flags.shape}"
        )
    return np.where(present, runs, 1.0), np.asarray(flags & present, dtype=bool), present


def shaped(name: str, array: FloatArray, n: int) -> tuple[FloatArray, tuple[int, ...]]:
    """Return times or levels as (n, m), or (1, m) if common to all n rows, and the shape of the answer.

    Parameters
    ----------
    name : str
        Name of the argument, for the message.
    array : ndarray
        A scalar, (m,) or (n, m).
    n : int
        Rows.

    Returns
    -------
    array : ndarray
        (1, m) or (n, m).
    shape : tuple of int
        (n,) or (n, m).
    """
    if array.ndim == 0:
        return array.reshape(1, 1), (n,)
    if array.ndim == 1:
        return array[None, :], (n, array.size)
    if array.ndim == 2 and len(array) == n:
        return array, array.shape
    raise SettingError(
        f"{name} has shape {array.shape}; give a scalar, m values for all rows, or an array ({n}, m) with one line "
        f"for each of the {n} rows"
    )


def check_rows(rows: SupportsIndex | Sequence[int] | IndexArray | BoolArray, n: int) -> IndexArray:
    """Return row numbers from an integer, integers or a mask; raise an `IndexError` if a row does not exist.

    Parameters
    ----------
    rows : int, sequence of int or mask
        The argument of a caller.
    n : int
        Number of rows.

    Returns
    -------
    ndarray
        (k,) row numbers, negative ones counted from the end.
    """
    index: NDArray[np.generic] = np.asarray(rows)
    if index.dtype == bool and index.shape == (n,):
        index = np.flatnonzero(index)
    if index.size == 0:
        index = index.astype(np.intp)
    if index.ndim > 1 or index.dtype.kind not in "iu":
        raise IndexError(
            f"rows must be an integer, a slice, a mask of length {n} or a list of integers, "
            f"not {index.dtype} of shape {index.shape}"
        )
    chosen = np.atleast_1d(index).astype(np.intp)
    outside = (chosen < -n) | (chosen >= n)
    if outside.any():
        raise IndexError(f"row {chosen[outside][0]} of a distribution with {n} rows")
    return chosen
