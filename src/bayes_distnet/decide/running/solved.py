"""The result of a run on one instance: the answer, and all attempts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

from bayes_distnet.collect.attempts import Tried, WithOutput
from bayes_distnet.collect.executor import Outcome
from bayes_distnet.data.statuses import CRASHED, UNREADABLE
from bayes_distnet.decide.running.planners import Schedule

LONGEST_REASON = 120  # characters of a solver's own error message that are shown


@dataclass(frozen=True, repr=False)
class Solved(WithOutput):
    """The result of a run on one instance. Close it, or use it in a `with` statement.

    Parameters
    ----------
    instance : str
        Name of the instance.
    winner : Tried or None
        Attempt with the first answer.
    output : binary file or None
        Whole standard output of the winner.
    tried : list of Tried
        All attempts, in the order in which they ended.
    schedule : Schedule or None
        Schedule that was run; None if the presolver had the answer.
    notes : list of str
        What did not go as usual: solvers that are not installed, features that could not be computed.
    feature_seconds : float
        CPU seconds of the features.
    own_seconds, wall_seconds : float
        CPU seconds of this process, and seconds from the call to the result.
    contradiction : pair of Tried or None
        Two attempts that answered "satisfiable" and "unsatisfiable".
    proven : bool
        Whether a solution was checked and is right.
    """

    instance: str
    winner: Tried | None
    output: BinaryIO | None
    tried: list[Tried]
    schedule: Schedule | None
    notes: list[str]
    feature_seconds: float
    own_seconds: float
    wall_seconds: float
    contradiction: tuple[Tried, Tried] | None = None
    proven: bool = False

    def __repr__(self) -> str:
        end = f"{self.answer} by {self.solver}" if self.winner is not None else f"no answer, {self.failures}"
        if self.contradiction is not None:
            end = "solvers contradict each other"
        spent = f"{self.solver_seconds:.3g} CPU seconds of solvers, in {self.wall_seconds:.3g} s"
        return f"<Solved {self.instance}: {end}; {spent}>"

    @property
    def answer(self) -> str | None:
        """Answer of the winner; None if there is none."""
        return None if self.winner is None else self.winner.outcome.answer

    @property
    def solver(self) -> str | None:
        """Name of the solver with the answer; None if there is none."""
        return None if self.winner is None else self.winner.attempt.solver.name

    @property
    def solver_seconds(self) -> float:
        """CPU seconds of all attempts."""
        return sum(one.outcome.seconds for one in self.tried)

    @property
    def failures(self) -> str:
        """Ends of all attempts without an answer, in a few words."""
        ends: dict[str, list[str]] = {}
        for one in self.tried:
            if not one.solved and not one.beaten:
                reason = one.wrong or _own_words(one.outcome)
                ends.setdefault(f"{one.attempt.solver.name} {one.outcome.status}", []).append(reason)
        words = []
        for end, reasons in ends.items():
            times = f" {len(reasons)} times" if len(reasons) > 1 else ""
            reason = next(filter(None, reasons), "")
            words.append(f"{end}{times}{f' ({reason})' if reason else ''}")
        return ", ".join(words) or "no attempt was made"

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON can hold it."""
        return {
            "instance": self.instance,
            "answer": self.answer,
            "solver": self.solver,
            "exit_code": None if self.winner is None else self.winner.outcome.exit_code,
            "solver_seconds": self.solver_seconds,
            "feature_seconds": self.feature_seconds,
            "own_seconds": self.own_seconds,
            "wall_seconds": self.wall_seconds,
            "proven": self.proven,
            "contradiction": self.contradiction is not None,
            "schedule": None if self.schedule is None else self.schedule.as_dict(),
            "attempts": [
                {
                    "solver": one.attempt.solver.name,
                    "seed": one.attempt.seed,
                    "core": one.core,
                    "status": "stopped" if one.beaten else one.outcome.status,
                    "answer": one.outcome.answer,
                    "seconds": one.outcome.seconds,
                    "wrong": one.wrong,
                }
                for one in self.tried
            ],
            "notes": self.notes,
        }


def _own_words(outcome: Outcome) -> str:
    """Return why a solver failed, by its own last line on standard error or by its exit code."""
    if outcome.status not in (CRASHED, UNREADABLE):
        return ""
    lines = [line.strip() for line in outcome.errors.splitlines() if line.strip()]
    said = lines[-1][:LONGEST_REASON].rstrip(".") if lines else ""
    return f"exit code {outcome.exit_code}{f': {said}' if said else ''}"
