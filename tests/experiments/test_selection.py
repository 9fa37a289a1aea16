"""The experiments on selection and portfolios, from the data to the numbers."""

import json
from dataclasses import replace

import clusters
import numpy as np
import pandas as pd
import pytest

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.decisions import decided, summary_of
from bayes_distnet.experiments.plans import make_plan
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.run import run_experiment
from bayes_distnet.experiments.selection import ORACLE, SINGLE_BEST, first_runs

CHEAP = ["clusters:RIDGES", "ridge", "argosmart", "sunny"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("selection") / "out"
    data = clusters.two_clusters(40)
    return run_experiment("selection", data, folder, name="clusters", models=CHEAP, folds=4, cores=1, progress=False)


def test_selectors_close_the_gap_on_two_clusters(made):
    table = summary_of(made, "selection").set_index("policy")
    assert table.loc[SINGLE_BEST, "mean_of_ratios"] == 1.0
    assert table.loc[ORACLE, "ratio_of_means"] == 0.0
    assert table.loc[["ArgoSmArT", "SUNNY"], "ratio_of_means"].max() < 0.05
    assert table.loc["PortfolioModel of ridges, choice alone", "ratio_of_means"] < 0.05
    assert table["role"].tolist() == ["model"] * 3 + ["peer"] * 3 + ["limit"] * 2
    assert table["instances"].unique().tolist() == [40]


def test_one_row_per_policy_measure_and_test_instance(made):
    rows = decided(made, "selection")
    assert rows.groupby(["policy", "measure"]).size().unique().tolist() == [40]
    assert not rows.duplicated(["policy", "measure", "instance"]).any()


def test_jobs_are_not_repeated_and_others_can_be_added(made):
    before = made.folder / "about.json"
    sessions = len(json.loads(before.read_text())["sessions"])
    run_experiment(
        "selection",
        clusters.two_clusters(40),
        made.folder,
        name="clusters",
        models=["sunny"],
        folds=4,
        cores=1,
        progress=False,
    )
    assert len(json.loads(before.read_text())["sessions"]) == sessions  # nothing was left to do


def test_published_folds_are_used(tmp_path):
    data = clusters.two_clusters(12)
    folds = pd.DataFrame({1: np.arange(12) % 3 + 1}, index=data.features.index, dtype="Int64")
    results = run_experiment(
        "selection",
        replace(data, folds=folds),
        tmp_path / "out",
        name="c",
        models=["argosmart"],
        cores=1,
        progress=False,
    )
    rows = decided(results, "selection").drop_duplicates("instance").set_index("instance")
    assert (rows["fold"] + 1 == folds[1].reindex(rows.index)).all()


def test_parallel_plans_beat_one_core(tmp_path):
    results = run_experiment(
        "portfolio",
        clusters.two_clusters(24, runs=3),
        tmp_path / "out",
        name="c",
        models=["clusters:RIDGES", "ridge"],
        folds=2,
        cores=1,
        progress=False,
    )
    table = summary_of(Results.load(results.folder), "portfolio").set_index("policy")
    assert table.loc["oracle, 2 cores", "time"] < table.loc[ORACLE, "time"]  # the faster of two seeds
    assert table.loc["best on average, 4 cores", "par10"] < table.loc["copies of the best, 4 cores", "par10"]
    assert table.loc["Ridge on log PAR10, 2 cores", "solved"] == 1.0
    planned = table.loc["PortfolioModel of ridges, features always, 2 cores"]
    assert planned["par10"] < table.loc["copies of the best, 2 cores", "par10"]
    assert table.loc["PortfolioModel of ridges, 2 cores", "role"] == "model"


def test_a_selector_without_parallel_plans_is_refused():
    with pytest.raises(SettingError, match="sunny makes no plans for several cores"):
        make_plan("portfolio", clusters.two_clusters(12), models=["sunny"], folds=2)


def test_unknown_selectors_are_refused_with_the_known_ones():
    with pytest.raises(SettingError, match="selector 'hybrid': expected one of portfolio"):
        make_plan("selection", clusters.two_clusters(12), models=["hybrid"], folds=2)


def test_runs_cannot_be_cut_off():
    with pytest.raises(SettingError, match="selection: runs are neither cut off"):
        make_plan("selection", clusters.two_clusters(12), models=["sunny"], folds=2, censored=[0.5])


def test_training_runs_can_be_limited():
    data = clusters.two_clusters(4, runs=3)
    kept = first_runs(data, 2).runs.frame
    assert kept.groupby(["instance", "solver"]).size().unique().tolist() == [2]
    assert first_runs(data, 3) is data
