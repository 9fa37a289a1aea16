"""From a predicted distribution to a decision: restarts, choice of solvers, schedules, advice, and running a plan.

Takes `PredictedRuntimes`, a `Dataset` of several solvers, or an instance file; gives decisions: what to run, how long,
and the reason. `running` hands a decision to `collect`, which starts the solvers. It must not know how predictions are
made, how a process is run under limits, or how results are stored and shown.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
