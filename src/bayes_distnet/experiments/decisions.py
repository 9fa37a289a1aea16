"""Experiments on decisions: policies on the same unseen instances, one row per policy, standard errors over instances.

A job fits a model on the training instances of a fold and evaluates the policies that decide from it on the test
instances; one job per fold also evaluates the policies that need no model. Jobs are planned, stored and resumed as
those of all experiments; `decision_records` describes their records.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import Results
from bayes_distnet.registry import load

CONDITION = ["runs", "cutoffs", "censored"]


def decided(results: Results, experiment: str) -> pd.DataFrame:
    """Return the outcomes of an experiment under one condition: that of the last call.

    Parameters
    ----------
    results : Results
        Results of a folder.
    experiment : str
        Key of `EXPERIMENTS`.

    Returns
    -------
    DataFrame
        Rows of `Results.decisions`, each policy, instance, measure, fold and seed once, on the folds and seeds that
        all policies have.
    """
    rows = results.decisions[results.decisions["experiment"] == experiment]
    calls = results.about["experiments"].get(experiment, {}).get("calls", [])
    if calls and len(rows):
        last = calls[-1]
        cut = last["cutoffs"] if last["censored"][0] else "none"
        here = (rows["runs"] == last["runs"][0]) & (rows["cutoffs"] == cut) & (rows["censored"] == last["censored"][0])
        rows = rows[here]
    rows = rows.drop_duplicates(["policy", "instance", "measure", "fold", "seed"])
    policies = rows["policy"].nunique()
    had = rows.groupby(["fold", "seed"])["policy"].transform("nunique")
    return rows[had == policies]


def by_instance(rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return a measure per policy and instance.

    Parameters
    ----------
    rows : DataFrame
        Rows of `decided`.
    measure : str
        Name of the measure.

    Returns
    -------
    DataFrame
        One row per policy in order of appearance, one column per instance; mean over seeds.
    """
    some = rows[rows["measure"] == measure]
    wide = some.pivot_table(index="policy", columns="instance", values="value", aggfunc="mean", sort=False)
    return wide.reindex(list(dict.fromkeys(some["policy"])))


def mean_with_error(wide: pd.DataFrame) -> pd.DataFrame:
    """Return means and standard errors over instances.

    Parameters
    ----------
    wide : DataFrame
        One row per policy, one column per instance.

    Returns
    -------
    DataFrame
        Columns mean and error, one row per policy.
    """
    count = wide.notna().sum(axis=1)
    return pd.DataFrame({"mean": wide.mean(axis=1), "error": wide.std(axis=1, ddof=1) / np.sqrt(count)})


def geometric_with_error(wide: pd.DataFrame) -> pd.DataFrame:
    """Return geometric means over instances, and the standard errors of their logs times the means.

    Parameters
    ----------
    wide : DataFrame
        Positive numbers, one row per policy, one column per instance.

    Returns
    -------
    DataFrame
        Columns mean and error, one row per policy.
    """
    logs = mean_with_error(wide.apply(np.log))
    means = np.exp(logs["mean"])
    return pd.DataFrame({"mean": means, "error": means * logs["error"]})


def roles_of(rows: pd.DataFrame) -> pd.Series[str]:
    """Return the role of each policy, by its name."""
    return rows.drop_duplicates("policy").set_index("policy")["role"]


def summary_of(results: Results, experiment: str) -> pd.DataFrame:
    """Return the scores of all policies of an experiment.

    Parameters
    ----------
    results : Results
        Results of a folder.
    experiment : str
        Key of `EXPERIMENTS`, of an experiment on decisions.

    Returns
    -------
    DataFrame
        Columns policy, role and the scores; one row per policy.

    Raises
    ------
    SettingError
        An experiment without decisions.
    """
    entry = EXPERIMENTS.find(experiment)
    if not entry.decides:
        raise SettingError(f"{experiment}: no experiment on decisions.")
    table: pd.DataFrame = load(entry.summary_source)(results)
    return table
