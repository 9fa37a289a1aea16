import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bayes_distnet.experiments.jobs import Condition, Job, split_data
from bayes_distnet.experiments.registry import EXPERIMENTS


def job(runs=1, cutoffs="none", censored=0.0, *, preset=None, fold=0, seed=0, own_folds=False):
    entry = EXPERIMENTS["low-samples"]
    condition = Condition(runs, cutoffs, censored)
    return Job("ridge", "Ridge", "", condition, fold, seed, 4, own_folds, preset, entry.kind, entry.source)


def test_a_new_folder_of_the_same_name_with_other_data_is_read_anew(data, run, tmp_path):
    call = {"models": ["marginal"], "only_folds": None, "runs": 1, "families": "lognormal"}
    first = run(**call).table["instances"].sum()
    shutil.rmtree(tmp_path / "r")
    second = run(data=data.select(data.features.index[:20]), **call)
    assert second.table["instances"].sum() == first / 2


def test_a_split_has_the_runs_of_its_condition(data):
    split = split_data(job(runs=4, cutoffs="random", censored=0.4), data)
    assert split.train.seconds.shape == (30, 4)
    assert split.train.finished.mean() == pytest.approx(0.6, abs=0.02)
    assert split.test.seconds.shape == (10, 10)
    assert split.test.finished.all()
    assert not set(split.train_rows) & set(split.test_rows)
    assert split.scale == split_data(job(runs=4), data).train.seconds.max()


def test_seeds_take_the_repetitions_of_published_folds_in_turn(data):
    row = np.arange(len(data))
    folds = pd.DataFrame({1: row % 4 + 1, 2: row // 10 + 1}, index=data.features.index, dtype="Int64")
    data = replace(data, folds=folds)
    for seed, first in ((0, row % 4 == 1), (1, row // 10 == 1), (2, row % 4 == 1)):
        split = split_data(job(fold=1, seed=seed, own_folds=True), data)
        assert split.test_rows.tolist() == np.flatnonzero(first).tolist()
        assert split.train_rows.tolist() == np.flatnonzero(~first).tolist()


def test_the_published_split_does_not_cut_off_runs_of_the_last_fifth(data):
    split = split_data(job(runs=4, cutoffs="global", censored=0.8, preset="paper"), data)
    assert split.train.finished[24:].all()
    assert np.mean(split.train.finished[:24]) < 0.3
