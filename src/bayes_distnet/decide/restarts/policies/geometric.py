"""Cutoffs that grow by a factor: Walsh's sequence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_positive, is_number


class Geometric(RestartPolicy):
    """Walsh (1999): every attempt is longer than the one before by a factor.

    Parameters
    ----------
    first : float
        Seconds of the first attempt.
    factor : float, default 1.5
        Growth per attempt, above 1.
    """

    def __init__(self, first: float, factor: float = 1.5) -> None:
        check_positive("first", first)
        if not is_number(factor) or not 1 < factor < np.inf:
            raise SettingError(f"factor={factor!r}: expected a number above 1.")
        self.first, self.factor = float(first), float(factor)

    def next_cutoff(self, failed: Sequence[float]) -> float:
        """Return the next cutoff, from some point on infinity."""
        return float(self.sequence(len(failed) + 1)[-1])

    def sequence(self, length: int) -> FloatArray:
        """Return the first cutoffs, which do not depend on anything else."""
        with np.errstate(over="ignore"):
            return self.first * self.factor ** np.arange(length, dtype=float)
