"""Importers: published collections of runs and features, read as a run table and a feature table.

`import_aslib` reads a scenario of the algorithm selection library, `import_distnet` one of the DistNet archive. Both
return `ImportedRuns`, which says in its notes what had to be decided, repaired or is missing.
"""

from bayes_distnet.importers.archive import ImportedRuns
from bayes_distnet.importers.aslib import import_aslib
from bayes_distnet.importers.distnet import import_distnet

__all__ = ["ImportedRuns", "import_aslib", "import_distnet"]
