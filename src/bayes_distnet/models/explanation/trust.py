"""How far a prediction can be trusted: is the instance like the training data, and what is ignorance, what is luck."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.models.explanation.quantities import IGNORANCE, LUCK, SPREAD, measure
from bayes_distnet.models.familiarity import Verdict

_LIKE = {
    Verdict.FAMILIAR: "like the training data",
    Verdict.UNUSUAL: "unlike most of the training data",
    Verdict.OUTSIDE: "outside the training data",
}


def factors(rtd: PredictedRuntimes) -> dict[str, FloatArray]:
    """Return by which factor times exceed or fall short of the median, with 90 % probability, for which reason.

    Parameters
    ----------
    rtd : PredictedRuntimes
        n predictions.

    Returns
    -------
    dict
        spread: factor within which runs lie; ignorance: factor within which the instance's own median is known; luck:
        factor within which runs of one instance differ. The last two are NaN where they cannot be separated.
    """
    if not rtd.splits:
        unknown = np.full(len(rtd), np.nan)
        return {SPREAD: _factor(measure(rtd, [SPREAD])[:, 0]), IGNORANCE: unknown, LUCK: unknown}
    names = (SPREAD, IGNORANCE, LUCK)
    return dict(zip(names, _factor(measure(rtd, names)).T, strict=True))


def trust_table(rtd: PredictedRuntimes, familiar: pd.DataFrame) -> pd.DataFrame:
    """Put together how far predictions can be trusted: see `RuntimeEstimator.trust`.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predictions.
    familiar : DataFrame
        The same rows compared with the training data: the result of `familiarity`.

    Returns
    -------
    DataFrame
        One row per prediction.
    """
    parts = factors(rtd)
    table = pd.DataFrame(
        {
            "verdict": familiar["verdict"],
            "out_of_range": familiar["out_of_range"],
            "median": rtd.median(),
            **parts,
            "unsure": rtd.unsure_share() if rtd.splits else np.nan,
        },
        index=familiar.index,
    )
    words = [in_words(*row) for row in zip(*(table[c] for c in _WORDS), familiar["farthest"], strict=True)]
    return table.assign(words=words)


_WORDS = ("verdict", "spread", "ignorance", "luck", "unsure")


def in_words(verdict: str, spread: float, ignorance: float, luck: float, unsure: float, farthest: str) -> str:
    """Describe in a phrase how far a prediction can be trusted.

    Parameters
    ----------
    verdict : str
        familiar, unusual or outside.
    spread, ignorance, luck : float
        See `factors`.
    unsure : float
        Fraction of the variance of log time that is ignorance.
    farthest : str
        Features that are farthest out of range.

    Returns
    -------
    str
        One line.

    Examples
    --------
    >>> in_words("familiar", 2.8, 1.42, 2.6, 0.13, "")
    'like the training data; median known to a factor of 1.4, runs vary by 2.6: 13 % ignorance, 87 % luck'
    """
    like = _LIKE[Verdict(verdict)] + (f" ({farthest})" if farthest and verdict != Verdict.FAMILIAR else "")
    if np.isnan(ignorance):
        return f"{like}; runs vary by a factor of {spread:.2g}: this model cannot separate ignorance from luck"
    share = "" if np.isnan(unsure) else f": {unsure:.0%} ignorance, {1 - unsure:.0%} luck".replace("%", " %")
    return f"{like}; median known to a factor of {ignorance:.2g}, runs vary by {luck:.2g}{share}"


def _factor(log_ratio: FloatArray) -> FloatArray:
    """Half of a width in log time as a factor."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(log_ratio / 2))
