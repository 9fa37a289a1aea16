"""Draws of a mixture: which components belong together, and sums over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.special.elementary import log_sum_exp
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_numbers


@dataclass(frozen=True)
class Draws:
    """The draw of every component.

    Parameters
    ----------
    labels : ndarray
        (n, S), or (1, S) where all rows share them: the draw of each component, numbered from 0 in each row.
    """

    labels: IndexArray

    @cached_property
    def count(self) -> int:
        """D, the number of draws per row."""
        return int(self.labels.max(initial=0)) + 1

    @cached_property
    def members(self) -> tuple[IndexArray, BoolArray]:
        """(n, D, G) or (1, D, G): the components of every draw, and which of the G places are in use."""
        lines = np.arange(len(self.labels))[:, None]
        order = np.argsort(self.labels, axis=1, kind="stable")
        flat = (lines * self.count + self.labels).ravel()
        sizes = np.bincount(flat, minlength=len(lines) * self.count).reshape(len(lines), self.count)
        label = self.labels[lines, order]
        place = np.arange(self.labels.shape[1]) - (np.cumsum(sizes, axis=1) - sizes)[lines, label]
        columns = np.zeros((*sizes.shape, int(sizes.max(initial=1))), dtype=np.intp)
        columns[lines, label, place] = order
        return columns, np.arange(columns.shape[2]) < sizes[..., None]

    def take(self, rows: IndexArray | slice) -> Draws:
        """Return the draws of some rows."""
        return self if len(self.labels) == 1 else Draws(self.labels[rows])

    def log_sums(self, log_terms: FloatArray) -> FloatArray:
        """(n, D): log of the sum of exp of (n, S) terms over the components of every draw."""
        columns, present = self.members
        n = len(log_terms) if len(columns) == 1 else len(columns)
        full = np.broadcast_to(log_terms, (n, self.labels.shape[1]))
        return log_sum_exp(np.where(present, full[np.arange(n)[:, None, None], columns], -np.inf))

    def at_components(self, values: FloatArray) -> FloatArray:
        """From values (n, D) or (n, D, m) of draws to those (n, S) or (n, S, m) of each component's draw."""
        return values[np.arange(len(values))[:, None], self.labels]


def check_draws(draws: ArrayLike | None, n: int, size: int) -> Draws | None:
    """Return the draws of n rows of `size` components, or None if each component is a draw of its own.

    Parameters
    ----------
    draws : array-like, optional
        (S,) or (n, S) whole numbers.
    n, size : int
        Rows and components.

    Returns
    -------
    Draws or None
        Numbered from 0 in each row.
    """
    if draws is None:
        return None
    labels = check_numbers("draws", draws)
    if labels.shape not in ((size,), (n, size)):
        raise SettingError(
            f"draws have shape {labels.shape}; for {n} rows of {size} components give ({size},) or ({n}, {size})"
        )
    whole = np.isfinite(labels) & (labels == np.round(labels))
    if not whole.all():
        raise SettingError(f"draws: expected a whole number for each component, its draw; found {labels[~whole][0]}")
    labels = np.atleast_2d(labels)
    labels = labels[:1] if np.all(labels == labels[:1]) else labels
    order = np.argsort(labels, axis=1, kind="stable")
    step = np.diff(np.take_along_axis(labels, order, axis=1), axis=1, prepend=-np.inf) > 0
    numbered = np.empty(labels.shape, dtype=np.intp)
    np.put_along_axis(numbered, order, np.cumsum(step, axis=1) - 1, axis=1)
    return None if np.all(numbered.max(axis=1) == size - 1) else Draws(numbered)


def stack_draws(draws: Sequence[Draws | None], rows: Sequence[int], columns: Sequence[IndexArray]) -> Draws | None:
    """Put draws below each other.

    Parameters
    ----------
    draws : sequence
        Draws of each part; None where each component is a draw of its own.
    rows : sequence of int
        Number of rows of each part.
    columns : sequence of ndarray
        For each part, the component (S,) that stands in each place; one that only fills up belongs to the draw of the
        component that it copies.

    Returns
    -------
    Draws or None
        Draws of all rows; None where each component is a draw of its own.
    """
    if all(part is None for part in draws):
        return None
    lines = [
        column[None] if part is None else part.labels[:, column] for part, column in zip(draws, columns, strict=True)
    ]
    if all(len(line) == 1 and np.array_equal(line, lines[0]) for line in lines):
        return Draws(lines[0])
    return Draws(
        np.concatenate([np.broadcast_to(line, (n, line.shape[1])) for line, n in zip(lines, rows, strict=True)])
    )


def pool_draws(draws: Sequence[Draws | None], sizes: Sequence[int], n: int) -> Draws | None:
    """Put draws of the same n rows side by side; draws of different parts stay apart.

    Parameters
    ----------
    draws : sequence
        Draws of each part; None where each component is a draw of its own.
    sizes : sequence of int
        Number of components of each part.
    n : int
        Number of rows.

    Returns
    -------
    Draws or None
        Draws of all components; None where each component is a draw of its own.
    """
    if all(part is None for part in draws):
        return None
    counts = [size if part is None else part.count for part, size in zip(draws, sizes, strict=True)]
    firsts = np.cumsum([0, *counts])[:-1]
    lines = [
        (np.arange(size)[None] if part is None else part.labels) + first
        for part, size, first in zip(draws, sizes, firsts, strict=True)
    ]
    height = 1 if all(len(line) == 1 for line in lines) else n
    return Draws(np.hstack([np.broadcast_to(line, (height, line.shape[1])) for line in lines]))
