"""The features of one instance, and the limits under which they are computed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bayes_distnet.collect.executor import Outcome, execute
from bayes_distnet.errors import FeatureError
from bayes_distnet.validation import check_positive

MEMORY_LIMIT = 4 * 2**30


@dataclass(frozen=True)
class Features:
    """Named numbers that describe an instance, and the CPU seconds it took to compute them."""

    values: dict[str, float]
    cost: float


@dataclass
class Meter:
    """Counts the CPU seconds spent on one file, and ends the work at a wall-clock limit."""

    path: Path
    time_limit: float
    children: float = 0.0
    began_cpu: float = field(default_factory=time.thread_time)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        check_positive("time_limit", self.time_limit)

    @property
    def cost(self) -> float:
        """CPU seconds up to now, those of child processes included."""
        return time.thread_time() - self.began_cpu + self.children

    def left(self) -> float:
        """Return the seconds left; raise a `FeatureError` when there are none."""
        left = self.began + self.time_limit - time.monotonic()
        if left <= 0:
            raise self._too_slow()
        return left

    def run(self, command: Sequence[str]) -> Outcome:
        """Run a command in what is left of the time, and return its outcome with whatever it wrote."""
        left = self.left()
        outcome = execute(
            command, cutoff=left, wall_limit=left, memory_limit=MEMORY_LIMIT, read_answer=lambda output, _: output
        )
        self.children += outcome.seconds
        if outcome.status == "timeout":
            raise self._too_slow()
        if outcome.status == "memout":
            raise FeatureError(
                f"{self.path}: computing its features took more than {MEMORY_LIMIT >> 30} GiB of memory. "
                "Leave this instance out, or give its features yourself."
            )
        return outcome

    def _too_slow(self) -> FeatureError:
        return FeatureError(
            f"{self.path}: its features were not computed within time_limit={self.time_limit:g} s. "
            "Raise time_limit, or leave this instance out."
        )
