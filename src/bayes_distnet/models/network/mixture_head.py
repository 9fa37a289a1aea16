r"""The mixture head: a network whose output is a small mixture, not one member of a family.

Outputs of a row are a location m and a log spread s that all parts share, and for each part k a log weight, a shift
:math:`d_k` and a log width :math:`r_k`. In standardised log time part k stands at :math:`m + e^s (a_k + d_k)` and has
the log spread :math:`s + b_k + r_k`. The constants a and b put the parts side by side, so that training starts from a
plain bell whose parts differ. Biases learn a shape that all instances share, and weights let it vary over instances:
two humps, a hard start, a heavy tail. The prior of all outputs except the location is narrow: most data have one shape.
"""

from __future__ import annotations

import math

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.special.dispatch import namespace

PARTS = 3
PLACES = np.array([-0.8, 0.0, 0.8], np.float32)  # a
LOG_WIDTH = math.log(0.65)  # b: three such parts at those places are nearly one bell, of spread 0.92
N_OUTPUTS = 2 + 3 * PARTS
LOG_SPREAD_RANGE = (-4.0, 0.5)  # of s, as that of a family's raw spread


def parts_of(raw: Array) -> tuple[Array, Array]:
    """Return the parts that raw outputs stand for.

    Parameters
    ----------
    raw : array
        (..., N_OUTPUTS) raw outputs.

    Returns
    -------
    log_weights : array
        (..., PARTS); the weights of a row sum to one.
    raw_parts : array
        (..., PARTS, 2) location and log spread of every part, as raw outputs of a family.
    """
    xp = namespace(raw)
    shared, own = raw[..., None, :2], raw[..., 2:].reshape(*raw.shape[:-1], 3, PARTS)
    logits, shift, width = own[..., 0, :], own[..., 1, :], own[..., 2, :]
    highest = logits.max(axis=-1, keepdims=True)
    log_weights = logits - highest - xp.log(xp.exp(logits - highest).sum(axis=-1, keepdims=True))
    unit = xp.exp(xp.clip(shared[..., 1], *LOG_SPREAD_RANGE))
    location = shared[..., 0] + unit * (PLACES + shift)
    return log_weights, xp.stack([location, shared[..., 1] + LOG_WIDTH + width], axis=-1)
