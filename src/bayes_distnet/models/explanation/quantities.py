r"""Numbers of a prediction that are explained: its median, and how wide it is for which reason. All are logs of ratios.

The 90 % interval of a run has the width :math:`W = \log q_{0.95} - \log q_{0.05}`, the 90 % band of the instance's
own median the width I: ignorance. Variances of log time add up, so that :math:`L = \sqrt{W^2 - I^2}` is left for luck,
exactly so if the prediction is lognormal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError

LEVEL = 0.9  # of bands and intervals
MEDIAN, IGNORANCE, LUCK, SPREAD = "median", "ignorance", "luck", "spread"
QUANTITIES = {
    MEDIAN: "log of the median in seconds",
    IGNORANCE: "log of the ratio of the ends of the 90 % band of the instance's median",
    LUCK: "log of the ratio of the ends of the 90 % interval of a run, less ignorance",
    SPREAD: "log of the ratio of the ends of the 90 % interval of a run",
}
_SPLIT = (IGNORANCE, LUCK)  # of predictions that keep the two apart
# A kernel estimate reaches below 0 s: least median in seconds, and least end of an interval relative to the median.
_LEAST_MEDIAN, _LEAST_END = 1e-9, 1e-4


def usual(rtd: PredictedRuntimes) -> tuple[str, ...]:
    """Return the quantities that a prediction has: ignorance and luck, or their sum where it cannot separate them."""
    return (MEDIAN, IGNORANCE, LUCK) if rtd.splits else (MEDIAN, SPREAD)


def check_quantities(names: Sequence[str], rtd: PredictedRuntimes) -> tuple[str, ...]:
    """Check names of quantities.

    Parameters
    ----------
    names : sequence of str
        Names wanted.
    rtd : PredictedRuntimes
        A prediction of the model.

    Returns
    -------
    tuple of str
        The names, each once.

    Raises
    ------
    SettingError
        Names of no quantity, or of one that this model does not have.
    """
    if isinstance(names, str) or not (wanted := tuple(dict.fromkeys(names))):
        raise SettingError(f"quantities={names!r}: expected a list of names, such as ['median', 'luck'].")
    for name in wanted:
        if name not in QUANTITIES:
            raise SettingError(f"quantities: no quantity named {name!r}; expected some of {', '.join(QUANTITIES)}.")
        if name in _SPLIT and not rtd.splits:
            raise SettingError(
                f"quantities: this model cannot separate ignorance from luck, so that it has no {name}; ask for spread."
            )
    return wanted


def measure(rtd: PredictedRuntimes, names: Sequence[str]) -> FloatArray:
    """Compute quantities of predictions.

    Parameters
    ----------
    rtd : PredictedRuntimes
        n rows.
    names : sequence of str
        Q names of quantities.

    Returns
    -------
    ndarray of shape (n, Q)
        Natural logs.
    """
    median = np.maximum(rtd.median(), _LEAST_MEDIAN)
    values = {MEDIAN: np.log(median)}
    if {LUCK, SPREAD} & {*names}:
        values[SPREAD] = _log_ratio(*rtd.interval(LEVEL), _LEAST_END * median)
    if {*_SPLIT} & {*names}:
        values[IGNORANCE] = _log_ratio(*rtd.band(LEVEL), _LEAST_END * median)
    if LUCK in names:
        values[LUCK] = np.sqrt(np.maximum(values[SPREAD] ** 2 - values[IGNORANCE] ** 2, 0.0))
    return np.stack([values[name] for name in names], axis=1)


def _log_ratio(low: FloatArray, high: FloatArray, least: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(high, least)) - np.log(np.maximum(low, least)))
