from pathlib import Path

import numpy as np
import pytest

from bayes_distnet import load_dataset
from bayes_distnet.data.shipped import registry
from bayes_distnet.data.shipped.registry import DATASETS
from bayes_distnet.errors import SettingError


@pytest.mark.parametrize(
    ("name", "instances", "seeds"),
    [
        ("clasp-factoring", 500, 100),
        ("lpg-zenotravel", 300, 50),
        ("sat-portfolio", 300, 20),
        ("clasp-quasigroup", 300, 100),
    ],
)
def test_shipped_runs_are_complete(name, instances, seeds):
    data = load_dataset(name)
    assert len(data) >= instances
    counts = data.runs.frame.groupby(["solver", "instance"])["seed"].nunique()
    assert counts.min() >= seeds
    assert len(counts) == len(data) * len(data.solvers)
    assert data.features.notna().all(axis=None)
    assert (data.feature_cost > 0).all()
    for solver in data.solvers:
        assert data.of(solver).seconds.shape[0] == len(data)
    assert {"collect_again", "instances", "solvers", "sessions", "same_seed_again"} <= data.provenance.keys()
    assert data.provenance["same_seed_again"]["runs"] >= 200


# LPG's own start of 0.1 s keeps its factor below the 50 of clasp: docs/collecting.md.
@pytest.mark.parametrize(
    ("name", "factor"), [("clasp-factoring", 50), ("lpg-zenotravel", 30), ("clasp-quasigroup", 50)]
)
def test_shipped_runtimes_spread_over_instances_and_seeds(name, factor):
    data = load_dataset(name)
    medians = data.runs.medians()
    assert medians.max() / medians.min() >= factor
    assert np.median(np.log(data.seconds).std(axis=1)) > 0.2
    # The spread between seeds must be the solver's, not the machine's.
    assert data.provenance["same_seed_again"]["share_of_variance_between_seeds"] < 0.25


def test_no_solver_of_the_portfolio_is_best_everywhere():
    data = load_dataset("sat-portfolio")
    frame = data.runs.frame
    cut_off = (frame["status"] == "timeout").mean()
    assert 0.1 <= cut_off <= 0.3
    penalised = frame["seconds"].where(frame["status"] == "solved", 2 * frame["cutoff"])
    means = penalised.groupby([frame["instance"], frame["solver"]]).mean().unstack()
    solved_by_some = means.min(axis=1) < 2 * frame["cutoff"].max()
    wins = means[solved_by_some].idxmin(axis=1).value_counts(normalize=True)
    assert len(wins) >= 3
    assert wins.min() > 0.05


def test_the_tails_of_backtracking_are_heavy_and_reach_far_beyond_the_medians():
    data = load_dataset("clasp-quasigroup")
    medians = data.runs.medians()
    assert data.runs.frame["cutoff"].unique().tolist() == [1.0]
    assert 50 * medians.median() < 1.0
    assert 0.02 < (~data.finished).mean() < 0.2
    # Restarting pays if the mean of the remaining time grows: for an exponential it is the mean from any time on.
    seconds, median = data.seconds, np.median(data.seconds, axis=1)
    hard = median.argsort()[len(data) // 2 : -30]
    left = [np.maximum(seconds[row] - median[row], 0).sum() / (seconds[row] > median[row]).sum() for row in hard]
    assert np.median(np.array(left) / seconds[hard].mean(axis=1)) > 1.5


def test_an_unknown_data_set_is_reported():
    with pytest.raises(
        SettingError, match="expected one of clasp-factoring, lpg-zenotravel, sat-portfolio, clasp-quasi"
    ):
        load_dataset("nothing")


def test_every_data_set_has_a_folder_and_a_summary():
    folders = {path.parent.name for path in Path(registry.__file__).parent.glob("*/runs.parquet")}
    assert set(DATASETS) == folders == {"clasp-factoring", "lpg-zenotravel", "sat-portfolio", "clasp-quasigroup"}
    assert all(entry.summary for entry in DATASETS.values())
