"""Decisions: what to run, how long, what it is expected to cost, and the reason in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.schedules.slot import Slot

SHOWN = 5  # rows in the representation of a decision


@dataclass(frozen=True)
class Choice:
    """A solver per instance.

    Parameters
    ----------
    solver : array of str
        (n,) solver to run.
    expected : array
        (n,) expected value of the objective with it: seconds, a chance, or a utility.
    why : tuple of str
        (n,) reasons.
    objective : str
        Name of the objective.
    solvers : tuple of str
        Solvers that were compared.
    costs : array
        (n, S) expected value of the objective for each of them, as `expected`.
    """

    solver: NDArray[np.object_]
    expected: FloatArray
    why: tuple[str, ...]
    objective: str
    solvers: tuple[str, ...]
    costs: FloatArray

    def __len__(self) -> int:
        return len(self.solver)

    def __repr__(self) -> str:
        return _shown(f"Choice of {len(self)} by {self.objective}", self.why)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per instance: solver, expected, why, and the expected value of every solver."""
        own = pd.DataFrame({"solver": self.solver, "expected": self.expected, "why": list(self.why)})
        return own.join(pd.DataFrame(self.costs, columns=[f"expected {solver}" for solver in self.solvers]))

    def as_dict(self) -> list[dict[str, Any]]:
        """Return one dictionary per instance, as JSON can hold it."""
        return [
            {
                "solver": str(solver),
                "expected": _number(expected),
                "objective": self.objective,
                "why": why,
                "costs": {name: _number(cost) for name, cost in zip(self.solvers, costs, strict=True)},
            }
            for solver, expected, why, costs in zip(self.solver, self.expected, self.why, self.costs, strict=True)
        ]


@dataclass(frozen=True)
class Plan:
    """A schedule per instance.

    Parameters
    ----------
    slots : tuple of tuple of Slot
        (n,) schedules.
    expected : array
        (n,) expected value of the objective.
    solved : array
        (n,) chance of an answer before the deadline.
    why : tuple of str
        (n,) reasons.
    deadline : float
        Seconds.
    objective : str
        Name of the objective.
    """

    slots: tuple[tuple[Slot, ...], ...]
    expected: FloatArray
    solved: FloatArray
    why: tuple[str, ...]
    deadline: float
    objective: str

    def __len__(self) -> int:
        return len(self.slots)

    def __iter__(self) -> Iterator[tuple[Slot, ...]]:
        return iter(self.slots)

    def __repr__(self) -> str:
        return _shown(f"Plan of {len(self)} for {self.deadline:g} s", self.why)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per slot: row of the plan, core, solver, start, seconds, cutoff."""
        rows = [{"row": row, **vars(slot)} for row, slots in enumerate(self.slots) for slot in slots]
        return pd.DataFrame(rows, columns=["row", "core", "solver", "start", "seconds", "cutoff"])

    def as_dict(self) -> list[dict[str, Any]]:
        """Return one dictionary per instance, as JSON can hold it."""
        return [
            {
                "slots": [slot.as_dict() for slot in slots],
                "expected": _number(expected),
                "solved": float(solved),
                "objective": self.objective,
                "deadline": self.deadline,
                "why": why,
            }
            for slots, expected, solved, why in zip(self.slots, self.expected, self.solved, self.why, strict=True)
        ]


@dataclass(frozen=True)
class Advice:
    """What to do with a run that is still going.

    Parameters
    ----------
    action : {"continue", "restart", "switch"}
        The action with the least expected cost.
    solver : str
        Solver to run from now on.
    expected : dict
        Expected further cost of each action that was considered.
    left : dict
        Time that the running solver needs from now on, in seconds: "median", "q90", and "low" and "high", the ends of
        the band of the median with a probability of 0.9.
    why : str
        The reason.
    elapsed : float
        Seconds that the run has been going.
    objective : str
        Name of the objective.
    """

    action: str
    solver: str
    expected: dict[str, float]
    left: dict[str, float]
    why: str
    elapsed: float
    objective: str

    def __repr__(self) -> str:
        return f"<Advice to {self.why}>"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per action that was considered, with its expected further cost."""
        frame = pd.DataFrame({"action": list(self.expected), "expected": list(self.expected.values())})
        return frame.assign(advised=frame["action"] == self.action)

    def as_dict(self) -> dict[str, Any]:
        """Return the advice as JSON can hold it."""
        return {
            **vars(self),
            "expected": {name: _number(cost) for name, cost in self.expected.items()},
            "left": {name: _number(value) for name, value in self.left.items()},
        }


def _number(value: float) -> float | None:
    """JSON has no infinity: None stands for it."""
    return float(value) if math.isfinite(value) else None


def _shown(title: str, why: tuple[str, ...]) -> str:
    more = [f"... {len(why) - SHOWN} more"] if len(why) > SHOWN else []
    return "\n  ".join([f"<{title}>", *why[:SHOWN], *more])
