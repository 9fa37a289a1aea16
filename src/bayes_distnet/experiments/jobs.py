"""One job of an experiment: fit one model on one fold under one condition, and score it on unseen instances."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.data import splits
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.results import DATA, EXAMPLE_LEVELS, KEY, SCORED, SHIFTS, Record
from bayes_distnet.models.base import fit_runs
from bayes_distnet.models.registry import ModelEntry, find_model
from bayes_distnet.scoring import scores

PIT_BINS = 20
MOST_EXAMPLES = 100  # test instances a fold whose predictions are kept


@dataclass(frozen=True)
class Condition:
    """What there is to learn from: runs an instance, and how many of them were cut off, by what kind of cutoffs."""

    runs: int
    cutoffs: str
    censored: float


@dataclass(frozen=True)
class Job:
    """A model (what the user called it, and its name in tables), a family, a condition, a fold and a seed."""

    peer: str
    model: str
    family: str
    condition: Condition
    fold: int
    seed: int
    folds: int
    preset: str | None
    kind: str = SCORED
    examples: bool = False

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells its result from others of its kind: the values of `results.KEY`."""
        at = self.condition
        return at.runs, at.cutoffs, at.censored, self.model, self.family, self.fold, self.seed


@dataclass(frozen=True)
class _Split:
    """Runs to learn from, as cut off, and complete runs of the test instances; instances x runs, NaN = no run."""

    train: IntArray
    seconds: FloatArray
    finished: BoolArray
    scale: float  # the longest training run before any was cut off: the unit of the published scores
    test: IntArray
    test_seconds: FloatArray
    test_finished: BoolArray


def do_job(job: Job, folder: str, fingerprint: str) -> Record:
    """Do a job on the data in a results folder; what a model did wrong, if anything, is part of the record."""
    record: Record = {"kind": job.kind, "key": dict(zip(KEY, job.key, strict=True))}
    started = time.perf_counter()
    data = _load(folder, fingerprint)
    split = _split(job, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would run through the progress bar; what matters is in the scores
        try:
            work = _shifted if job.kind == SHIFTS else _scored
            record |= work(job, data, split)
        except (Exception, SystemExit) as error:  # a model's failure is a result, not the end
            record["error"] = f"{type(error).__name__}: {error}"[:500]
    return record | {"seconds": round(time.perf_counter() - started, 3)}


@lru_cache(maxsize=1)
def _load(folder: str, fingerprint: str) -> Dataset:
    """Read the data once a process; the fingerprint tells when a folder was made anew."""
    if not (Path(folder) / DATA).is_dir():
        raise ResultsError(f"{folder}: no data there. Workers must see the results folder under the same name.")
    return Dataset.load(Path(folder) / DATA)


def _split(job: Job, data: Dataset) -> _Split:
    if job.preset == "paper":
        parts = splits.published_folds(len(data), job.folds)
    else:
        parts = splits.folds_by_instance(len(data), job.folds, job.seed)
    train, test = list(parts)[job.fold]
    seconds, finished = splits.first_runs(data.seconds[train], data.finished[train], job.condition.runs, job.seed)
    scale = float(np.nanmax(seconds))
    # The published code validates on the last fifth of the training instances, and never cuts their runs off.
    cut = len(train) if job.preset is None else splits.published_training_part(len(train))
    if job.condition.censored:
        kind, share = job.condition.cutoffs, job.condition.censored
        some = splits.cut_off(seconds[:cut], finished[:cut], share, kind, job.seed)
        seconds, finished = np.concatenate([some[0], seconds[cut:]]), np.concatenate([some[1], finished[cut:]])
    return _Split(train, seconds, finished, scale, test, data.seconds[test], data.finished[test])


def _fit(peer: ModelEntry, job: Job, data: Dataset, split: _Split) -> Any:
    model = peer.build(job.family, job.seed)
    if "verbose" in model.get_params(deep=False):
        model.set_params(verbose=False)
    return fit_runs(model, data.features.iloc[split.train], split.seconds, split.finished)


def _scored(job: Job, data: Dataset, split: _Split) -> Record:
    peer = find_model(job.peer)
    started = time.perf_counter()
    if peer.is_limit:
        rtd = peer.limit_of(split.test_seconds, split.test_finished)
        fitted = predicted = time.perf_counter()
    else:
        model = _fit(peer, job, data, split)
        fitted = time.perf_counter()
        rtd = model.predict_distribution(data.features.iloc[split.test])
        rtd.median()
        predicted = time.perf_counter()
    each = _scores(rtd, split)
    pit = scores.pit(rtd, split.test_seconds, split.test_finished, random_state=0)
    pit = pit[~np.isnan(pit)]
    means = {name: _mean(values) for name, values in each.items()} | {"calibration": scores.calibration(pit)}
    record: Record = {
        "scores": {name: _rounded(value) for name, value in means.items()},
        "instances": len(split.test),
        "fit_seconds": round(fitted - started, 4),
        "predict_seconds": round(predicted - fitted, 4),
        "pit": np.histogram(np.clip(pit, 0.0, 1.0), PIT_BINS, (0.0, 1.0))[0].tolist(),
    }
    if job.examples:
        some = slice(MOST_EXAMPLES)
        rows = zip(_names(data, split.test[some]), each["nllh"][some], rtd[some].quantile(EXAMPLE_LEVELS), strict=True)
        record["examples"] = [
            {"instance": name, "nllh": _rounded(value), "quantiles": [_rounded(q, 4) for q in row]}
            for name, value, row in rows
        ]
    return record


def _scores(rtd: RuntimeDistribution, split: _Split) -> dict[str, FloatArray]:
    """Score every test instance: as they should be, and as the papers' tables have them."""
    runs = (split.test_seconds, split.test_finished)
    proper = {name: scores.SCORES[name](rtd, *runs) for name in ("nllh", "kld", "ks", "crps", "mass", "coverage")}
    return proper | {
        "nllh_published": scores.nllh(rtd, *runs, published=True, scale=split.scale),
        "kld_published": scores.kld(rtd, *runs, published=True, scale=split.scale),
        "ks_published": scores.ks(rtd, *runs, published=True),
    }


def _shifted(job: Job, data: Dataset, split: _Split) -> Record:
    """Predict the fold's middle instance with all its features moved: the paper's adversarial figure."""
    peer = find_model(job.peer)
    model = _fit(peer, job, data, split)
    middle = np.nanmedian(split.test_seconds, axis=1)
    chosen = split.test[np.argsort(middle)[len(middle) // 2]]
    rtd = model.predict_distribution(splits.shifted(data.features, int(chosen), among=split.train))
    low, median, high = rtd.quantile([0.25, 0.5, 0.75]).T
    rows = zip(splits.SHIFTS, rtd.mean(), low, median, high, strict=True)
    columns = ("shift", "mean", "low", "median", "high")
    name = _names(data, [chosen])[0]
    return {"shifts": [{"instance": name} | dict(zip(columns, map(_rounded, row), strict=True)) for row in rows]}


def _names(data: Dataset, rows: ArrayLike) -> list[Any]:
    names: list[Any] = data.features.index[np.asarray(rows)].tolist()
    return names


def _mean(values: FloatArray) -> float:
    """Mean over instances that have a score; infinite if one of them is."""
    return math.nan if np.isnan(values).all() else float(np.nanmean(values))


def _rounded(value: float, digits: int = 6) -> float:
    """A number short enough to be written down."""
    return float(f"{value:.{digits}g}")
