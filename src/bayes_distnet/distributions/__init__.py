"""Families and mixtures of runtime distributions.

Takes parameters, or samples with their finished flags; gives `RuntimeDistribution`, the object that models predict and
scores and decisions take: cdf, quantiles, moments, bands, time left, minima of parallel runs. `KernelEstimate`, the
published prediction, has the same face. The package must not depend on runs on disk, features, models or solvers.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
