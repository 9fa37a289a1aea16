"""Counts of the runs that a model was fitted to."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Self

import numpy as np

from bayes_distnet.data.observations import Observations
from bayes_distnet.models.saving import Arrays, check_array

NAME = "training_runs"  # of the array in a saved model


@dataclass(frozen=True)
class TrainingRuns:
    """Numbers of runs, and whether they came with finished flags.

    Parameters
    ----------
    instances, runs, cut_off : int
        Numbers of instances, of runs, and of runs that were cut off.
    marked : bool
        Whether flags were given. A model that has seen them refuses to score runs without: in a fold without a timeout
        all flags are True, and yet they matter in the next one.
    """

    instances: int
    runs: int
    cut_off: int
    marked: bool

    @classmethod
    def of(cls, observations: Observations, *, marked: bool) -> Self:
        """Count observations."""
        return cls(
            observations.n_instances, len(observations.seconds), int((~observations.finished).sum()), marked=marked
        )

    def to_arrays(self) -> Arrays:
        """Return the counts as a plain array, with a name that no model has."""
        return {NAME: np.array(astuple(self), dtype=np.int64)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> tuple[Self, Arrays]:
        """Restore counts from the arrays of a model, and return the others."""
        check_array(NAME, arrays[NAME], "i", 4)
        instances, runs, cut_off, marked = arrays[NAME].tolist()
        if not 0 < instances <= runs or not 0 <= cut_off <= runs or marked not in (0, 1):
            raise ValueError(f"training runs: counts that cannot be: {arrays[NAME].tolist()}")
        return cls(instances, runs, cut_off, bool(marked)), {n: a for n, a in arrays.items() if n != NAME}
