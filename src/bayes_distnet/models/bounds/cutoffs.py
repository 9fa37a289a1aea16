"""Cutoffs of calibration runs: what they may depend on, and the times that remain comparable under them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.errors import RuntimeDataError, SettingError
from bayes_distnet.validation import check_choice

KINDS = ("global", "features", "random")
EARLY = 0.01  # part of its cutoff by which a timer may stop a run too early
SURE = 1e-4  # chance of a correlation as large by accident, from which on cutoffs are not taken as independent
WAYS = (
    "State how they were chosen: cutoffs='features' (a known function of the features) or 'random' (drawn without a "
    "look at instance or runtime). If every run was allowed at least c seconds, cutoff=c is right in "
    "any case."
)


@dataclass(frozen=True)
class CutRuns:
    """Runs under cutoffs that do not depend on their times.

    Parameters
    ----------
    times : ndarray of shape (n_runs,)
        Seconds of each run, or its cutoff if that comes first.
    kept : ndarray of bool of shape (n_runs,)
        Runs to calibrate with.
    cutoff : float or None
        Cutoff of all of these; None if it is a function of the features.
    """

    times: FloatArray
    kept: BoolArray
    cutoff: float | None


def check_cutoffs(cutoffs: object) -> None:
    """Refuse ways of choosing cutoffs under which no bound holds."""
    if cutoffs in ("adaptive", "runtimes"):
        raise SettingError(
            f"cutoffs={cutoffs!r}: a cutoff that depended on runtimes, such as adaptive capping, hides just the runs "
            "that would have been long, in a way that no calibration can undo: no bound holds. If every run was "
            "allowed at least c seconds, cutoff=c is right."
        )
    check_choice("cutoffs", cutoffs, KINDS)


def cut_runs(
    seconds: FloatArray,
    finished: BoolArray,
    instance: IntArray,
    cutoff: FloatArray | None,
    cutoffs: str,
    predicted: FloatArray,
) -> CutRuns:
    """Bring runs under cutoffs that are the same for all, or a function of the features.

    Parameters
    ----------
    seconds, finished, instance : ndarray of shape (n_runs,)
        Runs.
    cutoff : ndarray of shape (n_runs,) or None
        Cutoff of each run; None takes the one time at which runs were cut off.
    cutoffs : {"global", "features", "random"}
        How they were chosen.
    predicted : ndarray of shape (n_instances,)
        Predicted medians: random cutoffs must not go with them.

    Returns
    -------
    CutRuns
        Times that can be compared, and the runs that have them.

    Raises
    ------
    RuntimeDataError
        Cutoffs that are unknown, or that contradict the way in which they are stated to have been chosen.
    """
    check_cutoffs(cutoffs)
    limits = _known(seconds, finished, cutoffs) if cutoff is None else cutoff
    _refuse_early(seconds, finished, limits)
    kept, common = np.ones(len(seconds), dtype=bool), None
    if cutoffs == "global":
        common = _common(limits)
    elif cutoffs == "features":
        _refuse_several(limits, instance)
    else:
        common, kept = _chosen_at_random(limits, instance, predicted)
        limits = np.full(len(limits), common)
    return CutRuns(np.where(finished, np.minimum(seconds, limits), limits), kept, common)


def _known(seconds: FloatArray, finished: BoolArray, cutoffs: str) -> FloatArray:
    """Return the one time at which runs were cut off."""
    times = np.unique(seconds[~finished])
    if cutoffs != "global":
        raise RuntimeDataError(f"cutoff: with cutoffs={cutoffs!r} that of every run is needed, of finished ones, too.")
    if times.size > 1 or (times.size and seconds.max() > times[0]):
        raise RuntimeDataError(
            f"cutoff: unknown, and runs were cut off at different times, or finished later ({times[0]:g} s to "
            f"{seconds.max():g} s). Pass the cutoff of every run. {WAYS}"
        )
    return np.full(len(seconds), times[0] if times.size else np.inf)


def _refuse_early(seconds: FloatArray, finished: BoolArray, limits: FloatArray) -> None:
    early = ~finished & (seconds < (1 - EARLY) * limits)
    if early.any():
        run = int(np.argmax(early))
        raise RuntimeDataError(
            f"cutoff: a run was stopped after {seconds[run]:g} s, before its cutoff of {limits[run]:g} s "
            f"({early.sum()} such runs). If its limit depended on other runs, no bound holds; if every "
            "run was allowed at least c seconds, pass cutoff=c."
        )


def _common(limits: FloatArray) -> float:
    if limits.min() != limits.max():
        raise RuntimeDataError(f"cutoff: runs had different ones, {limits.min():g} s to {limits.max():g} s. {WAYS}")
    return float(limits[0])


def _refuse_several(limits: FloatArray, instance: IntArray) -> None:
    first = np.unique(instance, return_index=True)[1]
    other = limits != limits[first][instance]
    if other.any():
        run = int(np.argmax(other))
        raise RuntimeDataError(
            f"cutoff: runs of one instance had cutoffs of {limits[first][instance][run]:g} s and {limits[run]:g} s, "
            "which are no function of its features. Caps that depended on its earlier runs allow no bound; cutoffs "
            "drawn without a look at instance or runtime are cutoffs='random'."
        )


def _chosen_at_random(limits: FloatArray, instance: IntArray, predicted: FloatArray) -> tuple[float, BoolArray]:
    """Choose one cutoff by a look at the cutoffs alone, and the runs that were allowed as much.

    Cutoffs are independent of instances and runtimes, so that runs chosen by their cutoffs are a sample like all: the
    common cutoff makes them exchangeable with a new run. An instance is in if its first run is: whether any of its
    runs is would favour instances with many runs.
    """
    from scipy.stats import spearmanr

    first = np.unique(instance, return_index=True)[1]
    own = limits[first]
    if len(own) > 2 and np.ptp(own) > 0 and np.ptp(predicted) > 0:
        rank, chance = spearmanr(own, predicted)
        if chance < SURE:
            raise RuntimeDataError(
                f"cutoff: cutoffs='random', but they go with the predicted times (rank correlation {rank:.2f} over "
                f"{len(own)} instances): they depended on the instances. A known function of features is "
                "cutoffs='features'; caps that depended on runtimes allow no bound."
            )
    common = float(np.sort(own)[(len(own) - 1) // 2])
    return common, (limits >= common) & (own >= common)[instance]
