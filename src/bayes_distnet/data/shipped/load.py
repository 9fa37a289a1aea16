"""Real runs, collected with this package, that come with it."""

from __future__ import annotations

from pathlib import Path

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.errors import SettingError

__all__ = ["DATASETS", "load_dataset"]

_FOLDER = Path(__file__).parent

DATASETS = ("clasp-factoring", "lpg-zenotravel", "sat-portfolio")


def load_dataset(name: str) -> Dataset:
    """Return runs and features by name.

    `clasp-factoring` and `lpg-zenotravel` are the scenarios of the paper, collected anew; `sat-portfolio` has runs of
    several SAT solvers on CNFs of several kinds, many of them cut off.

    >>> load_dataset("clasp-factoring").solvers
    ['clasp']
    """
    if name not in DATASETS:
        raise SettingError(f"data set {name!r}: expected one of {', '.join(DATASETS)}.")
    return Dataset.load(_FOLDER / name)
