"""Schedules: which solver runs when, on which core; and when the answer comes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.special

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.joint_laws import JointLaws, law_at
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.schedules.slot import Slot


def when_answered(laws: JointLaws, slots: Sequence[Slot], times: FloatArray) -> FloatArray:
    """Return log survival (D, m) of a schedule of a single row.

    A solver that gets a second slot on the same core is taken to run with the same luck as before: it finds nothing new
    until it has run longer than in its longest slot. On different cores it runs with different seeds.

    Parameters
    ----------
    laws : JointLaws
        One row.
    slots : sequence of Slot
        The schedule. Restarts are part of `laws`: see `JointLaws.restarted`.
    times : array
        (m,) seconds from the beginning of the schedule.

    Returns
    -------
    ndarray
        Log of the probability that there is no answer yet, per instance and time.
    """
    total = np.zeros((laws.n_draws, len(times)))
    for solver, core in dict.fromkeys((slot.solver, slot.core) for slot in slots):
        longest = np.zeros(len(times))
        for slot in slots:
            if (slot.solver, slot.core) == (solver, core):
                longest = np.maximum(longest, np.clip(times - slot.start, 0.0, slot.seconds))
        total += law_at(laws.times[0], laws.log_sf[0, laws.solvers.index(solver)], longest)
    return total


def schedule_law(laws: JointLaws, slots: Sequence[Slot]) -> LawTable:
    """Return the distribution of the time at which a schedule of a single row has the answer."""
    end = laws.times[0, -1]
    edges = [edge for slot in slots for edge in (slot.start, slot.start + slot.seconds) if 0 < edge < end]
    times = np.unique(np.concatenate([laws.times[0], edges]))
    log_sf = scipy.special.logsumexp(when_answered(laws, slots, times) + laws.log_weights[0][:, None], axis=0)
    return LawTable(times[None], log_sf[None, None])


def solved_by(laws: JointLaws, slots: Sequence[Slot]) -> float:
    """Return the probability that a schedule of a single row has the answer at the last tabulated time."""
    end = when_answered(laws, slots, laws.times[0, -1:])[:, 0]
    return float(-np.expm1(scipy.special.logsumexp(end + laws.log_weights[0])))
