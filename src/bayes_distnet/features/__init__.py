"""Features of instance files.

Takes CNF and PDDL files; gives named numbers per instance and the CPU seconds that computing them took. It must not
depend on runs or models.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
