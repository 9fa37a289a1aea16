"""Running solvers and storing every run.

Takes solvers, instance files and seeds; gives runs in a `Store`, measured under limits by a supervisor process that
leaves nothing behind. It must not know features or models. Every module can be imported on any system, and instances
can be generated; running solvers needs Linux.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
