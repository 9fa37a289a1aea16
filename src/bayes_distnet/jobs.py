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
import pandas as pd

from bayes_distnet import scores
from bayes_distnet.dataset import Dataset
from bayes_distnet.distribution import RuntimeDistribution
from bayes_distnet.observations import BoolArray, FloatArray, IntArray
from bayes_distnet.peers import Peer, find_peer
from bayes_distnet.results import DATA, EXAMPLE_LEVELS, Record
from bayes_distnet.splits import cut_off, folds_by_instance, published_folds

SCORED, SHIFTS = "scores", "shifts"
SHIFTED_BY = np.linspace(-8.0, 8.0, 33)  # deviations of all features
PIT_BINS = 20
PUBLISHED_VALIDATION = 0.2


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
        """What tells its result from others."""
        key = (*vars(self.condition).values(), self.model, self.family, self.fold, self.seed)
        return key if self.kind == SCORED else (SHIFTS, *key)


@dataclass(frozen=True)
class _Split:
    """Training runs by row, as `fit` takes them, and complete runs of the test instances."""

    features: pd.DataFrame
    seconds: FloatArray
    finished: BoolArray
    groups: IntArray
    scale: float  # the longest training run before any was cut off: the unit of the published scores
    test: IntArray
    test_seconds: FloatArray
    test_finished: BoolArray


def do_job(job: Job, folder: str) -> Record:
    """Do a job on the data in a results folder; what went wrong, if anything did, is part of the record."""
    key = {**vars(job.condition), "model": job.model, "family": job.family, "fold": job.fold, "seed": job.seed}
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would run through the progress bar; what matters is in the scores
        try:
            data = _load(folder)
            work = _shifted if job.kind == SHIFTS else _scored
            record = {"key": key} | work(job, data, _split(job, data))
            return record | {"seconds": round(time.perf_counter() - started, 3)}
        except Exception as error:  # one model's failure under one condition is a result, not the experiment's end
            return {"key": key, "error": f"{type(error).__name__}: {error}"[:500]}


@lru_cache(maxsize=2)
def _load(folder: str) -> Dataset:
    return Dataset.load(Path(folder) / DATA)


def _split(job: Job, data: Dataset) -> _Split:
    if job.preset == "paper":
        parts = published_folds(len(data), job.folds)
    else:
        parts = folds_by_instance(len(data), job.folds, job.seed)
    train, test = list(parts)[job.fold]
    order = np.random.default_rng(job.seed).permutation(data.seconds.shape[1])[: job.condition.runs]
    seconds, finished = data.seconds[train][:, order], data.finished[train][:, order]
    scale = float(np.nanmax(seconds))
    # The published code validates on the last fifth of the training instances, and never cuts their runs off.
    cut = len(train) if job.preset is None else math.ceil((1 - PUBLISHED_VALIDATION) * len(train))
    if job.condition.censored:
        kind, share = job.condition.cutoffs, job.condition.censored
        some = cut_off(seconds[:cut], finished[:cut], share, kind, job.seed)
        seconds, finished = np.concatenate([some[0], seconds[cut:]]), np.concatenate([some[1], finished[cut:]])
    # A row a run, the instance as its group: two instances may share all their features.
    row, column = np.nonzero(~np.isnan(seconds))
    return _Split(
        features=data.features.iloc[train[row]],
        seconds=seconds[row, column],
        finished=finished[row, column],
        groups=row,
        scale=scale,
        test=test,
        test_seconds=data.seconds[test],
        test_finished=data.finished[test],
    )


def _fit(peer: Peer, job: Job, split: _Split) -> Any:
    assert peer.make is not None
    model = peer.make(job.family, job.seed)
    if "progress" in model.get_params(deep=False):
        model.set_params(progress=False)
    return model.fit(split.features, split.seconds, finished=split.finished, groups=split.groups)


def _scored(job: Job, data: Dataset, split: _Split) -> Record:
    peer = find_peer(job.peer)
    started = time.perf_counter()
    if peer.limit is not None:
        rtd = peer.limit(split.test_seconds, split.test_finished)
        fitted = predicted = time.perf_counter()
    else:
        model = _fit(peer, job, split)
        fitted = time.perf_counter()
        rtd = model.predict_distribution(data.features.iloc[split.test])
        rtd.median()
        predicted = time.perf_counter()
    each = _scores(rtd, split)
    pit = scores.pit(rtd, split.test_seconds, split.test_finished, seed=0)
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
        quantiles = rtd.quantile(EXAMPLE_LEVELS)
        names = data.features.index[split.test]
        record["examples"] = [
            {"instance": name, "nllh": _rounded(value), "quantiles": [_rounded(q, 4) for q in row]}
            for name, value, row in zip(names, each["nllh"], quantiles, strict=True)
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
    peer = find_peer(job.peer)
    model = _fit(peer, job, split)
    middle = np.nanmedian(split.test_seconds, axis=1)
    chosen = split.test[np.argsort(middle)[len(middle) // 2]]
    features = data.features.astype(float)
    deviation = split.features[~pd.Series(split.groups).duplicated().to_numpy()].astype(float).std(ddof=0).to_numpy()
    moved = features.to_numpy()[chosen] + SHIFTED_BY[:, None] * deviation
    rtd = model.predict_distribution(pd.DataFrame(moved, columns=features.columns))
    low, median, high = rtd.quantile([0.25, 0.5, 0.75]).T
    rows = zip(SHIFTED_BY, rtd.mean(), low, median, high, strict=True)
    columns = ("shift", "mean", "low", "median", "high")
    name = data.features.index[chosen]
    return {"shifts": [{"instance": name} | dict(zip(columns, map(_rounded, row), strict=True)) for row in rows]}


def _mean(values: FloatArray) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else math.nan


def _rounded(value: float, digits: int = 6) -> float | None:
    """A number short enough to be written down; JSON has no infinities and NaNs."""
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None
