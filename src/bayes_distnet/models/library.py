"""Models as files, with a record of the runs they were learnt from."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.errors import ModelFileError, SettingError
from bayes_distnet.models.base import RuntimeEstimator, fit_runs
from bayes_distnet.models.bayes import BayesDistNet
from bayes_distnet.models.distnet import DistNet
from bayes_distnet.models.hybrid import HybridDistNet
from bayes_distnet.models.marginal import Marginal
from bayes_distnet.models.nearest import KNearest
from bayes_distnet.models.random_forest import RandomForest
from bayes_distnet.models.ridge import Ridge
from bayes_distnet.models.saving import HEADER, read_header

ESTIMATORS: dict[str, type[RuntimeEstimator]] = {
    kind.__name__: kind for kind in (BayesDistNet, DistNet, HybridDistNet, KNearest, Marginal, RandomForest, Ridge)
}


LEARNT = "learnt.json"


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
