"""What a RuntimeDistribution accepts: parameters, weights, times and levels, with errors that say where and what."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.families import Family

Array = NDArray[np.float64]


def check_components(components: Family) -> tuple[Family, tuple[int, int]]:
    """Return the family with float64 parameters of their common shape (n, S), and that shape."""
    parameters = {name: np.asarray(value, dtype=np.float64) for name, value in components.parameters().items()}
    shapes = {name: value.shape for name, value in parameters.items()}
    try:
        shape = np.broadcast_shapes(*shapes.values())
    except ValueError:
        shape = (0, 0, 0)
    if len(shape) > 2:
        raise SettingError(
            f"the {components.name} parameters have shapes {shapes}; they must broadcast to (rows, components) or, for "
            f"one component a row, to (rows,)"
        )
    if len(shape) < 2:
        parameters = {name: value.reshape(-1, 1) for name, value in parameters.items()}
        shape = (*shape, 1, 1)[:2]
    for name, value in parameters.items():
        bad = ~np.isfinite(value) if name == "loc" else ~(np.isfinite(value) & (value > 0))
        if bad.any():
            row, column = (int(i) for i in np.argwhere(np.broadcast_to(bad, shape))[0])
            raise SettingError(
                f"row {row}, component {column}: the {components.name} parameter '{name}' is "
                f"{np.broadcast_to(value, shape)[row, column]}; "
                f"it must be finite{'' if name == 'loc' else ' and positive'}"
            )
    full = {name: np.broadcast_to(value, shape) for name, value in parameters.items()}
    return type(components)(**full), (shape[0], shape[1])


def check_weights(weights: ArrayLike | None, n: int, size: int) -> Array:
    """Return log weights (n, S), or (1, S) where all rows share them; each row normalised."""
    if weights is None:
        return np.full((1, size), -np.log(size))
    array = np.asarray(weights, dtype=np.float64)
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


def check_share(weight: ArrayLike, n: int) -> Array:
    """Return the weight of a whole distribution in a pool, (n, 1) or (1, 1)."""
    share = np.asarray(weight, dtype=np.float64)
    if share.shape not in ((), (n,)) or not np.all(np.isfinite(share) & (share >= 0)):
        raise SettingError(
            f"a weight must be a number, or one for each of {n} rows, finite and not negative; got {weight!r}"
        )
    return share.reshape(-1, 1)


def check_times(t: ArrayLike) -> Array:
    """Return times as float64; NaN is refused, all else (negative, infinite) has an answer."""
    times = np.asarray(t, dtype=np.float64)
    if np.isnan(times).any():
        raise RuntimeDataError(f"t holds NaN ({int(np.isnan(times).sum())} of {times.size} times); leave those out")
    return times


def check_level(level: float, name: str = "level") -> float:
    """Return a probability strictly between 0 and 1."""
    if not 0 < level < 1:
        raise SettingError(f"{name} is {level}; it must lie between 0 and 1, both excluded")
    return float(level)
