"""Conformal bounds on a run's time: cutoffs, calibration, the estimator around a model, and files."""
