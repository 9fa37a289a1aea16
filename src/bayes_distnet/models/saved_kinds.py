"""The kinds of models that a folder can hold: the header of the folder selects the class that reads it."""

from __future__ import annotations

import os
from pathlib import Path

from bayes_distnet.errors import ModelFileError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.header import HEADER, read_header
from bayes_distnet.models.registry import MODELS, Role
from bayes_distnet.registry import load


def load_kind(path: str | os.PathLike[str]) -> RuntimeEstimator:
    """Read the model of numbers in a folder, without its encoder and its record: see `library.load_model`."""
    name, kinds = read_header(Path(path)).get("model"), saved_kinds()
    if name == "PortfolioModel":
        raise ModelFileError(
            f"{path}: a portfolio of several solvers, which run and advise use; in Python, decide.PortfolioModel.load."
        )
    if not isinstance(name, str) or name not in kinds:
        raise ModelFileError(
            f"{Path(path) / HEADER}: a model of the kind {name!r}; this release reads {', '.join(kinds)}. "
            "Upgrade bayes-distnet, or fit and save the model again."
        )
    model: RuntimeEstimator = load(kinds[name]).load(Path(path))
    return model


def saved_kinds() -> dict[str, str]:
    """Return the classes whose models can be saved, by name, and where they are defined."""
    sources = [entry.source for entry in MODELS.values() if entry.role is Role.MODEL and entry.source]
    sources.append("bayes_distnet.models.pipelines.pipeline:RuntimePipeline")
    return {source.rpartition(":")[2]: source for source in sources}
