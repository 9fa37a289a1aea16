"""Runs of three solvers on two clusters of instances, each with its own best solver."""

import numpy as np
import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.decide.selection.registry import SelectorEntry
from bayes_distnet.models.registry import Role

CUTOFF = 100.0

#: A fast model of a portfolio; experiments find it as "clusters:RIDGES".
RIDGES = SelectorEntry(
    "ridges",
    "PortfolioModel of ridges",
    Role.MODEL,
    "bayes_distnet.decide.selection.portfolio_selector:PortfolioSelector",
    {"base": "ridge"},
    parallel=True,
)


def two_clusters(n: int = 60, runs: int = 1, seed: int = 0) -> Dataset:
    """`left` is fast where the feature `side` is negative and times out elsewhere, `right` the other way round.

    `steady` takes 90 s, and times out on every third instance: it is the single best. The second feature says the same
    as the first; the third one is noise, and missing on every fifth instance.
    """
    rng = np.random.default_rng(seed)
    side = np.where(np.arange(n) % 2 == 0, -1.0, 1.0)
    names = [f"i{row:03d}" for row in range(n)]
    features = pd.DataFrame(
        {
            "side": side + rng.normal(0.0, 0.1, n),
            "twin": side + rng.normal(0.0, 0.1, n),
            "gaps": np.where(np.arange(n) % 5 == 0, np.nan, rng.normal(size=n)),
        },
        index=names,
    )
    rows = []
    for row, (name, where) in enumerate(zip(names, side, strict=True)):
        for run in range(runs):
            times = {
                "left": rng.uniform(1.0, 3.0) if where < 0 else CUTOFF,
                "right": rng.uniform(1.0, 3.0) if where > 0 else CUTOFF,
                "steady": 90.0 if row % 3 else CUTOFF,
            }
            for solver, seconds in times.items():
                rows.append((name, solver, run, seconds, "timeout" if seconds == CUTOFF else "solved"))
    frame = pd.DataFrame(rows, columns=["instance", "solver", "seed", "seconds", "status"])
    return Dataset(RunTable.from_frame(frame, cutoff=CUTOFF), features)


def best_solvers(data: Dataset) -> list[str]:
    """Return the best solver of each instance."""
    return ["left" if side < 0 else "right" for side in data.features["side"]]
