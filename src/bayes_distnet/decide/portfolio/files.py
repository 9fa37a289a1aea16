"""Portfolios on disk: a folder with `model.json` and `model.safetensors`, and one model folder per solver inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bayes_distnet.decide.laws.dependence import Dependence
from bayes_distnet.decide.laws.objectives import find_objective
from bayes_distnet.decide.portfolio.fitted import Portfolio
from bayes_distnet.decide.portfolio.quick_choice import QuickChoice
from bayes_distnet.decide.portfolio.selector import Selector
from bayes_distnet.decide.portfolio.solver_model import SolverModel
from bayes_distnet.decide.schedules.planning import HORIZON, Settings, static_plan
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.errors import BayesDistNetError, ModelFileError
from bayes_distnet.models.library import load_model
from bayes_distnet.models.saving import Arrays, read_model, with_prefix, without_prefix, write_model

KIND = "PortfolioModel"


def write_portfolio(portfolio: Portfolio, settings: dict[str, Any], path: Path) -> None:
    """Write a fitted portfolio.

    Parameters
    ----------
    portfolio : Portfolio
        What was learnt.
    settings : dict
        Settings of the `PortfolioModel`.
    path : Path
        The folder; created if missing.

    Raises
    ------
    ModelFileError
        A utility function as the objective, which no file can hold, or a folder that cannot be written.
    """
    if not isinstance(settings["objective"], str):
        raise ModelFileError(
            f"{path}: a function as the objective cannot be saved; fit with a named one to save the model."
        )
    for number, model in enumerate(portfolio.models):
        model.model.save(path / f"solver-{number}")
    arrays: Arrays = {
        "correlation": portfolio.dependence.correlation,
        "sizes": np.array([[m.own, m.size, float(m.assumed)] for m in portfolio.models]),
        "seconds": portfolio.seconds,
        "finished": portfolio.finished,
    }
    if portfolio.selector is not None:
        arrays |= with_prefix("selector", portfolio.selector.to_arrays())
    about = {
        "solvers": portfolio.solvers,
        "left_out": portfolio.left_out,
        "single_best": portfolio.solvers[portfolio.single_best],
        "cutoff": portfolio.cutoff,
        "groups": portfolio.groups,
        "feature_cost": portfolio.feature_cost,
        "uses_features": portfolio.uses_features,
        "presolver": [slot.as_dict() for slot in portfolio.presolver],
        "static": [slot.as_dict() for slot in _static_schedule(portfolio)],
        "quick": None if portfolio.quick is None else portfolio.quick.as_dict(),
    }
    write_model(
        path,
        KIND,
        parameters={"settings": settings, "about": about},
        n_features=len(portfolio.columns),
        feature_names=list(portfolio.columns),
        arrays=arrays,
    )


def _static_schedule(portfolio: Portfolio) -> tuple[Slot, ...]:
    """Return the schedule for an instance of which nothing is known, so that it can be run before a model is loaded."""
    limit = HORIZON * portfolio.cutoff
    settings = Settings(limit, find_objective("time", cutoff=limit))
    return static_plan(portfolio, settings, portfolio.allowed(None)).slots[0]


def read_portfolio(path: Path) -> tuple[Portfolio, dict[str, Any]]:
    """Read a portfolio that `write_portfolio` wrote. Nothing in the folder is executed.

    Parameters
    ----------
    path : Path
        The folder.

    Returns
    -------
    portfolio : Portfolio
        What was learnt.
    settings : dict
        Settings of the `PortfolioModel`.

    Raises
    ------
    ModelFileError
        A folder that is missing, damaged or of another kind.
    """
    saved = read_model(path, KIND)
    try:
        return _restored(saved.parameters, saved.arrays, tuple(saved.feature_names or ()), path), saved.parameters[
            "settings"
        ]
    except BayesDistNetError as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path}: changed ({error}).") from error
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFileError(f"{path}: the files do not form a portfolio ({error!r}). Save it again.") from error


def _restored(parameters: dict[str, Any], arrays: Arrays, columns: tuple[str, ...], path: Path) -> Portfolio:
    about, settings = parameters["about"], parameters["settings"]
    solvers = tuple(map(str, about["solvers"]))
    sizes, seconds, finished = arrays["sizes"], arrays["seconds"], arrays["finished"]
    if sizes.shape != (len(solvers), 3) or seconds.shape != finished.shape or seconds.shape[1] != len(solvers):
        raise ValueError(f"arrays of other shapes than {len(solvers)} solvers have")
    models = tuple(
        SolverModel(load_model(path / f"solver-{number}"), float(own), float(size), bool(assumed))
        for number, (own, size, assumed) in enumerate(sizes)
    )
    selector = Selector.from_arrays(without_prefix("selector", arrays)) if len(solvers) > 1 else None
    return Portfolio(
        solvers=solvers,
        left_out={str(name): str(reason) for name, reason in about["left_out"].items()},
        models=models,
        dependence=Dependence(arrays["correlation"]),
        objective=find_objective(settings["objective"], cutoff=float(about["cutoff"])),
        cutoff=float(about["cutoff"]),
        columns=columns,
        groups=None if about["groups"] is None else tuple(map(str, about["groups"])),
        feature_cost=float(about["feature_cost"]),
        seconds=seconds,
        finished=finished.astype(bool),
        selector=selector,
        uses_features=bool(about["uses_features"]),
        presolver=tuple(Slot.from_dict(entry) for entry in about["presolver"]),
        quick=None if about["quick"] is None else QuickChoice.from_dict(about["quick"]),
    )
