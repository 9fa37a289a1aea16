"""Training instances as laws: what similar instances did is evidence beside the predicted distributions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.special

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.decide.laws.joint_laws import LEAST, JointLaws

SMOOTHED = 0.3  # deviation of log time around a recorded run: a run with another seed would have taken another time
MOST = 32  # training instances per row
WEIGHT = 0.5  # of training instances together: about what choices of one solver give them


def observed_laws(seconds: FloatArray, finished: BoolArray, times: FloatArray) -> FloatArray:
    """Return log survival of training instances as their runs show it.

    Parameters
    ----------
    seconds, finished : array
        (K, S, k) runs of every solver; NaN where there is none. Runs that were cut off never finish.
    times : array
        (m,) seconds.

    Returns
    -------
    ndarray
        (S, K, m). A solver without a run on an instance is taken to be unable to solve it.
    """
    present = ~np.isnan(seconds)
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = (np.log(np.where(present, seconds, 1.0))[..., None] - np.log(times)) / SMOOTHED
    alive = np.where(finished[..., None], scipy.special.ndtr(scores), 1.0)
    count = present.sum(axis=2)[..., None]
    mean = np.where(present[..., None], alive, 0.0).sum(axis=2) / np.maximum(count, 1)
    with np.errstate(divide="ignore"):
        log_sf = np.log(np.where(count > 0, mean, 1.0))
    return np.maximum(np.swapaxes(log_sf, 0, 1), LEAST)


def with_similar(
    laws: JointLaws,
    shares: FloatArray,
    seconds: FloatArray,
    finished: BoolArray,
    *,
    weight: float = WEIGHT,
    most: int = MOST,
) -> JointLaws:
    """Add the most similar training instances to the instances that each row may stand for.

    Parameters
    ----------
    laws : JointLaws
        Predicted laws of n rows.
    shares : array
        (n, N) weights of all training instances, for each row.
    seconds, finished : array
        (N, S, k) runs of the training instances.
    weight : float, default 0.5
        Weight of the training instances together; the predicted laws have the rest.
    most : int, default 32
        Number of training instances per row.

    Returns
    -------
    JointLaws
        The same solvers and times, with more instances per row: the drawn ones first, then training instances from
        the most similar on.
    """
    nearest = np.argsort(-shares, axis=1, kind="stable")[:, :most]
    own = np.take_along_axis(shares, nearest, axis=1)
    own = own / own.sum(axis=1, keepdims=True)
    extra = np.stack(
        [observed_laws(seconds[rows], finished[rows], times) for rows, times in zip(nearest, laws.times, strict=True)]
    )
    with np.errstate(divide="ignore"):
        log_weights = np.concatenate(
            [laws.log_weights + np.log1p(-weight), np.maximum(np.log(own), LEAST) + np.log(weight)], axis=1
        )
    return replace(laws, log_sf=np.concatenate([laws.log_sf, extra], axis=2), log_weights=log_weights)
