"""Reading the data sets that come with the package."""

from __future__ import annotations

from pathlib import Path

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.shipped.registry import DATASETS

_FOLDER = Path(__file__).parent


def load_dataset(name: str) -> Dataset:
    """Read a data set that comes with the package.

    Parameters
    ----------
    name : str
        "clasp-factoring" and "lpg-zenotravel" are scenarios of the paper, collected anew. "sat-portfolio" has runs of
        several SAT solvers on CNFs of several kinds, many of them cut off. "clasp-quasigroup" has runs of randomised
        backtracking, whose runtimes have heavy tails.

    Returns
    -------
    Dataset
        Runs and features.

    Raises
    ------
    SettingError
        If there is no data set of that name.

    Examples
    --------
    >>> load_dataset("clasp-factoring").solvers
    ['clasp']
    """
    return Dataset.load(_FOLDER / DATASETS.find(name).key)
