"""Settings and fixtures of all tests."""

import signal

from browser import chromium, visit

__all__ = ["chromium", "visit"]

# A shell starts background jobs with Ctrl-C ignored, and programs that tests start would inherit that: tests that send
# the signal would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
