"""Models as files, and the tables that are asked of them: what they predict, and how well, an instance a row."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet._checks import check_level
from bayes_distnet.base import RuntimeEstimator, fit_runs
from bayes_distnet.baselines import KNearest, Marginal, RandomForest, Ridge
from bayes_distnet.dataset import Dataset
from bayes_distnet.distribution import RuntimeDistribution
from bayes_distnet.errors import FeatureError, ModelFileError, SettingError
from bayes_distnet.estimators import BayesDistNet, DistNet
from bayes_distnet.hybrid import HybridDistNet
from bayes_distnet.scores import SCORES
from bayes_distnet.storage import HEADER, read_header

ESTIMATORS: dict[str, type[RuntimeEstimator]] = {
    kind.__name__: kind for kind in (BayesDistNet, DistNet, HybridDistNet, KNearest, Marginal, RandomForest, Ridge)
}
LEARNT = "learnt.json"
EVALUATED = ("nllh", "kld", "ks", "mass", "crps", "coverage")


@dataclass(frozen=True)
class Learnt:
    """What a model was learnt from; kept beside it."""

    data: str
    solver: str
    instances: int
    runs: int
    cut_off: int
    held_out: int
    """Instances that were left out for evaluation."""
    seconds: float
    """How long fitting took."""
    version: str
    names: tuple[str, ...]
    """The instances."""

    def seen(self, instances: Iterable[str]) -> int:
        """Return how many of these instances the model has learnt from."""
        return len({*map(str, self.names)} & {*map(str, instances)})


def load_model(path: str | os.PathLike[str]) -> RuntimeEstimator:
    """Read a saved model of any kind. Nothing in the folder is executed.

    >>> x, seconds = np.zeros((4, 1)), np.array([1.0, 2.0, 4.0, 8.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Marginal().fit(x, seconds).save(folder)
    ...     load_model(folder)
    Marginal()
    """
    name = read_header(Path(path)).get("model")
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise ModelFileError(
            f"{Path(path) / HEADER}: a model of the kind {name!r}; this release knows {', '.join(ESTIMATORS)}. "
            "Upgrade bayes-distnet, or fit and save the model again."
        )
    return ESTIMATORS[name].load(Path(path))


def check_free(folder: Path, *, force: bool = False) -> None:
    """Raise an error if a model may not be written there; call it before the work, not after.

    A folder that is missing or empty is free; one that holds a model only with `force`, anything else never.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not folder.is_dir():
        raise SettingError(f"{folder}: a file is in the way; give a folder.")
    try:
        read_header(folder)
    except ModelFileError:
        raise SettingError(f"{folder}: holds something else than a model; give a new folder.") from None
    if not force:
        raise SettingError(f"{folder}: holds a model already; give another folder, or say --force to replace it.")


def save_model(model: RuntimeEstimator, folder: str | os.PathLike[str], learnt: Learnt, *, force: bool = False) -> None:
    """Write a model, and what it was learnt from, to a folder: all of it or nothing.

    With `force` it may replace the model that is there.
    """
    folder = Path(folder)
    check_free(folder, force=force)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".writing-") as draft:
        new, old = Path(draft) / "new", Path(draft) / "old"
        model.save(new)
        about = {"sha256": read_header(new)["sha256"], **asdict(learnt)}
        (new / LEARNT).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8")
        if folder.exists():
            folder.rename(old)
        new.rename(folder)


def read_learnt(folder: str | os.PathLike[str]) -> Learnt | None:
    """Return what a model was learnt from; None where that was not written down, or is of another model."""
    try:
        about = json.loads((Path(folder) / LEARNT).read_text("utf-8"))
        of = about.pop("sha256")
        learnt = Learnt(**{**about, "names": tuple(about["names"])})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return learnt if of == read_header(Path(folder)).get("sha256") else None


def learn(model: RuntimeEstimator, data: Dataset) -> RuntimeEstimator:
    """Fit a model to all runs of a data set of one solver."""
    fitted: RuntimeEstimator = fit_runs(model, data.features, data.seconds, data.finished)
    return fitted


def aligned(features: pd.DataFrame, model: RuntimeEstimator) -> pd.DataFrame:
    """Return the columns a model was fitted on, in its order; others are left out."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return features
    if missing := [str(name) for name in names if name not in features.columns]:
        raise FeatureError(
            f"features: no column {', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''} ({len(missing)} of the "
            f"{len(names)} the model was fitted on are missing). Compute the features as for the training runs."
        )
    return features[list(names)]


def predictions(
    model: RuntimeEstimator,
    features: pd.DataFrame,
    *,
    quantiles: Sequence[float] = (0.1, 0.25, 0.75, 0.9),
    within: Sequence[float] = (),
    alive: float = 0.0,
    band: float = 0.9,
) -> pd.DataFrame:
    """Return a table of what a model predicts, one row a row of features; times are in seconds.

    mean, median, q10 ...: of the runtime. within_60: chance of finishing within 60 s. low, high: where the median
    lies, as far as the model knows (the band of that level). epistemic: the share of the variance that is the model's
    not knowing, not the solver's chance. The last three are NaN for a model that does not say how sure it is.

    alive: the runs have been going for so many seconds; all columns are then about what is left.
    """
    levels = [check_level(level, "quantiles") for level in quantiles]
    if any(not second > 0 for second in within):
        raise SettingError(f"within={list(within)}: expected positive numbers of seconds.")
    if not 0 <= alive < math.inf:
        raise SettingError(f"alive={alive:g}: expected the seconds that the runs have been going.")
    rtd = model.predict_distribution(aligned(features, model))
    rtd = rtd.given_alive(alive) if alive else rtd
    columns = {"mean": rtd.mean(), "median": rtd.median()}
    columns |= {f"q{100 * level:g}": rtd.quantile(level) for level in levels}
    columns |= {f"within_{seconds:g}": rtd.cdf(seconds) for seconds in within}
    low, high, share = _doubt(rtd, check_level(band, "band"))
    return pd.DataFrame(columns | {"low": low, "high": high, "epistemic": share}, index=features.index)


def _doubt(rtd: RuntimeDistribution, level: float) -> tuple[Any, Any, Any]:
    """The band of the median, and the epistemic share of the variance; NaN where one component says it all."""
    if rtd.n_components == 1:
        unknown = np.full(len(rtd), np.nan)
        return unknown, unknown, unknown
    low, high = rtd.band(level)
    unsure, chance = rtd.epistemic(), rtd.aleatoric()
    with np.errstate(invalid="ignore"):
        return low, high, unsure / (unsure + chance)


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
