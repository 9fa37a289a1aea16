"""Importers: published collections of runs and features, read as a data set.

`import_aslib` reads a scenario of the algorithm selection library, `import_distnet` one of the DistNet archive. Both
say in the data set's notes what had to be decided, was repaired or is missing.
"""

from bayes_distnet.importers.aslib import import_aslib
from bayes_distnet.importers.distnet import import_distnet

__all__ = ["import_aslib", "import_distnet"]
