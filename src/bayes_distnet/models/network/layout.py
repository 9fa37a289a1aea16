"""Runs laid out as padded rows of training data."""

from __future__ import annotations

import math

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.models.network.architecture import padded_size
from bayes_distnet.models.network.objective import TrainingData


def training_rows(
    x: FloatArray, observations: Observations, center: float, n_inputs: int, *, one_run_per_row: bool
) -> tuple[TrainingData, IntArray]:
    """Lay runs out as padded rows, the runs of an instance side by side.

    Runs of one instance share their features, so that side by side they share the network's work. An instance with far
    more runs than the others is spread over several rows, which bounds the padding.

    Parameters
    ----------
    x : array
        Scaled features, one row per instance.
    observations : Observations
        Runs of all instances.
    center : float
        Log of the unit of time.
    n_inputs : int
        Inputs of the network; features are padded with zeros.
    one_run_per_row : bool
        Whether every run is a row of its own.

    Returns
    -------
    data : TrainingData
        Padded rows.
    instance : array
        Instance of every row that is not padding.
    """
    counts = observations.runs_of_each()
    width = 1 if one_run_per_row else _width(counts)
    order = np.argsort(observations.instance, kind="stable")
    instance = observations.instance[order]
    position = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows_each = -(-counts // width)
    row = (np.cumsum(rows_each) - rows_each)[instance] + position // width
    n_rows = int(rows_each.sum())
    shape = (padded_size(n_rows, 64), 1 if width == 1 else padded_size(width, 2))
    times, finished, present = np.ones(shape), np.zeros(shape, bool), np.zeros(shape)
    at = (row, position % width)
    times[at] = observations.seconds[order] / math.exp(center)
    finished[at], present[at] = observations.finished[order], 1.0
    row_instance = np.repeat(np.arange(observations.n_instances), rows_each)
    padded = np.zeros((shape[0], n_inputs))
    padded[:n_rows, : x.shape[1]] = x[row_instance]
    data = TrainingData(padded.astype(np.float32), times.astype(np.float32), finished, present.astype(np.float32))
    return data, row_instance


def _width(counts: IntArray) -> int:
    """Return the number of runs per row: the largest number per instance unless most of that would be padding."""
    most, total = int(counts.max()), int(counts.sum())
    return most if len(counts) * most <= 4 * total else math.ceil(2 * total / len(counts))
