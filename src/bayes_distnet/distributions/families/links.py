"""From raw network outputs to location and spread of log time."""

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families.base import LOG_TIME_RANGE, RAW_SPREAD_RANGE
from bayes_distnet.distributions.special.dispatch import namespace


def location_and_spread(raw: Array, center: Array, spread: Array) -> tuple[Array, Array]:
    """Return location and spread of log time from raw outputs; the raw spread is relative to that of the data.

    Parameters
    ----------
    raw : array
        (..., 2) raw outputs.
    center : array
        Mean of log time in the training data.
    spread : array
        Standard deviation of log time in the training data.

    Returns
    -------
    location, spread : array
        (...) location and spread of log time.
    """
    xp = namespace(raw, center, spread)
    return center + spread * raw[..., 0], spread * xp.exp(xp.clip(raw[..., 1], *RAW_SPREAD_RANGE))


def exp_time(log_time: Array) -> Array:
    """Return exp of a log time, held to a range in which no family overflows."""
    xp = namespace(log_time)
    return xp.exp(xp.clip(log_time, *LOG_TIME_RANGE))
