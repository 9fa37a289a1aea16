"""Features that may be known only after a run: they follow its time too closely."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.columns import Kind, recognise
from bayes_distnet.data.outcomes import Outcomes
from bayes_distnet.data.values import as_dates, as_floats

LEAST_ROWS = 20  # finished runs below which a correlation shows nothing
SUSPICIOUS = 0.98  # rank correlation with the time
MOST_DATES = 6  # columns of dates that are compared in pairs


def suspicious(features: pd.DataFrame, outcomes: Outcomes) -> list[str]:
    """Find features that are nearly a function of the time, or dates whose difference is.

    Parameters
    ----------
    features : DataFrame
        Features, one row per run.
    outcomes : Outcomes
        Times of the runs.

    Returns
    -------
    list of str
        One note per finding, with the remedy.
    """
    rows = np.flatnonzero(outcomes.finished)
    if len(rows) < LEAST_ROWS:
        return []
    time = outcomes.seconds[rows]
    kinds = {str(name): recognise(features[name]) for name in features}
    found = [*_numbers(features, kinds), *_differences(features, kinds)]
    return [
        f"warning: {what} follows the time almost exactly; if it is known only after a run: --drop {column}"
        for what, column, values in found
        if _rank_correlation(values[rows], time) > SUSPICIOUS
    ]


def _numbers(features: pd.DataFrame, kinds: dict[str, Kind]) -> Iterator[tuple[str, str, FloatArray]]:
    for name, kind in kinds.items():
        if kind is Kind.NUMBER:
            yield f"column {name}", name, as_floats(features[name])[0]


def _differences(features: pd.DataFrame, kinds: dict[str, Kind]) -> Iterator[tuple[str, str, FloatArray]]:
    dates = [name for name, kind in kinds.items() if kind is Kind.DATE][:MOST_DATES]
    for first, second in combinations(dates, 2):
        gap = as_dates(features[second])[0] - as_dates(features[first])[0]
        values = np.where(np.isnat(gap), np.nan, gap / np.timedelta64(1, "s"))
        later = second if np.nanmedian(values) >= 0 else first
        yield f"the difference of {first} and {second}", later, np.abs(values)


def _rank_correlation(values: FloatArray, time: FloatArray) -> float:
    known = ~np.isnan(values)
    if known.sum() < LEAST_ROWS or np.ptp(values[known]) == 0 or np.ptp(time[known]) == 0:
        return 0.0
    ranks = [pd.Series(some[known]).rank().to_numpy() for some in (values, time)]
    return abs(float(np.corrcoef(ranks[0], ranks[1])[0, 1]))
