"""The cores that this program may use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return the number of cores that this program may use: those it is restricted to on Linux, else all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
