"""What the benchmarks of speed share: clocks, and the switch to a run of seconds."""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any


def quick(description: str | None) -> bool:
    """Read the command line: `--quick` makes sizes small, so that a run takes seconds and its figures mean nothing."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that the benchmark works")
    return bool(parser.parse_args().quick)


def cpu_seconds(work: Callable[[], Any], repeats: int = 1) -> float:
    """Return the median CPU time of all threads: other programs on the machine change it little."""
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)


def ratio(work: Callable[[], Any], yardstick: Callable[[], Any], repeats: int = 1) -> tuple[float, float]:
    """Return the CPU time of the work, and its ratio to the yardstick, measured alternately."""
    pairs = [(cpu_seconds(work), cpu_seconds(yardstick)) for _ in range(repeats)]
    return statistics.median(a for a, _ in pairs), statistics.median(a / max(b, 1e-9) for a, b in pairs)


def peak_megabytes() -> float:
    """Return the largest memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
