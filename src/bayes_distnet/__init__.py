"""Predict the whole runtime distribution of a randomised solver from instance features, and how sure it is.

The names below are the public face; `__init__.pyi` lists them once. They are imported when first used, so that
`import bayes_distnet` alone is fast. The rest is reached through its package: `bayes_distnet.distributions`, `data`,
`collect`, `features`, `models`, `scoring`, `experiments`, `report`.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
