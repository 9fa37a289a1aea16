"""One cutoff for every attempt, or none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import is_number


class Fixed(RestartPolicy):
    """The same cutoff for every attempt; the best policy, if the distribution is known.

    Parameters
    ----------
    cutoff : float
        Seconds; infinity: no restarts.
    """

    def __init__(self, cutoff: float) -> None:
        if not is_number(cutoff) or not cutoff > 0:
            raise SettingError(f"cutoff={cutoff!r}: expected positive seconds, or infinity.")
        self.cutoff = float(cutoff)

    def next_cutoff(self, failed: Sequence[float]) -> float:
        """Return the cutoff."""
        return self.cutoff

    def sequence(self, length: int) -> FloatArray:
        """Return the cutoff again and again."""
        return np.full(length, self.cutoff)


def never() -> Fixed:
    """Return the policy that lets every run go on until it finishes."""
    return Fixed(np.inf)
