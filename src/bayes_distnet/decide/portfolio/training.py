"""Training of a portfolio: fitting and saving in one call."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.portfolio.model import PortfolioModel
from bayes_distnet.errors import SettingError
from bayes_distnet.features.group_costs import measured_groups
from bayes_distnet.models.library import check_writable, save_model
from bayes_distnet.models.record import TrainingRecord
from bayes_distnet.models.registry import RECOMMENDED, find_model
from bayes_distnet.validation import is_number


def train_portfolio(
    data: Dataset,
    model: str = RECOMMENDED,
    *,
    objective: str = "par10",
    costs: pd.DataFrame | None = None,
    overhead: float = 0.0,
    holdout: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    name: str = "",
) -> PortfolioModel:
    """Fit a portfolio to runs of several solvers, and save it with a record of its training data.

    Parameters
    ----------
    data : Dataset
        Runs and features.
    model : str, default "hybrid"
        Key of the model of each solver in `bayes_distnet.models.MODELS`.
    objective : str, default "par10"
        What the choice, the presolver and the use of features are learnt to make small: see `find_objective`.
    costs : DataFrame, optional
        CPU seconds of the features by instance, as `FeatureTable.costs`: the column `seconds`, and one column per group
        of features. By default those of the data.
    overhead : float, default 0.0
        CPU seconds that a decision costs besides the features, such as loading the model in a new process.
    holdout : float or None
        Fraction of the instances that is left out.
    random_state : int, default 0
        Fixes the model and the instances left out.
    n_jobs : int or None
        Threads.
    out : path or None
        Folder to write; None writes nothing.
    overwrite : bool, default False
        Whether a model in that folder may be replaced.
    name : str
        Name of the data in the record.

    Returns
    -------
    PortfolioModel
        The fitted model; its attribute `training_record_` holds the record.

    Raises
    ------
    SettingError
        A folder that cannot be written, or settings that cannot be used.
    """
    from bayes_distnet import __version__

    if out is not None:
        check_writable(out, overwrite=overwrite)
    if holdout is not None and (not is_number(holdout) or not 0 < holdout < 1):
        raise SettingError(f"holdout={holdout!r}: expected a fraction of the instances between 0 and 1, such as 0.2.")
    if costs is not None:
        costs = costs.reindex(data.features.index)
        groups = measured_groups(costs, data.features.columns)
        data = replace(data, feature_cost=costs["seconds"], feature_groups=groups)
    data = data.matched()
    used = data if holdout is None else data.split(holdout, random_state=random_state)[0]
    started = time.perf_counter()
    base = find_model(model).build("lognormal", random_state)
    portfolio = PortfolioModel(
        base, objective=objective, overhead=overhead, random_state=random_state, n_jobs=n_jobs
    ).fit(used)
    observed = used.runs.observed()
    portfolio.training_record_ = TrainingRecord(
        data=name,
        solver=", ".join(portfolio.solvers_),
        instances=len(used),
        runs=len(observed),
        censored=int((~observed.finished).sum()),
        held_out=len(data) - len(used),
        seconds=round(time.perf_counter() - started, 2),
        version=__version__,
        names=tuple(map(str, used.features.index)),
    )
    if out is not None:
        save_model(portfolio, out, overwrite=overwrite)
    return portfolio
