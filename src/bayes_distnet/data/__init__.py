"""Runs, features and data sets, in memory and on disk.

Takes tables, SQLite stores, published archives and the data sets that come with the package; gives `RunTable`,
`Dataset`, `Observations` (the one form that models learn from) and splits of them. It must not depend on the
collection of runs, on the models that learn from them, or on the scores of predictions.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
