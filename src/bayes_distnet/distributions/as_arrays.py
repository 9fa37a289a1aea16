"""A mixture as plain arrays, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.distributions.checks import check_components
from bayes_distnet.distributions.draws import check_draws
from bayes_distnet.distributions.families import get_family
from bayes_distnet.distributions.mixture import Mixture
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_numbers

#: Plain arrays by name, and the name of the family under "family".
StoredArrays: TypeAlias = dict[str, FloatArray | IndexArray | str]

_STATE = ("log_weights", "start", "copies", "power")


def to_arrays(mixture: Mixture) -> StoredArrays:
    """Return everything as plain arrays, and the family's name; `log_alive` follows from the rest.

    Parameters
    ----------
    mixture : Mixture
        n rows.

    Returns
    -------
    dict
        Arrays by name.
    """
    shape = len(mixture), mixture.n_components
    return {
        "family": mixture.components.name,
        **{name: np.array(value) for name, value in mixture.components.parameters().items()},
        "log_weights": np.array(np.broadcast_to(mixture.log_weights, shape)),
        "start": mixture.start.copy(),
        "copies": mixture.copies.copy(),
        "power": mixture.power.copy(),
        **({} if mixture.draws is None else {"draws": np.array(np.broadcast_to(mixture.draws.labels, shape))}),
    }


def from_arrays(arrays: Mapping[str, ArrayLike]) -> Mixture:
    """Rebuild the mixture that `to_arrays` was given.

    Parameters
    ----------
    arrays : mapping
        The result of `to_arrays`.

    Returns
    -------
    Mixture
        The same rows.

    Raises
    ------
    SettingError
        If a name is missing or an array cannot be one of a mixture; the message names it.
    """
    _check_keys(arrays, ("family",))
    family = get_family(str(arrays["family"]))
    _check_keys(arrays, (*family.parameter_names, *_STATE))
    components, shape = check_components(family(**{key: arrays[key] for key in family.parameter_names}))
    state, draws = _check_state(arrays, shape), check_draws(arrays.get("draws"), *shape)
    start = state["start"]
    fresh = Mixture(
        components, state["log_weights"], np.zeros(len(start)), state["copies"], state["power"], draws=draws
    )
    if not np.any(start):
        return fresh
    # The weights were updated before they were stored.
    return Mixture(
        components, fresh.log_weights, start, fresh.copies, fresh.power, fresh.condition(start).log_alive, draws
    )


def _check_keys(arrays: object, names: tuple[str, ...]) -> None:
    found = list(arrays) if isinstance(arrays, Mapping) else type(arrays).__name__
    if missing := [name for name in names if name not in found]:
        raise SettingError(f"arrays: no {missing} in {found}. Give the result of to_arrays().")


def _check_state(arrays: Mapping[str, ArrayLike], shape: tuple[int, int]) -> dict[str, FloatArray]:
    """Return the arrays beside the parameters: log_weights (n, S); start, copies, power (n,)."""
    state = {name: check_numbers(f"'{name}'", arrays[name]) for name in _STATE}
    for name, array in state.items():
        expected = shape if name == "log_weights" else shape[:1]
        if array.shape != expected:
            raise SettingError(f"'{name}' has shape {array.shape}; for {shape[0]} rows it must be {expected}")
    # An infinite log weight overflows to a sum of infinity, NaN stays NaN: neither is close to one.
    with np.errstate(over="ignore"):
        total = np.exp(state["log_weights"]).sum(axis=1)
    rules = {
        "log_weights": (np.abs(total - 1) < 1e-5, "logs of weights that sum to one"),
        "start": (np.isfinite(state["start"]) & (state["start"] >= 0), "finite and not negative"),
        "copies": (np.isfinite(state["copies"]) & (state["copies"] >= 1), "finite and at least 1"),
        "power": (np.isfinite(state["power"]) & (state["power"] >= 1), "finite and at least 1"),
    }
    for name, (good, allowed) in rules.items():
        if not np.all(good):
            row = int(np.flatnonzero(~good)[0])
            raise SettingError(f"'{name}', row {row}: found {state[name][row]}; it must be {allowed}")
    return state
