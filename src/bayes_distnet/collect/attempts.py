"""Attempts to solve one instance: what a core is to run, how it ended, and the end of a race between several."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import BinaryIO, Self, TypeAlias

from bayes_distnet.collect.executor import Outcome
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.run import Run
from bayes_distnet.data.statuses import SOLVED, TIMEOUT


@dataclass(frozen=True)
class Attempt:
    """A run that a core is to do.

    Parameters
    ----------
    solver : Solver
        Solver to run.
    seed : int
        Its seed.
    cutoff : float, default inf
        CPU seconds after which it is stopped.
    """

    solver: Solver
    seed: int
    cutoff: float = math.inf


@dataclass(frozen=True)
class Tried:
    """An attempt that is over.

    Parameters
    ----------
    attempt : Attempt
        The attempt.
    core : int
        Number of the core in the race, from 0.
    outcome : Outcome
        Its end. An answer that is wrong counts as a crash.
    started : str
        Date and time of its start.
    bound_to : int or None
        Core of the machine that it was bound to.
    beaten : bool
        Whether it was stopped because another attempt had the answer.
    wrong : str
        Error in its answer; empty where none was found.
    """

    attempt: Attempt
    core: int
    outcome: Outcome
    started: str
    bound_to: int | None = None
    beaten: bool = False
    wrong: str = ""

    @property
    def solved(self) -> bool:
        """Whether it has an answer that was accepted."""
        return self.outcome.status == SOLVED

    def run(self, instance: str) -> Run:
        """Return the run, as a store keeps it.

        An attempt that was stopped because another one won is censored: it would have taken longer. It is stored as a
        timeout at its seconds. Leaving it out would keep winners only, whose times are too short.

        Parameters
        ----------
        instance : str
            Name of the instance.

        Returns
        -------
        Run
            The run, with the seconds at which it was stopped as the cutoff of a censored run.
        """
        status = TIMEOUT if self.beaten else self.outcome.status
        seconds = max(self.outcome.seconds, 1e-6)  # it may have been stopped before its first measurement
        return Run(
            self.attempt.solver.name,
            instance,
            self.attempt.seed,
            status=status,
            seconds=seconds,
            wall_seconds=self.outcome.wall_seconds,
            cutoff=min(self.outcome.cutoff, seconds) if status == TIMEOUT else self.outcome.cutoff,
            answer=self.outcome.answer,
            exit_code=self.outcome.exit_code,
            memory=self.outcome.memory,
            started=self.started,
            host=socket.gethostname(),
            core=self.bound_to,
        )


#: Given the attempts that a core has made, its next one; None if there is nothing left to do.
Lane: TypeAlias = Callable[[Sequence[Tried]], Attempt | None]
#: Given an attempt with an answer and its output, the error in that answer; empty where none is found.
Check: TypeAlias = Callable[[Tried, BinaryIO], str]


class WithOutput:
    """Something with the output of a winner, which is deleted by `close` and at the end of a `with` statement."""

    output: BinaryIO | None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete the output of the winner."""
        if self.output is not None:
            self.output.close()


@dataclass(frozen=True)
class Finish(WithOutput):
    """The end of a race. Close it, or use it in a `with` statement.

    Parameters
    ----------
    tried : list of Tried
        All attempts, in the order in which they ended.
    winner : Tried or None
        The attempt whose answer came first.
    output : binary file or None
        Whole standard output of the winner, at its start. The file has no name, and is gone when it is closed.
    """

    tried: list[Tried]
    winner: Tried | None = None
    output: BinaryIO | None = None

    @property
    def seconds(self) -> float:
        """CPU seconds of all attempts."""
        return sum(one.outcome.seconds for one in self.tried)
