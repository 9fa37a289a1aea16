"""Overhead of limits: commands under an `Executor` and as bare subprocesses, in turns; medians and their ratio."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable

from bayes_distnet.collect.executor import Executor

REPEATS = 400  # runs per command


def seconds(work: Callable[[], object]) -> float:
    """Return the duration of a call."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Print one line per command."""
    print(f"{'command':<12} {'bare ms':>8} {'execute ms':>11} {'ratio':>6} {'overhead ms':>12}")
    with Executor() as executor:
        for command in (["true"], ["sleep", "0.02"]):
            bare, ours = [], []
            for _ in range(REPEATS if command == ["true"] else REPEATS // 4):
                bare.append(seconds(lambda: subprocess.run(command, capture_output=True)))  # noqa: B023
                ours.append(seconds(lambda: executor.run(command, cutoff=5.0, memory_limit=1 << 30)))  # noqa: B023
            low, high = statistics.median(bare) * 1e3, statistics.median(ours) * 1e3
            print(f"{' '.join(command):<12} {low:8.2f} {high:11.2f} {high / low:6.2f} {high - low:12.2f}")


if __name__ == "__main__":
    main()
