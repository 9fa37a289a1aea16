"""A race: attempts on several cores, one after the other on each, until one of them has the answer."""

from __future__ import annotations

import concurrent.futures
import contextlib
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

from bayes_distnet.collect.attempts import Attempt, Check, Finish, Lane, Tried
from bayes_distnet.collect.connection import SupervisorGone
from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.executor import Executor, Outcome
from bayes_distnet.collect.plan import MEMORY_LIMIT
from bayes_distnet.collect.session import now
from bayes_distnet.data.compressed import plain_file
from bayes_distnet.data.statuses import CRASHED, INTERRUPTED
from bayes_distnet.errors import CollectError, SettingError
from bayes_distnet.validation import check_at_least, check_positive

LONGEST = 1e9  # seconds: cutoff of an attempt without one, since solvers are given a number
SHORTEST = 0.001  # seconds: less than this is no time for an attempt
HUNG_FACTOR, HUNG_SECONDS = 10.0, 2.0  # an attempt that takes so much longer by the clock than its cutoff hangs
HURRIED_FACTOR = 2.0  # the same, where a deadline is near
STOP_SECONDS = 0.05  # time after which an attempt that goes on is asked again to stop


def race(
    instance: Path,
    lanes: Sequence[Lane],
    *,
    deadline: float | None = None,
    cpu_limit: float | None = None,
    memory_limit: int | None = MEMORY_LIMIT,
    pin: bool = False,
    check: Check | None = None,
    report: Callable[[Attempt | Tried, int], None] | None = None,
) -> Finish:
    """Make attempts on several cores until one has an answer; then stop all others at once.

    Whatever ends the race, Ctrl-C included, no process is left. A solver that crashes, hangs, is killed or gives a
    wrong solution costs its attempt only. An attempt hangs if it has taken ten times its cutoff by the clock, plus 2 s.
    With a deadline it hangs after half of the time left, if that is more than twice its cutoff plus 2 s: others need
    a turn.

    Parameters
    ----------
    instance : Path
        Instance file.
    lanes : sequence of callable
        One per core: given the attempts of that core so far, in order, its next attempt, or None. They are called in
        this thread.
    deadline : float, optional
        Seconds of wall-clock time after which all attempts are stopped.
    cpu_limit : float, optional
        CPU seconds that all attempts of one core may take together.
    memory_limit : int or None, default 4 GiB
        Resident bytes per attempt; None for no limit.
    pin : bool, default False
        Whether to bind every lane to a core that no other program of this package holds.
    check : callable, optional
        Check of an answer: see `Check`.
    report : callable, optional
        Function that is called with every attempt when it starts and when it is over, and with the number of its core.

    Returns
    -------
    Finish
        All attempts and the winner.

    Raises
    ------
    SettingError
        If there are more lanes than cores.
    CollectError
        If the instance file is gone.
    """
    check_at_least("lanes", len(lanes), 1)
    check_cores(len(lanes))
    for name, limit in (("deadline", deadline), ("cpu_limit", cpu_limit), ("memory_limit", memory_limit)):
        if limit is not None:
            check_positive(name, limit)
    limits = _Limits(deadline or math.inf, cpu_limit or math.inf, memory_limit)
    cores = [_Core(number, lane, pin) for number, lane in enumerate(lanes)]
    with plain_file(instance) as file, _Race(file, instance.parent, cores, limits) as running:
        return running.to_the_end(check or (lambda tried, output: ""), report or (lambda event, core: None))


def check_cores(cores: int) -> None:
    """Raise a `SettingError` unless this program may use so many cores."""
    check_at_least("cores", cores, 1)
    if cores > (allowed := usable_cores()):
        raise SettingError(f"cores={cores}: this program may use {allowed}, and each solver needs a core of its own.")


@dataclass
class _Limits:
    deadline: float
    cpu: float
    memory: int | None
    began: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        return self.began + self.deadline - time.monotonic()

    def by_the_clock(self, cutoff: float) -> float:
        """Return the seconds after which an attempt hangs; half of the time is left for others, if that is enough."""
        left = self.left()
        patience = max(HURRIED_FACTOR * cutoff + HUNG_SECONDS, 0.5 * left)
        return max(SHORTEST, min(left, HUNG_FACTOR * cutoff + HUNG_SECONDS, patience))


@dataclass
class _Core:
    """A core of the race: its executor and its attempts."""

    number: int
    lane: Lane
    pin: bool
    past: list[Tried] = field(default_factory=list)
    executor: Executor | None = None
    closing: bool = False

    def next_attempt(self, limits: _Limits) -> Attempt | None:
        """Return the next attempt with a cutoff within the limits; None if there is none, or no time."""
        attempt = self.lane(self.past)
        left = limits.cpu - sum(one.outcome.seconds for one in self.past)
        if attempt is None or min(left, limits.left()) < SHORTEST:
            return None
        return replace(attempt, cutoff=min(attempt.cutoff, left, LONGEST))

    def do(self, attempt: Attempt, instance: Path, folder: Path, limits: _Limits, output: BinaryIO) -> Tried:
        """Make an attempt; called in a thread of its own."""
        started, solver, executor = now(), attempt.solver, self._open()
        try:
            outcome = executor.run(
                solver.command(instance, seed=attempt.seed, cutoff=attempt.cutoff, solution=True, folder=folder),
                cutoff=attempt.cutoff,
                wall_limit=limits.by_the_clock(attempt.cutoff),
                memory_limit=limits.memory,
                read_answer=solver.read_answer,
                copy=output,
            )
        except SupervisorGone:  # killed from outside: the attempt is lost, and nothing was measured
            executor.close()
            outcome = Outcome(INTERRUPTED, 0.0, 0.0, attempt.cutoff, -9, 0, "", "", None)
        except SettingError as error:  # the program cannot be started
            outcome = Outcome(CRASHED, 0.0, 0.0, attempt.cutoff, 127, 0, "", str(error), None)
        return Tried(attempt, self.number, outcome, started, executor.core)

    def _open(self) -> Executor:
        """Return the executor of this core; one that is gone is replaced."""
        if self.executor is None or self.executor.closed:
            self.executor = Executor(pin=self.pin)
        if self.closing:  # the race ended while the executor was started
            self.executor.close()
        return self.executor

    def stop(self) -> None:
        """Stop the current attempt, if it has been started."""
        if self.executor is not None:
            with contextlib.suppress(SupervisorGone):
                self.executor.stop()

    def close(self) -> None:
        """End every process; the thread that waits for an attempt ends, too."""
        self.closing = True
        if self.executor is not None:
            self.executor.close()


class _Race:
    """Cores at work, one thread each; leaving the `with` block ends every process."""

    def __init__(self, instance: Path, folder: Path, cores: list[_Core], limits: _Limits) -> None:
        self.instance, self.folder, self.cores, self.limits = instance, folder, cores, limits
        self.pool = ThreadPoolExecutor(len(cores), "race")
        self.running: dict[Future[Tried], tuple[_Core, BinaryIO]] = {}
        self.finish = Finish([])

    def __enter__(self) -> _Race:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)
        with ThreadPoolExecutor(len(self.cores)) as pool:  # at once: a stopped supervisor takes seconds
            list(pool.map(_Core.close, self.cores))
        self.pool.shutdown(wait=True)
        for _, output in self.running.values():
            output.close()
        if kind is not None:
            self.finish.close()

    def to_the_end(self, check: Check, report: Callable[[Attempt | Tried, int], None]) -> Finish:
        """Return the end of the race."""
        for core in self.cores:
            self.start(core, report)
        while self.running:
            beaten = self.finish.winner is not None
            done = concurrent.futures.wait(
                self.running, STOP_SECONDS if beaten else None, concurrent.futures.FIRST_COMPLETED
            ).done
            for future in done:
                core, output = self.running.pop(future)
                report(self.book(core, _checked(future.result(), output, check), output), core.number)
                if self.finish.winner is None:
                    self.start(core, report)
            if self.finish.winner is not None:  # again and again: an attempt may not have begun at the first time
                for core, _ in self.running.values():
                    core.stop()
        return self.finish

    def start(self, core: _Core, report: Callable[[Attempt | Tried, int], None]) -> None:
        """Start the next attempt of a core, if it has one."""
        if not self.instance.is_file():
            raise CollectError(f"{self.instance}: the instance file is gone.")
        attempt = core.next_attempt(self.limits)
        if attempt is None:
            return
        report(attempt, core.number)
        output = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - closed when the attempt is booked
        self.running[self.pool.submit(core.do, attempt, self.instance, self.folder, self.limits, output)] = (
            core,
            output,
        )

    def book(self, core: _Core, tried: Tried, output: BinaryIO) -> Tried:
        """Record the end of an attempt; the first answer stops all others."""
        if self.finish.winner is not None and tried.outcome.status == INTERRUPTED:
            tried = replace(tried, beaten=True)
        core.past.append(tried)
        self.finish.tried.append(tried)
        if tried.solved and self.finish.winner is None:
            output.seek(0)
            self.finish = replace(self.finish, winner=tried, output=output)
        else:
            output.close()
        return tried


def _checked(tried: Tried, output: BinaryIO, check: Check) -> Tried:
    """Return an attempt with an answer that was checked; a wrong one counts as a crash."""
    if not tried.solved:
        return tried
    output.seek(0)
    wrong = check(tried, output)
    if not wrong:
        return tried
    return replace(tried, outcome=replace(tried.outcome, status=CRASHED, answer=None), wrong=wrong)
