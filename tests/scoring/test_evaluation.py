from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_data import made_data

from bayes_distnet import Ridge
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.errors import SettingError
from bayes_distnet.scoring.distances import crps
from bayes_distnet.scoring.evaluation import by_familiarity, evaluate
from bayes_distnet.scoring.likelihood import nllh
from bayes_distnet.scoring.registry import SCORES, Score


@pytest.fixture(scope="module")
def data():
    return made_data(n_instances=20, n_runs=5)


@pytest.fixture(scope="module")
def fitted(data):
    return Ridge().fit(data.features, data.seconds)


def test_one_row_per_instance_and_one_column_per_score(fitted, data):
    table = evaluate(fitted, data)
    assert list(table.columns) == ["nllh", "kld", "ks", "mass", "crps", "coverage", "band_coverage", "joint_nllh"]
    assert list(table.index) == list(data.features.index)
    rtd = fitted.predict_distribution(data.features)
    np.testing.assert_allclose(table["nllh"], nllh(rtd, data.seconds))
    chosen = evaluate(fitted, data, ["crps", "nllh_published"])
    assert list(chosen.columns) == ["crps", "nllh_published"]
    np.testing.assert_allclose(chosen["crps"], crps(rtd, data.seconds))


def test_bad_scores_are_refused(fitted, data):
    for bad, message in (
        (["mae"], "no score named 'mae'; expected some of nllh, kld"),
        ("nllh", "expected a list of names"),
        ([], "expected a list of names"),
        (["calibration"], "'calibration' is one number for all instances"),
    ):
        with pytest.raises(SettingError, match=message):
            evaluate(fitted, data, bad)


def test_a_registered_score_is_evaluated(fitted, data):
    toy = Score("longest", "Longest [s]", "The longest run.", "predictions:longest", evaluated=True)
    with SCORES.extended(toy):
        assert evaluate(fitted, data)["longest"].tolist() == data.seconds.max(axis=1).tolist()
    assert "longest" not in evaluate(fitted, data)


def test_scores_of_instances_that_are_not_familiar_are_apart():
    scores = pd.DataFrame({"nllh": [1.0, 2.0, 6.0], "ks": [0.1, np.nan, 0.5]}, index=["a", "b", "c"])
    table = by_familiarity(scores, pd.Series(["familiar", "familiar", "outside"], index=scores.index))
    assert list(table.index) == ["familiar", "outside"]
    assert table.to_dict("list") == {"instances": [2, 1], "nllh": [1.5, 6.0], "ks": [0.1, 0.5]}


@pytest.fixture(scope="module")
def one_run(data):
    """One run per instance with a cutoff, as ASlib has them; two of three finished."""
    frame = data.runs.frame.groupby("instance", sort=False).head(1).reset_index(drop=True)
    limit = float(frame["seconds"].quantile(0.67))
    late = frame["seconds"] > limit
    frame = frame.assign(cutoff=limit, seconds=frame["seconds"].clip(upper=limit))
    return replace(data, runs=RunTable(frame.assign(status=frame["status"].mask(late, "timeout"))))


def test_one_run_per_instance_has_the_scores_that_mean_something(fitted, one_run):
    table = evaluate(fitted, one_run)
    assert list(table.columns) == ["nllh", "crps", "coverage"]
    assert np.isfinite(table).all(axis=None)
    cutoff = one_run.runs.frame["cutoff"].iloc[0]
    assert (table["crps"] <= cutoff).all()
    rtd = fitted.predict_distribution(one_run.features)
    times = np.linspace(0.0, cutoff, 20_001)
    came = one_run.finished & (one_run.seconds <= times)
    area = np.trapezoid((rtd.cdf(np.tile(times, (len(rtd), 1))) - came) ** 2, times, axis=1)
    np.testing.assert_allclose(table["crps"], area, rtol=1e-2, atol=1e-3 * cutoff)


def test_instances_with_one_run_have_no_score_of_several(fitted, data):
    frame = data.runs.frame
    mixed = replace(data, runs=RunTable(frame[(frame["instance"] != frame["instance"][0]) | (frame.index == 0)]))
    table = evaluate(fitted, mixed)
    assert table["ks"].isna().tolist() == [True] + [False] * (len(data) - 1)
    assert table["nllh"].notna().all()


def test_blocks_do_not_change_scores(fitted, data, monkeypatch):
    from bayes_distnet.scoring import evaluation

    whole = evaluate(fitted, data)
    monkeypatch.setattr(evaluation, "ROWS", 7)
    pd.testing.assert_frame_equal(evaluate(fitted, data), whole)
