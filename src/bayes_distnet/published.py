"""The numbers of the paper's two appendix tables, and a run's beside them.

`published.csv` holds both tables: low samples and censoring, two scenarios, five levels, two models, two families, and
NLLH, KLD, KS and mass as the paper computes them, each with its mean and deviation over folds and seeds.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from bayes_distnet.dataset import Dataset
from bayes_distnet.errors import RuntimeDataError
from bayes_distnet.importers.distnet import ARCHIVE
from bayes_distnet.result_tables import AXES, summarise
from bayes_distnet.results import Results

_FILE = Path(__file__).with_name("published.csv")

#: Each Bayes DistNet of this package, and the DistNet it is set against.
PAIRS = {
    "BayesDistNet (paper)": "DistNet (paper)",
    "BayesDistNet (runtimes)": "DistNet",
    "BayesDistNet": "DistNet",
}

# By solver: the archive has one scenario of each.
_SCENARIOS = {"clasp": "clasp-factoring", "lpg": "lpg-zenotravel"}

DATA_DIFFER = (
    "These are not the paper's runs: the scenario is the same, but instances, solver version and machine are others. "
    "So the numbers cannot be compared with the published ones, only orderings and margins can: which model is ahead, "
    "and by how much."
)
DATA_EQUAL = "These are the paper's runs, imported from the published archive: the numbers can be compared directly."


def published() -> pd.DataFrame:
    """Return the published numbers, one row a scenario, level, model, family and score.

    `level` is the number of runs an instance for `low-samples`, and the share of them cut off for `censoring`.

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
    """Name the published scenario that a run's data set is of, None if the paper has no such scenario."""
    name = Path(str(results.about.get("data", ""))).name
    known = set(_SCENARIOS.values())
    return name if name in known else _archive_scenario(results)


def is_published_archive(results: Results) -> bool:
    """Whether the runs are those of the archive published with DistNet, as `import_distnet` reads them."""
    return _archive_scenario(results) is not None


def _archive_scenario(results: Results) -> str | None:
    try:
        data = results.data
    except (OSError, RuntimeDataError):  # a results folder that was copied without its data
        return None
    return _scenario_of_archive(data)


def _scenario_of_archive(data: Dataset) -> str | None:
    if data.provenance.get("archive") != ARCHIVE or len(data.solvers) != 1:
        return None
    return _SCENARIOS.get(data.solvers[0])


def caveat(results: Results) -> str:
    """Say in a sentence or two what may be compared with the published numbers."""
    return DATA_EQUAL if is_published_archive(results) else DATA_DIFFER


def beside(results: Results) -> pd.DataFrame:
    """Return the published numbers beside the run's, one row a cell of the paper's tables and pair of models.

    Columns: experiment, level, family, score; `bayes` and `distnet`, the pair of this package's models; the means
    `published_bayes`, `published_distnet`, `bayes_here`, `distnet_here`; the margins `published_margin` and
    `margin_here`, Bayes DistNet minus DistNet, so that below 0 Bayes DistNet is ahead; `same_order`, whether both
    margins have the same sign. Only cells that were run and published have a row; `caveat` says what may be compared.
    """
    parts = [_beside(results, experiment, scenario_of(results)) for experiment in AXES]
    return pd.concat(parts, ignore_index=True)


def _beside(results: Results, experiment: str, scenario: str | None) -> pd.DataFrame:
    axis = AXES[experiment]
    table = results.of(experiment)
    # The paper cuts all runs off at one time.
    table = table[table["cutoffs"].isin(["none", "global"])]
    here = summarise(table, axis).rename(columns={axis: "level"})
    here["level"] = here["level"].astype(float).round(6)
    there = _read().query("experiment == @experiment and scenario == @scenario")
    cell = ["level", "family", "score"]
    paper = there.pivot_table(index=cell, columns="model", values="mean").reset_index()
    rows = []
    for bayes, distnet in PAIRS.items():
        one = paper.reindex(columns=[*cell, "BayesDistNet", "DistNet"])
        one = one.set_axis([*cell, "published_bayes", "published_distnet"], axis=1)
        for model, column in ((bayes, "bayes_here"), (distnet, "distnet_here")):
            means = here.loc[here["model"] == model, [*cell, "mean"]].rename(columns={"mean": column})
            one = one.merge(means, on=cell, how="inner")
        rows.append(one.assign(experiment=experiment, bayes=bayes, distnet=distnet))
    return _with_margins(pd.concat(rows, ignore_index=True))


def _with_margins(table: pd.DataFrame) -> pd.DataFrame:
    published_margin = (table["published_bayes"] - table["published_distnet"]).astype(float)
    margin = (table["bayes_here"] - table["distnet_here"]).astype(float)
    # A NaN margin, where a model's cells all failed, is of neither order.
    same = np.sign(published_margin) == np.sign(margin)
    table = table.assign(published_margin=published_margin, margin_here=margin, same_order=same)
    front = ["experiment", "level", "family", "score", "bayes", "distnet"]
    return table[front + [column for column in table if column not in front]]
