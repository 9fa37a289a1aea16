"""One row per policy of the experiments on selection and portfolios."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.decide.selection.feature_charge import Charge
from bayes_distnet.experiments.aslib_protocol import normalised, standard_error
from bayes_distnet.experiments.decisions import decided, roles_of
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.selection import ORACLE, SINGLE_BEST, fold_table, measure_name
from bayes_distnet.models.registry import Role


def summarise_selection(results: Results) -> pd.DataFrame:
    """Return one row per policy of the experiment selection.

    Parameters
    ----------
    results : Results
        Results with the experiment.

    Returns
    -------
    DataFrame
        See `summary_table`.
    """
    return summary_table(decided(results, "selection"))


def summarise_portfolio(results: Results) -> pd.DataFrame:
    """Return one row per policy of the experiment portfolio.

    Parameters
    ----------
    results : Results
        Results with the experiment.

    Returns
    -------
    DataFrame
        See `summary_table`; the limits have one core.
    """
    return summary_table(decided(results, "portfolio"))


def summary_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per policy: models, then peers, then limits, each from the best down.

    Parameters
    ----------
    rows : DataFrame
        Rows of `decided`.

    Returns
    -------
    DataFrame
        Columns: policy; role; mean_of_ratios and ratio_of_means, both normalised PAR10 with all feature groups charged
        and instances that nobody solves left out; solved, the fraction of these instances with an answer; gap_closed
        (1 - ratio_of_means); par10, time and regret (PAR10 beyond the oracle's) in seconds; standard errors; numbers of
        instances and folds; and the same scores with a suffix: `_kept` with the instances that nobody solves, `_used`
        with only the used feature groups charged and presolved instances credited, `_free` with no feature charged.
    """
    if rows.empty:
        return pd.DataFrame(columns=["policy", "role", "mean_of_ratios", "ratio_of_means", "solved"])
    roles = roles_of(rows)
    tables = {name: fold_table(rows, name) for name in dict.fromkeys(rows["measure"])}
    solvable = tables["solved"][ORACLE] > 0
    entries = [_entry(policy, roles[policy], tables, solvable) for policy in dict.fromkeys(rows["policy"])]
    table = pd.DataFrame(entries)
    rank = table["role"].map({str(role): place for place, role in enumerate(Role)})
    return table.assign(rank=rank).sort_values(["rank", "ratio_of_means"]).drop(columns="rank").reset_index(drop=True)


def _entry(policy: str, role: str, tables: dict[str, pd.DataFrame], solvable: pd.Series[bool]) -> dict[str, Any]:
    main = _scores(policy, tables, solvable, Charge.ALL)
    cost, time, least = (
        tables[name].loc[solvable, of].to_numpy(float)
        for name, of in (("par10", policy), ("time", policy), ("par10", ORACLE))
    )
    entry: dict[str, Any] = {"policy": policy, "role": role, **main}
    entry |= {
        "gap_closed": 1.0 - main["ratio_of_means"],
        "gap_closed_error": main["ratio_of_means_error"],
        "par10": float(cost.mean()),
        "par10_error": standard_error(cost),
        "time": float(time.mean()),
        "time_error": standard_error(time),
        "regret": float((cost - least).mean()),
        "instances": int(solvable.sum()),
        "folds": len({key[:2] for key in tables["par10"].index[solvable]}),
    }
    everything = pd.Series(True, index=solvable.index)
    for suffix, chosen, charge in (
        ("kept", everything, Charge.ALL),
        ("used", solvable, Charge.USED),
        ("free", solvable, Charge.FREE),
    ):
        entry |= {f"{name}_{suffix}": value for name, value in _scores(policy, tables, chosen, charge).items()}
    return entry


def _scores(policy: str, tables: dict[str, pd.DataFrame], chosen: pd.Series[bool], charge: Charge) -> dict[str, float]:
    cost = tables[measure_name("par10", charge)][chosen]
    fold = cost.index.to_frame()[["seed", "fold"]].apply(tuple, axis=1)
    found = normalised(
        cost[policy].to_numpy(float), cost[SINGLE_BEST].to_numpy(float), cost[ORACLE].to_numpy(float), fold
    )
    solved = tables[measure_name("solved", charge)].loc[chosen, policy]
    return {**vars(found), "solved": float(np.mean(solved))}
