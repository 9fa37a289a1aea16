"""Luby's universal sequence: 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, ... times a unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.validation import check_at_least, check_positive


def luby(length: int) -> FloatArray:
    """Return the first terms of Luby's sequence.

    Parameters
    ----------
    length : int
        Number of terms.

    Returns
    -------
    ndarray
        Powers of two as floats.

    Examples
    --------
    >>> luby(7)
    array([1., 1., 2., 1., 1., 2., 4.])
    """
    check_at_least("length", length, 0)
    terms = np.ones(1)
    while len(terms) < length:
        terms = np.concatenate([terms, terms, [2.0 * terms[-1]]])
    return terms[:length]


class Luby(RestartPolicy):
    """Luby, Sinclair and Zuckerman (1993): within a logarithmic factor of the best cutoff, whatever the instance.

    Parameters
    ----------
    unit : float
        Seconds of the shortest attempt.
    """

    def __init__(self, unit: float) -> None:
        check_positive("unit", unit)
        self.unit = float(unit)

    def next_cutoff(self, failed: Sequence[float]) -> float:
        """Return the next term of the sequence."""
        k = len(failed) + 1
        while k & (k + 1):  # not 2^i - 1: the sequence starts again after its last term of that form
            k -= (1 << (k.bit_length() - 1)) - 1
        return self.unit * float((k + 1) // 2)

    def sequence(self, length: int) -> FloatArray:
        """Return the first terms, which do not depend on anything else."""
        return self.unit * luby(length)
