"""Facts about a model that are known before it is loaded. This module needs the standard library only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from bayes_distnet.decide.portfolio.quick_choice import QuickChoice
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.errors import ModelFileError, SettingError
from bayes_distnet.models.header import read_header
from bayes_distnet.models.record import read_record

PORTFOLIO = "PortfolioModel"  # kind of model in a header


@dataclass(frozen=True)
class Facts:
    """Facts about a model that are known before it is loaded.

    Parameters
    ----------
    solvers : tuple of str
        Solvers that it knows; the best one on the training data first.
    presolver : tuple of Slot
        Schedule before features are computed.
    feature_cost : float
        Typical seconds of a decision by features; 0 if unknown.
    cutoff : float
        Cutoff of the training runs in seconds; infinite if there was none.
    uses_features : bool
        Whether its decisions depend on features.
    static : tuple of Slot
        Schedule on one core for an instance of which nothing is known.
    groups : tuple of str or None
        Groups of features that it needs; None for all.
    quick : QuickChoice or None
        Choice that needs no model, where it is the best on the training data.
    """

    solvers: tuple[str, ...]
    presolver: tuple[Slot, ...] = ()
    feature_cost: float = 0.0
    cutoff: float = math.inf
    uses_features: bool = True
    static: tuple[Slot, ...] = ()
    groups: tuple[str, ...] | None = None
    quick: QuickChoice | None = None


def solver_name(model: str, recorded: str, given: str | None) -> str:
    """Return the name of the solver of a model, from its record or as given; a `SettingError` if there is none."""
    if given is not None and recorded and given != recorded:
        raise SettingError(f"solver {given!r}: {model} is a model of {recorded}.")
    if not (name := given or recorded):
        raise SettingError(f"{model}: a model without a record of its solver. Name it (solver=, --solver NAME).")
    return name


def saved_facts(path: Path, solver: str | None) -> Facts:
    """Read the facts about a saved model.

    Parameters
    ----------
    path : Path
        Folder of the model.
    solver : str or None
        Name of the solver of a model that has no record of it.

    Returns
    -------
    Facts
        Facts from its header.
    """
    header = read_header(path)
    if header.get("model") != PORTFOLIO:
        record = read_record(path)
        return Facts((solver_name(str(path), "" if record is None else record.solver, solver),))
    try:
        about = header["parameters"]["about"]
        names = tuple(map(str, about["solvers"]))
        return Facts(
            tuple(sorted(names, key=lambda name: name != about["single_best"])),
            tuple(Slot.from_dict(entry) for entry in about["presolver"]),
            float(about["feature_cost"]),
            float(about["cutoff"]),
            bool(about["uses_features"]),
            tuple(Slot.from_dict(entry) for entry in about["static"]),
            None if about["groups"] is None else tuple(map(str, about["groups"])),
            None if about["quick"] is None else QuickChoice.from_dict(about["quick"]),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFileError(f"{path}: the header does not describe a portfolio ({error!r}). Save it again.") from error
