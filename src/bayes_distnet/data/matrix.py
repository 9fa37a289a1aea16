"""Runs of one solver as a matrix: one row per instance, one column per run."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.arrays import IndexArray
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import OBSERVED
from bayes_distnet.errors import RuntimeDataError


def places_in_matrix(runs: RunTable, instances: pd.Index) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Assign the solved runs and timeouts of some instances to places in a matrix.

    A column is one seed for all instances. Where seeds do not identify runs, or where each instance has its own seeds
    and the matrix would be mostly empty, the runs of an instance are numbered instead.

    Parameters
    ----------
    runs : RunTable
        Runs of one solver.
    instances : Index
        Names of the instances, one per row of the matrix.

    Returns
    -------
    runs, rows, columns : ndarray of int
        Row in the run table of every run in the matrix, and its place.

    Raises
    ------
    RuntimeDataError
        If the runs are of several solvers.
    """
    if len(solvers := list(runs.solvers())) > 1:
        raise RuntimeDataError(
            f"these are runs of {len(solvers)} solvers ({', '.join(solvers)}): choose one, e.g. .of({solvers[0]!r})."
        )
    frame = runs.frame
    observed = frame["status"].isin(OBSERVED) & frame["instance"].isin(instances)
    frame = frame[observed]
    column, most = frame["seed"], frame.groupby("instance").size().max() if len(frame) else 0
    if frame.duplicated(["instance", "seed"]).any() or frame["seed"].nunique() > 2 * most:
        column = frame.groupby("instance", sort=False).cumcount()
    columns = np.unique(column.to_numpy(), return_inverse=True)[1]
    rows = instances.get_indexer(pd.Index(frame["instance"]))
    return np.flatnonzero(observed), rows, columns
