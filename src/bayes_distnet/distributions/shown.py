"""Predicted runtimes as a small table for notebooks: one row per instance, with a curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.plots import plot_distributions
from bayes_distnet.notebook import ROWS, curve, seconds_text, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 48  # of a curve
LEVEL = 0.9  # of the band


def runtimes_html(rtd: Any, verdicts: Sequence[str] | None = None) -> str:
    """Return predicted runtimes as HTML.

    Parameters
    ----------
    rtd : PredictedRuntimes
        Predictions, of which the first few rows are shown.
    verdicts : sequence of str or None
        Familiarity of the instances of these rows, if known.

    Returns
    -------
    str
        A table: curve of the distribution function, median, 0.9 quantile, band of the median, familiarity.
    """
    title = f"{type(rtd).__name__}: {len(rtd):,} {'row' if len(rtd) == 1 else 'rows'} of {rtd.family} components"
    if not len(rtd):
        return table(title, [], [])
    some = rtd[: min(ROWS, len(rtd))]
    median, late = some.quantile([0.5, 0.9]).T
    times = _times(some)
    columns = {
        "row": [str(row) for row in range(len(some))],
        "finished by t": _curves(some, times, median),
        "median": [seconds_text(t) for t in median],
        "0.9 quantile": [seconds_text(t) for t in late],
    }
    if some.splits:
        ends = zip(*some.band(LEVEL), strict=True)
        columns[f"{LEVEL:.0%} band of the median"] = [f"{seconds_text(a)} to {seconds_text(b)}" for a, b in ends]
    if verdicts is not None:
        columns["familiarity"] = list(verdicts)
    note = f"curves: log axis from {seconds_text(times[0])} to {seconds_text(times[-1])}; dashed: median"
    rows = list(zip(*columns.values(), strict=True))
    return table(title, list(columns), rows, left_out=len(rtd) - len(some), note=note)


class ShownRuntimes:
    """The face of predicted runtimes in notebooks: a table, and a plot."""

    #: Familiarity of the rows' instances, where a model predicted them: `take(rows)` and `verdicts()`.
    familiarity: Any = None

    def _repr_html_(self) -> str:
        some: Any = self
        known = None if self.familiarity is None else some[: min(ROWS, len(some))].familiarity.verdicts()
        return runtimes_html(self, known)

    def plot(
        self,
        rows: ArrayLike | None = None,
        *,
        labels: Sequence[str] | None = None,
        level: float = 0.9,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the probability of having finished by t, one line per row.

        Parameters
        ----------
        rows : array-like of int or None
            Rows to draw, at most eight; None draws the first ones.
        labels : sequence of str or None
            Names of the rows.
        level : float, default 0.9
            Probability of the shaded band, which shows ignorance about the instance.
        ax : Axes or None
            Matplotlib's axes to draw on; new ones by default.

        Returns
        -------
        Axes
            The axes, with a log axis of seconds.

        Raises
        ------
        SettingError
            Rows that do not exist or are too many, or Matplotlib that is not installed.
        """
        return plot_distributions(self, rows, labels, level, ax)


def _times(rtd: Any) -> FloatArray:
    """Return a grid of times on a log axis that all rows share, so that their curves can be compared."""
    ends = rtd.quantile([0.02, 0.5, 0.98])
    ends = ends[(ends > 0) & np.isfinite(ends)]
    ends = ends if ends.size else np.ones(1)
    return np.geomspace(ends.min() / 1.1, ends.max() * 1.1, POINTS)


def _curves(rtd: Any, times: FloatArray, median: FloatArray) -> list[str]:
    first, last = np.log(times[[0, -1]])
    places = (np.log(np.clip(median, times[0], times[-1])) - first) / (last - first)
    return [
        curve(heights, [place], title=f"median {seconds_text(t)}")
        for heights, place, t in zip(rtd.cdf(times), places, median, strict=True)
    ]
