"""The ways a run can end. This module imports nothing, so that programs that only start runs stay light."""

SOLVED = "solved"
TIMEOUT = "timeout"
MEMOUT = "memout"
CRASHED = "crashed"
INTERRUPTED = "interrupted"
UNREADABLE = "unreadable"

STATUSES = (SOLVED, TIMEOUT, MEMOUT, CRASHED, INTERRUPTED, UNREADABLE)

#: Runs that are observations of a runtime: finished, or censored at a cutoff.
OBSERVED = (SOLVED, TIMEOUT)
