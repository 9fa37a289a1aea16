"""Yardsticks: a model without features and a forest, fitted to the same rows as a model and stored in its folder.

A score has no meaning by itself. With these two beside it, it shows how much the features help, and how much the model
helps beyond a standard one.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.marginal import Marginal
from bayes_distnet.models.random_forest import RandomForest
from bayes_distnet.models.saved_kinds import load_kind
from bayes_distnet.models.table_model import TableModel, kind_of
from bayes_distnet.models.training_data import fit_dataset

FOLDER = "yardsticks"
TREES = 30
LEAVES = 5000  # about the largest number of leaves of a tree


def fit_yardsticks(model: RuntimeEstimator, data: Dataset, *, n_jobs: int | None = None) -> dict[str, RuntimeEstimator]:
    """Fit the yardsticks of a model to its training data.

    Parameters
    ----------
    model : RuntimeEstimator
        The fitted model.
    data : Dataset
        Its training data.
    n_jobs : int or None
        Threads.

    Returns
    -------
    dict
        Fitted models of numbers by name, without one of the model's own kind.
    """
    if isinstance(model, TableModel):
        data = replace(data, features=model.encoder_.transform(data.features))
    leaf = max(3, len(data) // LEAVES)
    simple: list[RuntimeEstimator] = [Marginal(), RandomForest(TREES, min_samples_leaf=leaf, n_jobs=n_jobs)]
    return {type(one).__name__: fit_dataset(one, data) for one in simple if type(one).__name__ != kind_of(model)}


def save_yardsticks(yardsticks: dict[str, RuntimeEstimator], folder: Path) -> None:
    """Write yardsticks into the folder of their model."""
    for name, one in yardsticks.items():
        one.save(folder / FOLDER / name)


def load_yardsticks(folder: Path, model: RuntimeEstimator) -> dict[str, RuntimeEstimator]:
    """Read the yardsticks of a model.

    Parameters
    ----------
    folder : Path
        Folder of the model.
    model : RuntimeEstimator
        The model that was read from it.

    Returns
    -------
    dict
        Fitted models by name, which take the same features as the model; empty if there are none.
    """
    found = sorted(path for path in (folder / FOLDER).glob("*") if path.is_dir())
    read = {path.name: load_kind(path) for path in found}
    if isinstance(model, TableModel):
        return {name: TableModel.around(one, model.encoder_, model.layout) for name, one in read.items()}
    return read
