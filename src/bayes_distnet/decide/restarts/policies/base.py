"""The interface of restart policies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from bayes_distnet.arrays import FloatArray


class RestartPolicy(ABC):
    """A rule for one instance: when to stop a run and start again."""

    @abstractmethod
    def next_cutoff(self, failed: Sequence[float]) -> float:
        """Return the cutoff of the next attempt.

        Parameters
        ----------
        failed : sequence of float
            Seconds of the attempts on this instance so far, in order; all of them were stopped.

        Returns
        -------
        float
            Seconds; infinite to let it run until it finishes.
        """

    def sequence(self, length: int) -> FloatArray:
        """Return the first cutoffs, (length,), if every attempt fails; the last one is repeated once it is infinite."""
        cutoffs: list[float] = []
        while len(cutoffs) < length:
            cutoffs.append(self.next_cutoff(cutoffs))
            if cutoffs[-1] == np.inf:
                break
        return np.array(cutoffs + cutoffs[-1:] * (length - len(cutoffs)))
