"""A part of a schedule. This module needs the standard library only, so that a saved schedule can be run at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Slot:
    """A part of a schedule: one solver for some seconds on one core, started from scratch.

    Parameters
    ----------
    solver : str
        The solver.
    start : float
        Seconds from the beginning of the schedule.
    seconds : float
        Length; infinite if the solver runs until it answers.
    core : int, default 0
        Number of the core.
    cutoff : float, default inf
        Seconds after which the solver is restarted with a new seed; infinite: it is not.
    """

    solver: str
    start: float
    seconds: float
    core: int = 0
    cutoff: float = math.inf

    def __str__(self) -> str:
        length = "to the end" if math.isinf(self.seconds) else f"{self.seconds:.3g} s"
        restart = "" if math.isinf(self.cutoff) else f", restarted every {self.cutoff:.3g} s"
        return f"{self.solver} {length}{restart}"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, as JSON can hold them: None stands for infinity."""
        return {name: None if value == math.inf else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """Return the slot that `as_dict` described."""
        start, seconds, cutoff = (
            math.inf if entry[name] is None else float(entry[name]) for name in ("start", "seconds", "cutoff")
        )
        return cls(str(entry["solver"]), start, seconds, int(entry["core"]), cutoff)
