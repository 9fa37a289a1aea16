"""Schedules of solvers on one core or several."""
