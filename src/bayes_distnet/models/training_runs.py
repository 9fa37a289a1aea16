"""Counts of the runs that a model was fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bayes_distnet.data.observations import Observations
from bayes_distnet.data.ticks import find_tick
from bayes_distnet.models.saving import Arrays, check_array

NAME, TICK = "training_runs", "training_tick"  # of the arrays in a saved model


@dataclass(frozen=True)
class TrainingRuns:
    """Numbers of runs, whether they came with finished flags, and the tick of their timer.

    Parameters
    ----------
    instances, runs, cut_off : int
        Numbers of instances, of runs, and of runs that were cut off.
    marked : bool
        Whether flags were given. A model that has seen them refuses to score runs without: in a fold without a timeout
        all flags are True, and yet they matter in the next one.
    tick : float or None, default None
        Tick of the timer in seconds, over which times that repeat were spread; None if the times show none.
    """

    instances: int
    runs: int
    cut_off: int
    marked: bool
    tick: float | None = None

    @classmethod
    def of(cls, observations: Observations, *, marked: bool) -> Self:
        """Count observations, and look for the tick of their timer."""
        tick = find_tick(observations.seconds, observations.finished)
        cut_off = int((~observations.finished).sum())
        return cls(observations.n_instances, len(observations.seconds), cut_off, marked=marked, tick=tick)

    def to_arrays(self) -> Arrays:
        """Return the counts as a plain array, and the tick if there is one, with names that no model has."""
        counts = np.array([self.instances, self.runs, self.cut_off, self.marked], dtype=np.int64)
        return {NAME: counts} if self.tick is None else {NAME: counts, TICK: np.array([self.tick])}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> tuple[Self, Arrays]:
        """Restore counts from the arrays of a model, and return the others."""
        check_array(NAME, arrays[NAME], "i", 4)
        instances, runs, cut_off, marked = arrays[NAME].tolist()
        if not 0 < instances <= runs or not 0 <= cut_off <= runs or marked not in (0, 1):
            raise ValueError(f"training runs: counts that cannot be: {arrays[NAME].tolist()}")
        tick = None
        if TICK in arrays:
            check_array(TICK, arrays[TICK], "f", 1)
            tick = float(arrays[TICK][0])
            if not 0 < tick < np.inf:
                raise ValueError(f"training runs: a tick of {tick} s")
        others = {name: array for name, array in arrays.items() if name not in (NAME, TICK)}
        return cls(instances, runs, cut_off, bool(marked), tick), others
