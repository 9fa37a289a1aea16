r"""The mixture head: a network whose output is a small mixture, not one member of a family.

Outputs of a row are a location m and a log spread s that all parts share, and for each part k a log weight, a shift
:math:`d_k` and a log width :math:`r_k`. In standardised log time part k stands at :math:`m + e^s (a_k + d_k)` and has
the log spread :math:`s + b_k + r_k`. The constants a and b put the parts side by side, so that training starts from a
plain bell whose parts differ. Biases learn a shape that all instances share, and weights let it vary over instances:
two humps, a hard start, a heavy tail. The prior of all outputs except the location is narrow: most data have one shape.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.special.dispatch import namespace, stop_gradient

PARTS = 3
PLACES = np.array([-0.8, 0.0, 0.8], np.float32)  # a
LOG_WIDTH = math.log(0.65)  # b: three such parts at those places are nearly one bell, of spread 0.92
N_OUTPUTS = 2 + 3 * PARTS
LOG_SPREAD_RANGE = (-4.0, 0.5)  # of s, as that of a family's raw spread


def parts_of(raw: Array) -> tuple[list[Array], list[Array], list[Array]]:
    """Return the parts that raw outputs stand for.

    Parameters
    ----------
    raw : array
        (..., N_OUTPUTS) raw outputs.

    Returns
    -------
    log_weights, locations, log_spreads : list of arrays
        (...) of every part; the weights of a row sum to one, and the other two are raw outputs of a family.
    """
    xp = namespace(raw)
    # One array per part: an axis of three numbers at the end would take training programs 1.4 times the time.
    location, log_spread, *own = (raw[..., output] for output in range(N_OUTPUTS))
    logits, shifts, widths = own[:PARTS], own[PARTS : 2 * PARTS], own[2 * PARTS :]
    total = log_sum_exp(logits)
    unit = xp.exp(xp.clip(log_spread, *LOG_SPREAD_RANGE))
    return (
        [logit - total for logit in logits],
        [location + unit * (place + shift) for place, shift in zip(PLACES, shifts, strict=True)],
        [log_spread + LOG_WIDTH + width for width in widths],
    )


def log_sum_exp(terms: list[Array]) -> Array:
    """Return the log of the sum of exponentials of finite arrays of one shape.

    Parameters
    ----------
    terms : list of arrays
        NumPy or JAX arrays.

    Returns
    -------
    array
        The same shape.

    Examples
    --------
    >>> float(np.exp(log_sum_exp([np.log(0.2), np.log(0.3)])).round(6))
    0.5
    """
    xp = namespace(*terms)
    highest = stop_gradient(reduce(xp.maximum, terms))  # its derivatives cancel
    return highest + xp.log(sum(xp.exp(term - highest) for term in terms))
