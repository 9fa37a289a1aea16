"""Suggest the next runs: by the expected fall of the log score for their CPU seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray, IndexArray
from bayes_distnet.decide.suggestions.design import Candidates, Pick, choose, gain_of
from bayes_distnet.decide.suggestions.information import expected_information
from bayes_distnet.decide.suggestions.suggestion import COLUMNS, Suggestion
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.shared_draws import shared_draws
from bayes_distnet.validation import check_at_least, check_positive

LEVELS = (0.75, 0.9, 0.97)  # of the quantiles of a candidate that may be its cutoff, beside the cutoff given
USUAL_SHARE = 0.2  # of the variance that runs of an instance share, where a model cannot separate it from luck
#: Least variance of the instance effect, as a fraction of the variance of log time. Draws that disagree much would
#: leave none, as if features determined the instance: a second run of it would be as good as a run of another.
LEAST_EFFECT = 0.3
MOST_TARGETS = 400  # targets that gains are averaged over; of more, as many are drawn at random
FINEST = 1e-3  # seconds: the least cutoff


def suggest(
    model: Any,
    candidates: Any,
    *,
    budget: float,
    cutoff: float | None = None,
    targets: Any = None,
    seeds: int = 1,
    seen: Mapping[Any, int] | None = None,
) -> Suggestion:
    """Suggest which instances to run next, how many seeds of each, and under which cutoff.

    Runs are chosen one by one, each with the largest expected fall of the log score of the targets for its cost (the
    root of its expected seconds). A run teaches about all instances of which the draws of the model disagree in the
    same way; it costs what the model expects it to take under its cutoff. A run that may be cut off teaches less, and
    so does a second run of an instance, which has the instance effect of the first.

    Parameters
    ----------
    model : RuntimeEstimator or RuntimePipeline
        A fitted model of one solver with draws: HybridDistNet, BayesDistNet, DistNet or RandomForest.
    candidates : DataFrame or array-like
        Features of the instances that may be run, one row per instance. The index of a DataFrame names them.
    budget : float
        CPU seconds that all runs together may take in expectation.
    cutoff : float or None
        Largest cutoff of a run in CPU seconds. None cuts a run at the quantile 0.97 of its prediction at the latest.
    targets : DataFrame, array-like or None
        Features of the instances whose predictions are to become better; None means the candidates.
    seeds : int, default 1
        Largest number of runs per instance, runs that the model has learnt from included.
    seen : mapping or None
        Number of runs that the model has learnt from, by name of the instance. None takes the record of a model that
        `train` made: its instances have as many runs as its average instance.

    Returns
    -------
    Suggestion
        A table of instances, seeds, cutoffs, expected seconds and gains, and the reason.

    Raises
    ------
    SettingError
        A budget that no run fits into, no candidate with runs left, or a model without draws.
    FeatureError
        Candidates or targets that the model cannot predict.

    Examples
    --------
    >>> from bayes_distnet import RandomForest, make_runs
    >>> data = make_runs(n_instances=60, n_runs=1, random_state=0)
    >>> model = RandomForest().fit(data.features[:30], data.seconds[:30, 0])
    >>> plan = suggest(model, data.features[30:], budget=20.0, cutoff=100.0)
    >>> plan.seconds <= 20.0, list(plan.table.columns)
    (True, ['instance', 'seeds', 'cutoff', 'seconds', 'gain'])
    """
    check_positive("budget", budget)
    if cutoff is not None:
        check_positive("cutoff", cutoff)
    check_at_least("seeds", seeds, 1)
    names = _names(candidates)
    rtd = model.predict_distribution(candidates)
    counts = _counts(model, names, seen)
    most = np.maximum(seeds - counts, 0)
    if not most.any():
        raise SettingError(
            f"candidates: all {len(names)} have {'a run' if seeds == 1 else f'{seeds} runs'} already. "
            f"Give other instances, or allow more seeds per instance (seeds={int(counts.min()) + 1})."
        )
    cutoffs = _cutoffs(rtd, cutoff)
    deviations = shared_draws(model, candidates).deviations()
    effect, luck = _variances(rtd, deviations)
    ignorance = effect + (deviations**2).sum(axis=1)
    rows = Candidates(
        deviations=deviations,
        effect=effect,
        information=expected_information(np.log(cutoffs), np.log(rtd.median()), ignorance, luck),
        seconds=rtd.restricted_mean(cutoffs),
        seen=counts / luck,
        most=most,
    )
    least = np.where(most > 0, rows.seconds.min(axis=1), np.inf)
    if least.min() > budget:
        raise SettingError(
            f"budget={budget:g}: too small; the cheapest run, of {names[int(np.argmin(least))]}, is expected to take "
            f"{least.min():.3g} s."
        )
    aims, noise = (deviations, effect + luck) if targets is None else _targets(model, targets)
    some = np.random.default_rng(0).permutation(len(aims))[:MOST_TARGETS]
    picks = list(choose(rows, aims[some], noise[some], budget))
    if not picks:
        raise SettingError("candidates: the draws of the model agree on the targets; no run is expected to help.")
    table = _table(picks, names, cutoffs)
    chance = _random_gain(rows, aims[some], noise[some], float(table["seconds"].sum()))
    new = sum(not counts[row] for row in {pick.candidate for pick in picks})
    return Suggestion(table, float(budget), chance, _reason(table, len(names), new, chance))


def _names(candidates: Any) -> list[Any]:
    names = list(candidates.index) if isinstance(candidates, pd.DataFrame) else list(range(len(candidates)))
    if not names:
        raise FeatureError("candidates: no rows; expected one row per instance.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise FeatureError(f"candidates: instance {twice!r} has several rows.")
    return names


def _counts(model: Any, names: list[Any], seen: Mapping[Any, int] | None) -> IndexArray:
    """(n,) number of runs of each candidate that the model has learnt from."""
    record = getattr(model, "training_record_", None)
    if seen is None and record is not None:
        seen = dict.fromkeys(record.names, max(1, round(record.runs / record.instances)))
    counts = [0 if seen is None else seen.get(name, 0) for name in names]
    for count in counts:
        check_at_least("seen", count, 0)
    return np.array(counts, dtype=np.intp)


def _cutoffs(rtd: PredictedRuntimes, cutoff: float | None) -> FloatArray:
    """(n, C) cutoffs to choose from, rising: three digits are enough, and read well."""
    own = [[float(f"{max(value, FINEST):.3g}") for value in row] for row in rtd.quantile(LEVELS)]
    if cutoff is None:
        return np.array(own)
    return np.column_stack([np.minimum(own, cutoff), np.full(len(own), float(cutoff))])


def _variances(rtd: PredictedRuntimes, deviations: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(n,) variances of log time: of the instance effect beside the draws, and of luck."""
    low, high = np.log(rtd.quantile([0.16, 0.84])).T
    total = np.maximum((high - low) / 2, 1e-3) ** 2
    share = np.clip(rtd.unsure_share(), 0.02, 0.95) if rtd.splits else np.full(len(total), USUAL_SHARE)
    effect = np.maximum(share * total - (deviations**2).sum(axis=1), LEAST_EFFECT * total)
    return effect, (1.0 - share) * total


def _targets(model: Any, targets: Any) -> tuple[FloatArray, FloatArray]:
    if not len(targets):
        raise FeatureError("targets: no rows; expected one row per instance.")
    deviations = shared_draws(model, targets).deviations()
    effect, luck = _variances(model.predict_distribution(targets), deviations)
    return deviations, effect + luck


def _table(picks: list[Pick], names: list[Any], cutoffs: FloatArray) -> pd.DataFrame:
    runs = [(names[pick.candidate], 1, cutoffs[pick.candidate, pick.option], pick.seconds, pick.gain) for pick in picks]
    frame = pd.DataFrame(runs, columns=list(COLUMNS))
    kinds = {"seeds": "sum", "cutoff": "first", "seconds": "sum", "gain": "sum"}
    return frame.groupby("instance", sort=False).agg(kinds).reset_index()


def _random_gain(rows: Candidates, targets: FloatArray, noise: FloatArray, seconds: float) -> float:
    """Gain that runs of random candidates have within the same seconds."""
    order = np.random.default_rng(0).permutation(np.flatnonzero(rows.most > 0))
    spent = np.cumsum(rows.seconds[order, -1])
    done = int(np.searchsorted(spent, seconds))
    gains = list(gain_of(rows, targets, noise, order[: done + 1]))
    if done >= len(order):
        return float(sum(gains))
    before = spent[done - 1] if done else 0.0
    return float(sum(gains[:done]) + gains[done] * (seconds - before) / (spent[done] - before))


def _reason(table: pd.DataFrame, candidates: int, new: int, chance: float) -> str:
    runs = int(table["seeds"].sum())
    return (
        f"{runs} run{'s' if runs != 1 else ''} of {len(table)} among {candidates} instances ({new} of them new), "
        f"{table['seconds'].sum():.4g} s in expectation, lower the log score of a run by {table['gain'].sum():.3g} "
        f"(random instances for the same time: {chance:.3g})"
    )
