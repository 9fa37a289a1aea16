"""Jobs of low-samples and censoring: a model is fitted and scored on unseen instances."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.ticks import find_tick
from bayes_distnet.experiments.forms import EXAMPLE_LEVELS, PIT_BINS
from bayes_distnet.experiments.jobs import Job, Split, instance_names, rounded, split_data
from bayes_distnet.experiments.results import Record
from bayes_distnet.experiments.tasks import fit_of
from bayes_distnet.models.explanation.quantities import IGNORANCE, LUCK
from bayes_distnet.models.explanation.trust import factors
from bayes_distnet.models.familiarity import TrainingRange, Verdict, verdicts
from bayes_distnet.models.registry import find_model
from bayes_distnet.scoring.calibration import pit
from bayes_distnet.scoring.registry import SCORES
from bayes_distnet.scoring.trial import Trial, score_all, score_fit

MOST_EXAMPLES = 100  # test instances per fold whose predictions are stored


def score_model(job: Job, data: Dataset) -> Record:
    """Fit a model and score it on the test instances of a fold.

    Parameters
    ----------
    job : Job
        Job to do.
    data : Dataset
        All instances.

    Returns
    -------
    dict
        Mean of each score, cost, histogram of the probability integral transform, scores by familiarity of the test
        instances, and predictions if asked for.
    """
    split = split_data(job, data)
    trial = _trial(job, split, find_tick(data.seconds, data.finished))
    transforms = pit(trial.rtd, split.test.seconds, split.test.finished, random_state=0)
    transforms = np.clip(transforms[~np.isnan(transforms)], 0.0, 1.0)
    record: Record = {
        "scores": {key: rounded(mean) for key, mean in trial.means.items()},
        "instances": len(split.test_rows),
        "fit_seconds": round(trial.fit_seconds, 4),
        "predict_seconds": round(trial.predict_seconds, 4),
        "pit": np.histogram(transforms, PIT_BINS, (0.0, 1.0))[0].tolist(),
        "familiarity": _by_verdict(trial, split),
    }
    return record | ({"examples": _examples(trial, data, split)} if job.examples else {})


def _trial(job: Job, split: Split, tick: float | None) -> Trial:
    scores = [score.key for score in SCORES.values() if score.computed]
    if job.learns:
        return score_fit(fit_of(job, split), split.test, scores, scale=split.scale, tick=tick)
    started = time.perf_counter()
    rtd = find_model(job.text).limit_of(split.test.seconds, split.test.finished)
    spent = time.perf_counter() - started
    values = score_all(rtd, split.test.seconds, split.test.finished, scores, scale=split.scale, tick=tick)
    return Trial(rtd, values, spent, 0.0)


def _verdicts(split: Split) -> list[str]:
    train, test = (np.asarray(part.features, dtype=float) for part in (split.train, split.test))
    return verdicts(TrainingRange.fit(train).distance(test))


def _by_verdict(trial: Trial, split: Split) -> list[dict[str, Any]]:
    """Scores of the test instances that resemble the training instances, and of the others."""
    familiar = np.array(_verdicts(split))
    rows = []
    for verdict in Verdict:
        chosen = familiar == verdict
        if chosen.any():
            means = {key: rounded(float(np.nanmean(trial.values[key][chosen]))) for key in ("nllh", "coverage")}
            rows.append({"verdict": str(verdict), "instances": int(chosen.sum()), **means})
    return rows


def _examples(trial: Trial, data: Dataset, split: Split) -> list[dict[str, Any]]:
    some = slice(MOST_EXAMPLES)
    names, quantiles = instance_names(data, split.test_rows[some]), trial.rtd[some].quantile(EXAMPLE_LEVELS)
    parts = factors(trial.rtd[some])
    columns = (names, trial.values["nllh"][some], quantiles, _verdicts(split)[some], parts[IGNORANCE], parts[LUCK])
    return [
        {
            "instance": name,
            "nllh": rounded(value),
            "quantiles": [rounded(q, 4) for q in row],
            "familiar": verdict,
            "ignorance": rounded(ignorance, 4),
            "luck": rounded(luck, 4),
        }
        for name, value, row, verdict, ignorance, luck in zip(*columns, strict=True)
    ]
