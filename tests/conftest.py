"""Settings of all tests."""

import signal

# A shell starts background jobs with Ctrl-C ignored, and programs that tests start would inherit that: tests that send
# the signal would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
