"""The paper's experiments on any data set.

Takes a `Dataset` and names of models; gives a folder of results: one tidy table, and the data of figures. Jobs run on
local processes or a Dask cluster and are resumed after a stop. It must not depend on how results are drawn or printed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
