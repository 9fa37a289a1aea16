"""The columns of a table of predictions: their names, and how each is computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.explanation.trust import factors
from bayes_distnet.validation import check_level

QUANTILES = (0.1, 0.25, 0.75, 0.9)
FAMILIAR = "familiar"
BOUNDS = ("lower", "upper")
_QUANTILE = re.compile(r"^q(\d+(?:\.\d+)?)$")
_WITHIN = re.compile(r"^within[:_](.+)$")
OUT_OF_RANGE = "out_of_range"
FACTORS = ("spread", "ignorance", "luck")
GROUPS = {
    "band": ("low", "high"),
    "bounds": BOUNDS,
    "trust": ("unsure", "ignorance", "luck", FAMILIAR, OUT_OF_RANGE),
}  # several columns by one name
_PLAIN = ("mean", "median", "low", "high", "unsure", *FACTORS, *BOUNDS, FAMILIAR, OUT_OF_RANGE)


@dataclass(frozen=True)
class PredictionColumns:
    """Columns that are wanted of a prediction.

    Parameters
    ----------
    names : tuple of str
        Names in the order of the table.
    levels : dict
        Level of every column that is a quantile.
    within : dict
        Seconds of every column that is a probability of finishing within some time.
    """

    names: tuple[str, ...]
    levels: dict[str, float]
    within: dict[str, float]

    @classmethod
    def parse(cls, words: Iterable[str]) -> PredictionColumns:
        """Read names of columns.

        Parameters
        ----------
        words : iterable of str
            mean, median, q90 (any quantile, in per cent), within:60 (any number of seconds), band (for low and high),
            low, high, unsure, spread, ignorance, luck, bounds (for lower and upper), lower, upper, familiar,
            out_of_range, trust (for unsure, ignorance, luck, familiar and out_of_range).

        Returns
        -------
        PredictionColumns
            The columns; each once.

        Raises
        ------
        SettingError
            A name that is none of these, or no name.

        Examples
        --------
        >>> PredictionColumns.parse(["median", "q90", "within:3600", "band"]).names
        ('median', 'q90', 'within_3600', 'low', 'high')
        """
        names: list[str] = []
        levels: dict[str, float] = {}
        within: dict[str, float] = {}
        if isinstance(words, str):
            raise SettingError(f"columns={words!r}: expected a list of names, such as ['median', 'q90'].")
        for word in words:
            if word in GROUPS:
                names += GROUPS[word]
            elif found := _QUANTILE.match(word):
                name = f"q{float(found[1]):g}"
                levels[name] = check_level(float(found[1]) / 100, f"columns: {word}")
                names.append(name)
            elif found := _WITHIN.match(word):
                seconds = _seconds(found[1], word)
                within[f"within_{seconds:g}"] = seconds
                names.append(f"within_{seconds:g}")
            elif word in _PLAIN:
                names.append(word)
            else:
                raise SettingError(
                    f"columns: no column named {word!r}; expected some of mean, median, q90 (any quantile), within:60 "
                    "(any seconds), band, low, high, unsure, spread, ignorance, luck, bounds, lower, upper, familiar, "
                    "out_of_range, trust."
                )
        if not names:
            raise SettingError("columns: expected at least one name, such as median.")
        levels |= {"median": 0.5} if "median" in names else {}
        return cls(tuple(dict.fromkeys(names)), levels, within)

    @classmethod
    def usual(cls, quantiles: Sequence[float] = QUANTILES, within: Sequence[float] = ()) -> PredictionColumns:
        """Return the usual columns, with quantiles and probabilities of finishing within times in seconds."""
        levels = {f"q{100 * check_level(level, 'quantiles'):g}": float(level) for level in quantiles}
        if any(not 0 < second < np.inf for second in within):
            raise SettingError(f"within={list(within)}: expected positive numbers of seconds.")
        times = {f"within_{second:g}": float(second) for second in within}
        names = ("mean", "median", *levels, *times, "low", "high", "unsure", FAMILIAR)
        return cls(names, levels | {"median": 0.5}, times)

    @property
    def bounds(self) -> list[str]:
        """Those of the columns that are bounds: lower, upper."""
        return [name for name in self.names if name in BOUNDS]

    def with_bounds(self) -> PredictionColumns:
        """Add lower and upper, where neither is wanted yet; familiar stays the last column."""
        if self.bounds:
            return self
        last = self.names[-1:] if self.names[-1:] == (FAMILIAR,) else ()
        return replace(self, names=(*self.names[: len(self.names) - len(last)], *BOUNDS, *last))

    def of(self, rtd: PredictedRuntimes, band: float) -> dict[str, Any]:
        """Compute the columns, except bounds and those about the training data.

        Parameters
        ----------
        rtd : PredictedRuntimes
            Predicted runtimes.
        band : float
            Level of low and high.

        Returns
        -------
        dict
            One array per column; NaN for low, high, unsure, ignorance and luck of a prediction that cannot separate
            ignorance from luck.
        """
        quantiles = rtd.quantile(np.array(list(self.levels.values()))) if self.levels else np.empty((len(rtd), 0))
        values: dict[str, Any] = dict(zip(self.levels, quantiles.T, strict=True))
        values |= {name: rtd.cdf(seconds) for name, seconds in self.within.items()}
        if "mean" in self.names:
            values["mean"] = rtd.mean()
        if {"low", "high"} & {*self.names}:
            values["low"], values["high"] = _if_split(rtd, lambda: rtd.band(band), 2)
        if "unsure" in self.names:
            (values["unsure"],) = _if_split(rtd, lambda: (rtd.unsure_share(),), 1)
        if {*FACTORS} & {*self.names}:
            values |= factors(rtd)
        return {name: values[name] for name in self.names if name not in (FAMILIAR, OUT_OF_RANGE, *BOUNDS)}


def _if_split(rtd: PredictedRuntimes, compute: Callable[[], Any], n: int) -> Any:
    return compute() if rtd.splits else [np.full(len(rtd), np.nan)] * n


def _seconds(text: str, word: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = np.nan
    if not 0 < seconds < np.inf:
        raise SettingError(f"columns: {word!r}: expected a positive number of seconds, such as within:3600.")
    return seconds
