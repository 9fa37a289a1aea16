"""One run, as a collector records it and a store keeps it. This module needs the standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

#: Solver, instance and seed: they identify a run.
Key: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True)
class Run:
    """One run of a solver, as it is stored.

    Parameters
    ----------
    solver : str
        Name of the solver.
    instance : str
        Name of the instance.
    seed : int
        Seed that the solver was given.
    status : str
        How the run ended, one of `bayes_distnet.data.statuses.STATUSES`.
    seconds : float
        CPU seconds.
    wall_seconds : float
        Wall-clock seconds.
    cutoff : float
        Limit in CPU seconds under which the run was made.
    answer : str, optional
        Answer found in the solver's output.
    exit_code : int, optional
        Exit code of the solver's process; negative for a signal.
    memory : int, optional
        Largest memory used, in bytes.
    started : str, optional
        Date and time of the start, in ISO format.
    host : str, optional
        Name of the machine.
    core : int, optional
        Processor core on which the run was made.
    """

    solver: str
    instance: str
    seed: int
    status: str
    seconds: float
    wall_seconds: float
    cutoff: float
    answer: str | None = None
    exit_code: int | None = None
    memory: int | None = None
    started: str | None = None
    host: str | None = None
    core: int | None = None

    @property
    def key(self) -> Key:
        """Solver, instance and seed: they identify the run."""
        return self.solver, self.instance, self.seed
