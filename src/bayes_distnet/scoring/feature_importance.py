"""Importance of features: how much worse a model predicts when their values are dealt to the wrong instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.ticks import find_tick
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.explanation.grouping import CORRELATED, Groups, check_names, group_features
from bayes_distnet.models.predictions import aligned
from bayes_distnet.scoring.likelihood import nllh
from bayes_distnet.scoring.plots import plot_bars
from bayes_distnet.validation import check_at_least, check_seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPEATS = 5
MOST_RUNS = 20  # per instance that are scored: more hardly change a mean over instances
BLOCK = 4096  # rows that are predicted at once


@dataclass(frozen=True, eq=False)
class Importance:
    """Importance of groups of features.

    Parameters
    ----------
    table : DataFrame
        One row per group, the most important first: increase (of the negative log likelihood per run, in nats), error
        (its standard error over instances), count (of features).
    groups : dict
        Names of features by name of the group.
    nllh : float
        Mean negative log likelihood with the features as they are.
    n_instances : int
        Instances that were scored.
    """

    table: pd.DataFrame
    groups: Groups
    nllh: float
    n_instances: int

    def __repr__(self) -> str:
        return f"Importance({len(self.table)} groups of features, {self.n_instances} instances, nllh {self.nllh:.3f})"

    def plot(self, *, top: int = 15, ax: Axes | None = None) -> Axes:
        """Draw the most important groups.

        Parameters
        ----------
        top : int, default 15
            Number of groups.
        ax : Axes or None
            Axes to draw on; new ones by default.

        Returns
        -------
        Axes
            The axes, with one bar per group and its standard error.
        """
        check_at_least("top", top, 1)
        some = self.table[:top]
        ax = plot_bars(some["increase"], some["error"], ax)
        ax.set_xlabel("increase of the negative log likelihood when permuted")
        return ax


def importance(
    model: RuntimeEstimator,
    data: Dataset,
    *,
    groups: Any = CORRELATED,
    repeats: int = REPEATS,
    random_state: int = 0,
) -> Importance:
    """Measure how much a model relies on features, by its log score on instances that it has not seen.

    The values of a group of features are dealt to the wrong instances, all of the group together, and the runs are
    scored again. Runs that were cut off count as in `nllh`.

    Parameters
    ----------
    model : RuntimeEstimator
        Fitted model.
    data : Dataset
        Runs of one solver and features, of instances that were held out.
    groups : {"correlated", "each", "computed"}, mapping or FeatureGroups, default "correlated"
        Features that are permuted together: see `RuntimeEstimator.explain`. Of features that say the same, each alone
        can be missed: permuted one by one, none of them is important.
    repeats : int, default 5
        Permutations per group.
    random_state : int, default 0
        Seed of the permutations.

    Returns
    -------
    Importance
        Increase of the score per group, with standard errors. At most 20 runs per instance are scored.

    Raises
    ------
    RuntimeDataError
        Fewer than two instances with runs.

    Examples
    --------
    >>> from bayes_distnet import Ridge, make_runs
    >>> data = make_runs(n_instances=120, n_runs=2, n_features=5, random_state=0)
    >>> train, test = data.split(test_size=0.3, random_state=0)
    >>> found = importance(Ridge().fit(train.features, train.seconds), test, groups="each")
    >>> found.table.index[0], bool(found.table["increase"].iloc[0] > 0.1)
    ('feature_000', True)
    """
    check_at_least("repeats", repeats, 1)
    rng = np.random.default_rng(check_seed("random_state", random_state))
    features = aligned(data.features, model)
    seconds, finished = _some_runs(data.seconds, data.finished)
    known = np.flatnonzero(~np.isnan(seconds).all(axis=1))
    if len(known) < 2:
        raise RuntimeDataError(f"importance: {len(known)} instances with runs; expected at least two.")
    features, seconds, finished = features.iloc[known], seconds[known], finished[known]
    names = check_names(features.columns)
    dealt = group_features(groups, names, features.set_axis(names, axis=1))
    others = [_wrong_instances(len(known), rng) for _ in range(repeats)]
    places = dict(zip(names, features.columns, strict=True))
    tick = find_tick(data.seconds, data.finished)
    before = nllh(model.predict_distribution(features), seconds, finished, tick=tick)
    rows = []
    for members in dealt.values():
        columns = [places[name] for name in members]
        scores = np.zeros(len(known))
        for some in _blocks(others, len(known)):
            tables = [_dealt(features, columns, other) for other in some]
            rtd = model.predict_distribution(pd.concat(tables, ignore_index=True))
            each = nllh(rtd, np.tile(seconds, (len(some), 1)), np.tile(finished, (len(some), 1)), tick=tick)
            scores += each.reshape(len(some), -1).sum(axis=0)
        worse = scores / repeats - before
        rows.append((worse.mean(), worse.std(ddof=1) / np.sqrt(len(known)), len(members)))
    table = pd.DataFrame(rows, index=pd.Index(list(dealt), name="features"), columns=["increase", "error", "count"])
    table = table.sort_values("increase", ascending=False, kind="stable")
    return Importance(table, dealt, float(before.mean()), len(known))


def _some_runs(seconds: FloatArray, finished: Any) -> tuple[FloatArray, Any]:
    """Keep a few runs of every instance: the first ones, wherever the matrix has gaps."""
    if seconds.shape[1] <= MOST_RUNS:
        return seconds, finished
    order = np.argsort(np.isnan(seconds), axis=1, kind="stable")[:, :MOST_RUNS]
    return np.take_along_axis(seconds, order, axis=1), np.take_along_axis(finished, order, axis=1)


def _wrong_instances(n: int, rng: np.random.Generator) -> IndexArray:
    """Return a permutation that leaves nobody in place."""
    order = rng.permutation(n)
    other = np.empty(n, dtype=np.intp)
    other[order] = np.roll(order, int(rng.integers(1, n)))
    return other


def _blocks(others: list[IndexArray], n: int) -> Iterator[list[IndexArray]]:
    size = max(1, BLOCK // n)
    return (others[start : start + size] for start in range(0, len(others), size))


def _dealt(features: pd.DataFrame, columns: list[Any], other: IndexArray) -> pd.DataFrame:
    return features.assign(**{str(name): features[name].array.take(other) for name in columns})
