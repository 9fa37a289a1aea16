"""The features of one instance, and the limits under which they are computed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bayes_distnet.data.statuses import MEMOUT, TIMEOUT
from bayes_distnet.errors import FeatureError
from bayes_distnet.validation import check_positive

if TYPE_CHECKING:
    from bayes_distnet.collect.executor import Outcome

MEMORY_LIMIT = 4 * 2**30  # bytes per program


@dataclass(frozen=True)
class Features:
    """Features of one instance.

    Parameters
    ----------
    values : dict
        Named numbers that describe the instance.
    cost : float
        CPU seconds that computing them took.
    group_costs : dict, default {}
        CPU seconds of each group of the feature set that was computed; empty if the set has no groups.
    """

    values: dict[str, float]
    cost: float
    group_costs: dict[str, float] = field(default_factory=dict)


@dataclass
class Meter:
    """CPU seconds spent on one file, and a limit in wall-clock seconds.

    Parameters
    ----------
    path : Path
        The instance file, for messages.
    time_limit : float
        Limit in wall-clock seconds, from now on.
    """

    path: Path
    time_limit: float
    _children: float = field(default=0.0, init=False)
    _began_cpu: float = field(default_factory=time.thread_time, init=False)
    _began: float = field(default_factory=time.monotonic, init=False)

    def __post_init__(self) -> None:
        check_positive("time_limit", self.time_limit)

    @property
    def cost(self) -> float:
        """CPU seconds so far, including those of child processes."""
        return time.thread_time() - self._began_cpu + self._children

    def left(self) -> float:
        """Return the seconds left; raise a `FeatureError` if there are none."""
        left = self._began + self.time_limit - time.monotonic()
        if left <= 0:
            raise too_slow(self.path, self.time_limit)
        return left

    def run(self, command: Sequence[str]) -> Outcome:
        """Run a command within the time left.

        Parameters
        ----------
        command : sequence of str
            Program and arguments.

        Returns
        -------
        Outcome
            Exit code and output, however the program ended by itself.

        Raises
        ------
        FeatureError
            If it takes too much time or memory.
        """
        # Imported here: only programs need the executor, and with it Linux.
        from bayes_distnet.collect.executor import execute

        left = self.left()
        outcome = execute(
            command, cutoff=left, wall_limit=left, memory_limit=MEMORY_LIMIT, read_answer=lambda output, _: output
        )
        self._children += outcome.seconds
        if outcome.status == TIMEOUT:
            raise too_slow(self.path, self.time_limit)
        if outcome.status == MEMOUT:
            raise FeatureError(
                f"{self.path}: computing its features took more than {MEMORY_LIMIT >> 30} GiB of memory. "
                "Leave this instance out, or give its features yourself."
            )
        return outcome


def too_slow(path: Path, time_limit: float) -> FeatureError:
    """Return the error of a file whose features take too long."""
    return FeatureError(
        f"{path}: its features were not computed within time_limit={time_limit:g} s. "
        "Raise time_limit, or leave this instance out."
    )
