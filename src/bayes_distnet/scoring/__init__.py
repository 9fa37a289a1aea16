"""Scores of predicted distributions against runs.

Takes a `RuntimeDistribution` and runs; gives one number per instance and score, tables of them, and comparisons of
models on the same folds. It must not depend on the model or family that made a prediction, nor on experiments.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
