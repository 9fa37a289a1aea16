"""Checks of a RuntimeDistribution's input: parameters, weights, times and draws; errors name the row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.families import Family
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.validation import check_numbers


def check_components(components: Any) -> tuple[Family, tuple[int, int]]:
    """Return the family with float64 parameters of their common shape (n, S), and that shape."""
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
            f"one component a row, to (rows,)"
        )
    if len(shape) < 2:
        parameters = {name: value.reshape(-1, 1) for name, value in parameters.items()}
        shape = (*shape, 1, 1)[:2]
    if shape[1] == 0:
        raise SettingError(f"the {components.name} parameters have shapes {shapes}: a row needs at least one component")
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


def check_weights(weights: ArrayLike | None, n: int, size: int) -> FloatArray:
    """Return log weights (n, S), or (1, S) where all rows share them; each row normalised."""
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


def check_share(weight: ArrayLike, n: int) -> FloatArray:
    """Return the weight of a whole distribution in a pool, (n, 1) or (1, 1)."""
    share = check_numbers("a weight", weight)
    if share.shape not in ((), (n,)) or not np.all(np.isfinite(share) & (share >= 0)):
        raise SettingError(
            f"a weight must be a number, or one for each of {n} rows, finite and not negative; got {weight!r}"
        )
    return share.reshape(-1, 1)


def check_times(t: ArrayLike) -> FloatArray:
    """Return times as float64; NaN is refused, all else (negative, infinite) has an answer."""
    times = check_numbers("t", t, RuntimeDataError)
    if np.isnan(times).any():
        raise RuntimeDataError(f"t holds NaN ({int(np.isnan(times).sum())} of {times.size} times); leave those out")
    return times


def check_keys(arrays: Any, names: tuple[str, ...]) -> None:
    """Raise a `SettingError` unless a mapping has all these names."""
    found = list(arrays) if isinstance(arrays, Mapping) else type(arrays).__name__
    if missing := [name for name in names if name not in found]:
        raise SettingError(f"arrays: no {missing} in {found}. Give what to_arrays() returned.")


def check_state(arrays: Mapping[str, Any], shape: tuple[int, int], positive: bool) -> dict[str, FloatArray]:
    """Return what a saved distribution holds beside its parameters: log_weights (n, S); start, copies, power (n,)."""
    state = {name: check_numbers(f"'{name}'", arrays[name]) for name in ("log_weights", "start", "copies", "power")}
    for name, array in state.items():
        expected = shape if name == "log_weights" else shape[:1]
        if array.shape != expected:
            raise SettingError(f"'{name}' has shape {array.shape}; for {shape[0]} rows it must be {expected}")
    log_weights, start = state["log_weights"], state["start"]
    # An infinite log weight overflows to a sum of infinity, NaN stays NaN: neither is close to one.
    with np.errstate(over="ignore"):
        total = np.exp(log_weights).sum(axis=1)
    fine = {
        "log_weights": (np.abs(total - 1) < 1e-5, "logs of weights that sum to one"),
        "start": (
            (np.isfinite(start) & (start >= 0)) | (not positive and start == -np.inf),
            f"finite and not negative{'' if positive else ', or -inf'}",
        ),
        **{
            name: (np.isfinite(state[name]) & (state[name] >= 1), "finite and at least 1")
            for name in ("copies", "power")
        },
    }
    for name, (good, expected_values) in fine.items():
        if not np.all(good):
            row = int(np.flatnonzero(~good)[0])
            raise SettingError(f"'{name}', row {row}: found {state[name][row]}; it must be {expected_values}")
    return state
