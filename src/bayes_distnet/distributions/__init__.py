"""Families and mixtures of runtime distributions.

Takes parameters, or samples with their finished flags; gives `RuntimeDistribution`, the object that every model
predicts and every score and decision takes: cdf, quantiles, moments, bands, time left, minima of parallel runs. It
must not know runs on disk, features, models or solvers.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
