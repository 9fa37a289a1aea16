"""From a predicted distribution to a decision: restarts, choice of solvers, schedules, advice while running.

Takes `PredictedRuntimes`, or a `Dataset` of several solvers; gives decisions: what to run, how long, and the reason.
It must not know how predictions are made, how solvers are started, or how results are stored and shown.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
