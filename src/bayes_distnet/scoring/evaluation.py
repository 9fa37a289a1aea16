"""Scores of a model as a table, one row per instance."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.predictions import aligned
from bayes_distnet.scoring.scores import SCORES

EVALUATED = ("nllh", "kld", "ks", "mass", "crps", "coverage")


def evaluate(model: RuntimeEstimator, data: Dataset, scores: Iterable[str] = EVALUATED) -> pd.DataFrame:
    """Return the scores of a model on the runs of a data set of one solver, one row an instance.

    scores: names in `scores.SCORES`. An instance without a run that tells anything scores NaN.
    """
    scores = list(scores)
    if unknown := sorted(set(scores) - set(SCORES)):
        raise SettingError(f"scores: no score named {unknown}; there are {sorted(SCORES)}.")
    rtd = model.predict_distribution(aligned(data.features, model))
    values = {name: SCORES[name](rtd, data.seconds, data.finished) for name in scores}
    return pd.DataFrame(values, index=data.features.index)
