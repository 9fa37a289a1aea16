"""What a RuntimeDistribution accepts: parameters, weights, times and levels, each with one error that says where."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet._mixture import Array
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.families import Family


def check_components(components: Family) -> tuple[Family, tuple[int, int]]:
    """The family with float64 parameters of the common shape (n, S), which is returned too."""
    parameters = {name: np.asarray(value, dtype=np.float64) for name, value in components.parameters().items()}
    shapes = {name: value.shape for name, value in parameters.items()}
    try:
        shape = np.broadcast_shapes(*shapes.values())
    except ValueError:
        shape = (0, 0, 0)
    if len(shape) > 2:
        raise SettingError(
            f"the {components.name} parameters have shapes {shapes}; they must broadcast to (rows, components)"
        )
    # One-dimensional parameters are one component for each of n rows.
    shape = {0: (1, 1), 1: (*shape, 1), 2: shape}[len(shape)]
    fitted = {}
    for name, value in parameters.items():
        full = np.broadcast_to(
            value[:, None] if value.ndim == 1 and len(shapes) and max(map(len, shapes.values())) == 1 else value, shape
        )
        bad = ~np.isfinite(full) if name == "loc" else ~(np.isfinite(full) & (full > 0))
        if bad.any():
            row, column = (int(i) for i in np.argwhere(bad)[0])
            raise SettingError(
                f"row {row}, component {column}: the {components.name} parameter '{name}' is {full[row, column]}; "
                f"it must be finite{'' if name == 'loc' else ' and positive'}"
            )
        fitted[name] = full
    return type(components)(**fitted), (shape[0], shape[1])


def check_weights(weights: ArrayLike | None, n: int, size: int) -> Array:
    """Log weights (n, S), or (1, S) where all rows share them, each row normalised."""
    if weights is None:
        return np.full((1, size), -np.log(size))
    array = np.asarray(weights, dtype=np.float64)
    size = array.shape[-1] if size < 0 and array.ndim else size
    if array.shape not in ((size,), (n, size)):
        raise SettingError(f"weights have shape {array.shape}; give ({size},) or ({n}, {size}), one for each component")
    array = np.atleast_2d(array)
    total = array.sum(axis=1, keepdims=True)
    bad = ~((array >= 0) & np.isfinite(array)).all(axis=1) | ~(np.isfinite(total) & (total > 0))[:, 0]
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise SettingError(
            f"row {row}: weights must be finite, not negative and not all 0; the smallest is {array[row].min()}, "
            f"their sum {total[row, 0]}"
        )
    with np.errstate(divide="ignore"):
        return np.log(array) - np.log(total)


def check_times(t: ArrayLike) -> Array:
    """Times as float64; NaN is refused, everything else is allowed."""
    times = np.asarray(t, dtype=np.float64)
    if np.isnan(times).any():
        raise RuntimeDataError(f"t holds {int(np.isnan(times).sum())} NaN among {times.size} times; leave them out")
    return times


def check_level(level: float, name: str = "level") -> float:
    """A probability strictly between 0 and 1."""
    if not 0 < level < 1:
        raise SettingError(f"{name} is {level}; it must lie between 0 and 1")
    return float(level)
