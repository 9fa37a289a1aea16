"""The numbers of the paper's two appendix tables beside those of an experiment.

`published.csv` holds both tables: low samples and censoring, two scenarios, five levels, two models, two families, and
NLLH, KLD, KS and mass as the paper computes them, each with its mean and deviation over folds and seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.importers.distnet import ARCHIVE
from bayes_distnet.errors import BayesDistNetError
from bayes_distnet.experiments.pairs import paired
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import AXES
from bayes_distnet.models.registry import MODELS

_FILE = Path(__file__).with_name("published.csv")

#: Label of each Bayes DistNet of this package, with the label of the DistNet that it is set against.
PAIRS = {entry.label: MODELS[entry.against].label for entry in MODELS.values() if entry.against is not None}

CENSORED_RUNS = 8  # runs per instance that the paper learns from when it cuts runs off
_CELL = ["experiment", "level", "family", "score"]

# Scenarios of the published archive by solver: it has one per solver.
_SCENARIOS = {"clasp": "clasp-factoring", "lpg": "lpg-zenotravel"}

DATA_DIFFER = (
    "These are not the paper's runs: the scenario is the same, but instances, solver version and machine differ. "
    "So the numbers cannot be compared with the published ones. Only orderings and margins can: which model is ahead, "
    "and by how much."
)
DATA_EQUAL = "These are the paper's runs, imported from the published archive: the numbers can be compared directly."


def published() -> pd.DataFrame:
    """Return the published numbers.

    Returns
    -------
    DataFrame
        One row per experiment, scenario, level, model, family and score. `level` is the number of runs per instance for
        `low-samples`, and the fraction of them cut off for `censoring`.

    Examples
    --------
    >>> published().query("level == 16 and score == 'nllh_published' and family == 'lognormal'").iloc[0].to_dict()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'experiment': 'low-samples', 'scenario': 'clasp-factoring', 'level': 16.0, 'model': 'BayesDistNet',
     'family': 'lognormal', 'score': 'nllh_published', 'mean': -0.136, 'deviation': 0.022}
    """
    return _read().copy()


@cache
def _read() -> pd.DataFrame:
    return pd.read_csv(_FILE, dtype={"level": float, "mean": float, "deviation": float})


def scenario_of(results: Results) -> str | None:
    """Return the published scenario of an experiment's data.

    Parameters
    ----------
    results : Results
        Results of experiments.

    Returns
    -------
    str or None
        Name of the scenario; None if the paper has no such scenario.
    """
    name = Path(str(results.about.get("data", ""))).name
    return name if name in _SCENARIOS.values() else _archive_scenario(results)


def is_published_archive(results: Results) -> bool:
    """Return whether the runs are those of the archive published with DistNet, as `import_distnet` reads them.

    Parameters
    ----------
    results : Results
        Results of experiments.

    Returns
    -------
    bool
        False also if the results were copied without their data.
    """
    return _archive_scenario(results) is not None


def _archive_scenario(results: Results) -> str | None:
    try:
        data = results.data
    except (OSError, BayesDistNetError):  # the results folder was copied without its data
        return None
    return _scenario_of_archive(data)


def _scenario_of_archive(data: Dataset) -> str | None:
    if data.provenance.get("archive") != ARCHIVE or len(data.solvers) != 1:
        return None
    return _SCENARIOS.get(data.solvers[0])


def caveat(results: Results) -> str:
    """Return a sentence or two on the comparison with the published numbers that the data allow.

    Parameters
    ----------
    results : Results
        Results of experiments.

    Returns
    -------
    str
        `DATA_EQUAL` for the published archive, else `DATA_DIFFER`.
    """
    return DATA_EQUAL if is_published_archive(results) else DATA_DIFFER


def beside(results: Results) -> pd.DataFrame:
    """Return the published numbers beside those of an experiment.

    Parameters
    ----------
    results : Results
        Results of experiments; `caveat` describes the comparison that their data allow.

    Returns
    -------
    DataFrame
        One row per cell of the paper's tables and pair of models, for cells that both have: experiment, level, family,
        score; `bayes` and `distnet`, the pair of this package's models; the means `published_bayes`,
        `published_distnet`, `bayes_here`, `distnet_here`, the last two over the folds and seeds that both models have;
        the margins `published_margin` and `margin_here`, Bayes DistNet minus DistNet, so that below 0 Bayes DistNet is
        ahead; `same_order`, whether both margins have the same sign.
    """
    numbers = _read()
    paper = numbers[numbers["scenario"] == scenario_of(results)].pivot_table(
        index=_CELL, columns="model", values="mean"
    )
    paper = paper.reindex(columns=["BayesDistNet", "DistNet"])
    paper.columns = pd.Index(["published_bayes", "published_distnet"])
    rows = [row for experiment in AXES for pair in PAIRS.items() for row in _here(results, experiment, *pair)]
    here = pd.DataFrame(rows, columns=[*_CELL, "bayes", "distnet", "bayes_here", "distnet_here"])
    return _with_margins(here.astype({"level": float}).round({"level": 6}).join(paper, on=_CELL, how="inner"))


def _here(results: Results, experiment: str, bayes: str, distnet: str) -> Iterator[tuple[Any, ...]]:
    """Means of two models on the folds and seeds that both have, one row per cell."""
    table = _as_published(results.of(experiment), experiment)
    cells = [_cells(table[table["model"] == model]) for model in (bayes, distnet)]
    for family, score in (cell for cell in cells[0] if cell in cells[1]):
        found = paired(table, AXES[experiment], score, (bayes, family), (distnet, family))
        for level, *means in found[[AXES[experiment], "mean", "other_mean"]].itertuples(index=False):
            yield (experiment, level, family, score, bayes, distnet, *means)


def _cells(table: pd.DataFrame) -> dict[tuple[str, str], None]:
    return dict.fromkeys(zip(table["family"], table["score"], strict=True))


def _as_published(table: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Keep the conditions of the paper: 8 runs, all cut off at one time; or any number of runs, none cut off."""
    if AXES[experiment] == "censored":
        return table[(table["runs"] == CENSORED_RUNS) & table["cutoffs"].isin(["none", "global"])]
    return table[table["censored"] == 0]


def _with_margins(table: pd.DataFrame) -> pd.DataFrame:
    published_margin = (table["published_bayes"] - table["published_distnet"]).astype(float)
    margin = (table["bayes_here"] - table["distnet_here"]).astype(float)
    # A NaN margin, where both means are infinite, has no order.
    same = np.sign(published_margin) == np.sign(margin)
    table = table.assign(published_margin=published_margin, margin_here=margin, same_order=same)
    order = ["published_bayes", "published_distnet", "bayes_here", "distnet_here", "published_margin", "margin_here"]
    return table[[*_CELL, "bayes", "distnet", *order, "same_order"]].reset_index(drop=True)
