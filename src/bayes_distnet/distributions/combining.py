"""Several mixtures as one: rows below each other, or components side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.distributions.checks import check_pool_weight, check_weights
from bayes_distnet.distributions.draws import pool_draws, stack_draws
from bayes_distnet.distributions.families import Family
from bayes_distnet.distributions.mixture import Mixture
from bayes_distnet.errors import SettingError


def stack(parts: Sequence[Mixture]) -> Mixture:
    """Put rows of several mixtures of one family below each other.

    Rows with fewer components than others are filled up with copies of their first component, of weight 0.

    Parameters
    ----------
    parts : sequence of Mixture
        Mixtures of one family, at least one.

    Returns
    -------
    Mixture
        As many rows as all parts together.
    """
    _check_families(parts)
    size = max(part.n_components for part in parts)
    places = np.arange(size)
    columns = [np.where(places < part.n_components, places, 0) for part in parts]
    log_weights, log_alive = [], []
    for part, column in zip(parts, columns, strict=True):
        weights = np.broadcast_to(part.log_weights, (len(part), part.n_components))[:, column]
        log_weights.append(np.where(places < part.n_components, weights, -np.inf))
        log_alive.append(np.zeros((len(part), size)) if part.log_alive is None else part.log_alive[:, column])
    return Mixture(
        _join([part.components.take(np.s_[:, column]) for part, column in zip(parts, columns, strict=True)], 0),
        np.concatenate(log_weights),
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.copies for part in parts]),
        np.concatenate([part.power for part in parts]),
        np.concatenate(log_alive) if any(part.log_alive is not None for part in parts) else None,
        stack_draws([part.draws for part in parts], [len(part) for part in parts], columns),
    )


def pool(parts: Sequence[Mixture], weights: Sequence[ArrayLike]) -> Mixture:
    """Put components of several mixtures of the same rows side by side.

    Parameters
    ----------
    parts : sequence of Mixture
        Mixtures of one family and n rows, conditioned in the same way.
    weights : sequence
        One per part: a scalar or (n,), not negative. They need not sum to one.

    Returns
    -------
    Mixture
        n rows with the components of all parts; draws of different parts stay apart.
    """
    _check_families(parts)
    first, n = parts[0], len(parts[0])
    for part in parts:
        if len(part) != n or np.any(part.start != first.start) or np.any(part.copies != first.copies):
            raise SettingError("a mixture pools distributions of the same rows, conditioned in the same way")
        if np.any(part.power != 1):
            raise SettingError("pool before taking the minimum of independent copies, not after")
    scaled = [
        np.broadcast_to(part.weights, (n, part.n_components)) * check_pool_weight(weight, n)
        for part, weight in zip(parts, weights, strict=True)
    ]
    alive = [np.zeros((n, part.n_components)) if part.log_alive is None else part.log_alive for part in parts]
    return replace(
        first,
        components=_join([part.components for part in parts], 1),
        log_weights=check_weights(np.hstack(scaled), n, sum(part.n_components for part in parts)),
        log_alive=np.concatenate(alive, axis=1) if any(part.log_alive is not None for part in parts) else None,
        draws=pool_draws([part.draws for part in parts], [part.n_components for part in parts], n),
    )


def _check_families(parts: Sequence[Mixture]) -> None:
    if not parts:
        raise SettingError("nothing to put together: the list of distributions is empty")
    names = sorted({part.components.name for part in parts})
    if len(names) > 1:
        raise SettingError(f"distributions of different families cannot be put together: {', '.join(names)}")


def _join(families: Sequence[Family], axis: int) -> Family:
    """One family with the parameters of several, along rows (0) or components (1)."""
    return type(families[0])(
        **{
            name: np.concatenate([family.parameters()[name] for family in families], axis=axis)
            for name in families[0].parameter_names
        }
    )
