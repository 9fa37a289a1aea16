"""Policies without predictions, tuned on training instances: what model-based policies have to beat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.decide.restarts.policies.fixed import Fixed, never
from bayes_distnet.decide.restarts.policies.geometric import Geometric
from bayes_distnet.decide.restarts.policies.luby import Luby
from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time, policy_time
from bayes_distnet.errors import SettingError

FACTORS = (1.1, 1.25, 1.5, 2.0)
_UNITS = 20  # units of sequences that are tried
_CUTOFFS = 200  # fixed cutoffs that are tried


def no_restarts(runs: Sequence[RecordedRuns], overhead: float = 0.0) -> RestartPolicy:
    """Return the policy that never restarts.

    Parameters
    ----------
    runs : sequence of RecordedRuns
        Runs of training instances, which do not matter.
    overhead : float, default 0.0
        Seconds lost per restart, which do not matter.

    Returns
    -------
    RestartPolicy
        The policy.
    """
    return never()


def best_fixed(runs: Sequence[RecordedRuns], overhead: float = 0.0) -> RestartPolicy:
    """Return the one cutoff that is best on the training instances; infinite if none is better than no restarts.

    Parameters
    ----------
    runs : sequence of RecordedRuns
        Runs of training instances.
    overhead : float, default 0.0
        Seconds lost per restart.

    Returns
    -------
    RestartPolicy
        Policy with the least geometric mean of total times.
    """
    cutoffs = np.append(_range(runs, _CUTOFFS), np.inf)
    means = np.mean([np.log(fixed_time(one, cutoffs, overhead)) for one in runs], axis=0)
    return Fixed(float(cutoffs[::-1][np.argmin(means[::-1])]))


def best_luby(runs: Sequence[RecordedRuns], overhead: float = 0.0) -> RestartPolicy:
    """Return Luby's sequence with the unit that is best on the training instances.

    Parameters
    ----------
    runs : sequence of RecordedRuns
        Runs of training instances.
    overhead : float, default 0.0
        Seconds lost per restart.

    Returns
    -------
    RestartPolicy
        Policy with the least geometric mean of total times.
    """
    return _best((Luby(float(unit)) for unit in _range(runs, _UNITS)), runs, overhead)


def best_geometric(runs: Sequence[RecordedRuns], overhead: float = 0.0) -> RestartPolicy:
    """Return the geometric sequence that is best on the training instances.

    Parameters
    ----------
    runs : sequence of RecordedRuns
        Runs of training instances.
    overhead : float, default 0.0
        Seconds lost per restart.

    Returns
    -------
    RestartPolicy
        Policy with the least geometric mean of total times.
    """
    candidates = (Geometric(float(first), factor) for first in _range(runs, _UNITS) for factor in FACTORS)
    return _best(candidates, runs, overhead)


def _range(runs: Sequence[RecordedRuns], count: int) -> FloatArray:
    """Seconds from the shortest to the longest run of all instances, in equal steps of log time."""
    if not runs:
        raise SettingError("runs: expected those of at least one training instance.")
    ends = [fold(float(fold(one.seconds)) for one in runs) for fold in _ENDS]
    return np.geomspace(max(ends[0], np.finfo(float).tiny), max(ends), count)


_ENDS: tuple[Callable[[Iterable[float]], float], ...] = (min, max)


def _best(candidates: Iterable[RestartPolicy], runs: Sequence[RecordedRuns], overhead: float) -> RestartPolicy:
    return min(candidates, key=lambda policy: np.mean([np.log(policy_time(one, policy, overhead)) for one in runs]))
