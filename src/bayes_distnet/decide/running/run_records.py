"""Runs of `solve` in a store, beside those of collections."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from bayes_distnet.collect.attempts import Tried
from bayes_distnet.collect.plan import digest
from bayes_distnet.collect.solvers.base import Solver

if TYPE_CHECKING:
    from bayes_distnet.data.store import Store


class RunRecords:
    """A store that receives every attempt on one instance; use it in a `with` statement.

    Parameters
    ----------
    store : path or None
        The store; None records nothing.
    instance : Path
        Instance file.
    solvers : sequence of Solver
        Solvers that may be run.
    """

    def __init__(self, store: str | os.PathLike[str] | None, instance: Path, solvers: Sequence[Solver]) -> None:
        self.path, self.instance, self.solvers = store, instance, solvers
        self._store: Store | None = None
        self._stack = ExitStack()
        self._new: list[Tried] = []

    def __enter__(self) -> RunRecords:
        if self.path is not None:
            from bayes_distnet.data.store import Store

            self._store = self._stack.enter_context(Store(self.path))
            self._store.register_instances({self.instance.name: digest(self.instance)})
            for solver in self.solvers:
                self._store.register_solver(solver.name, solver.template, solver.answer, solver.version())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            if self._store is not None:
                self._store.add(one.run(self.instance.name) for one in self._new)

    def used_seeds(self) -> set[tuple[str, int]]:
        """Return the solvers and seeds of the runs of this instance that the store has."""
        if self._store is None:
            return set()
        return {(solver, seed) for solver, name, seed in self._store.done() if name == self.instance.name}

    def add(self, tried: Tried) -> None:
        """Record an attempt; all are written together at the end."""
        self._new.append(tried)
