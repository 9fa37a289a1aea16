"""Registries: named things of one kind, in the order in which help, tables and reports show them.

There is one registry per concept: families, solvers, kinds of instances, feature sets, models, scores, experiments.
An entry is a small frozen dataclass with a `key`. It names its code by a source such as "package.module:function",
which is imported when it is first used: help texts and completion read a registry without importing anything heavy.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from bayes_distnet.errors import SettingError


class Entry(Protocol):
    """An entry of a registry."""

    @property
    def key(self) -> str:
        """Name of the entry, unique in its registry."""
        ...


T = TypeVar("T", bound=Entry)


class Registry(Mapping[str, T]):
    """Entries by key, in order.

    Parameters
    ----------
    kind : str
        What an entry is, as messages name it: "model", "solver".
    entries : iterable
        Entries, in the order in which they are shown.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Colour:
    ...     key: str
    >>> colours = Registry("colour", [Colour("red"), Colour("blue")])
    >>> list(colours), colours.find("red")
    (['red', 'blue'], Colour(key='red'))
    >>> colours.find("green")
    Traceback (most recent call last):
        ...
    bayes_distnet.errors.SettingError: colour 'green': expected one of red, blue.
    """

    def __init__(self, kind: str, entries: Iterable[T]) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}
        for entry in entries:
            self.add(entry)

    def __getitem__(self, key: str) -> T:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: T) -> None:
        """Add an entry at the end; a key that is taken is an error."""
        if entry.key in self._entries:
            raise SettingError(f"{self.kind} {entry.key!r}: the name is taken.")
        self._entries[entry.key] = entry

    @contextlib.contextmanager
    def extended(self, entry: T) -> Iterator[None]:
        """Add an entry for as long as a `with` block lasts."""
        self.add(entry)
        try:
            yield
        finally:
            del self._entries[entry.key]

    def find(self, key: str, hint: str = "") -> T:
        """Return an entry; a `SettingError` lists the keys there are, followed by a hint."""
        if not isinstance(key, str) or key not in self._entries:
            raise SettingError(f"{self.kind} {key!r}: expected one of {', '.join(self)}{hint}.")
        return self._entries[key]


def load(source: str) -> Any:
    """Import the object that a source names.

    Parameters
    ----------
    source : str
        "package.module:attribute".

    Returns
    -------
    object
        The attribute.

    Examples
    --------
    >>> load("math:hypot")(3.0, 4.0)
    5.0
    """
    module, _, attribute = source.partition(":")
    return getattr(importlib.import_module(module), attribute)
