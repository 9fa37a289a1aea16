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

from bayes_distnet.arrays import Array, FloatArray
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
    log_weights, location, log_spread = _placed(
        shared[..., 0], shared[..., 1], own[..., 0, :], own[..., 1, :], own[..., 2, :], PLACES, -1
    )
    return log_weights, xp.stack([location, log_spread], axis=-1)


def parts_by_output(raw: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the same from outputs that stand one below the other, which NumPy works on several times as fast.

    Parameters
    ----------
    raw : array
        (..., N_OUTPUTS, rows) raw outputs.

    Returns
    -------
    log_weights, location, log_spread : array
        (..., PARTS, rows).
    """
    logits, shift, width = (raw[..., 2 + i * PARTS : 2 + (i + 1) * PARTS, :] for i in range(3))
    return _placed(raw[..., :1, :], raw[..., 1:2, :], logits, shift, width, PLACES[:, None], -2)


def _placed(
    middle: Array, log_unit: Array, logits: Array, shift: Array, width: Array, places: Array, axis: int
) -> tuple[Array, Array, Array]:
    """Log weights, locations and log spreads of the parts, which lie along an axis."""
    xp = namespace(logits)
    highest = logits.max(axis=axis, keepdims=True)
    log_weights = logits - highest - xp.log(xp.exp(logits - highest).sum(axis=axis, keepdims=True))
    unit = xp.exp(xp.clip(log_unit, *LOG_SPREAD_RANGE))
    return log_weights, middle + unit * (places + shift), log_unit + LOG_WIDTH + width
