import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Marginal, Ridge, make_runs
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError
from bayes_distnet.scoring.comparison import compare, summary


def test_compare_returns_a_tidy_table_and_summary_puts_the_better_model_first():
    data = make_runs(n_instances=120, n_runs=6, n_features=4, random_state=0)
    lines = []
    results = compare(
        {"Marginal": Marginal(), "Ridge": Ridge()},
        data.features,
        data.seconds,
        folds=3,
        runs=2,
        cut_off=0.3,
        progress=lines.append,
    )
    assert len(results) == 2 * 3 * 3
    assert results.groupby("score")["model"].nunique().eq(2).all()
    table = summary(results)
    assert table.index[0] == "Ridge"
    assert list(table.columns) == ["nllh", "ks", "crps", "fit_seconds"]
    assert lines[0] == "fold 1: Marginal"


def test_crps_ends_at_the_cutoff_whether_or_not_runs_finished():
    rng = np.random.default_rng(0)
    seconds = np.exp(rng.normal(0.0, 6.0, size=(80, 1)))  # the mean of such a lognormal is e^18
    cutoff = float(np.quantile(seconds, 0.7))
    finished = seconds <= cutoff
    features = rng.normal(size=(80, 2))
    results = compare({"m": Marginal()}, features, np.minimum(seconds, cutoff), finished, folds=2, scores=["crps"])
    # No score on [0, cutoff] exceeds the cutoff; finished runs used to be scored on [0, infinity).
    assert (results["value"] < cutoff).all()


@pytest.mark.parametrize(
    ("setting", "bad"),
    [
        ("folds", 11),
        ("folds", 1),
        ("folds", "a"),
        ("folds", 2.5),
        ("only_folds", 0),
        ("only_folds", -1),
        ("runs", 0),
        ("runs", -1),
        ("cut_off", 1.0),
        ("cut_off", -0.1),
        ("cut_off", np.nan),
        ("cut_off", "a"),
        ("scores", "nllh"),
        ("scores", ["mae"]),
        ("scores", [["nllh"]]),
        ("scores", []),
        ("scores", None),
        ("random_state", -1),
        ("models", {}),
        ("models", [Marginal()]),
        ("models", {"Marginal": Marginal}),
        ("models", {"Marginal": "marginal"}),
    ],
)
def test_bad_settings_are_named(setting, bad):
    data = make_runs(n_instances=10, n_runs=1, random_state=0)
    settings = {"models": {"Marginal": Marginal()}, "features": data.features, "seconds": data.seconds}
    with pytest.raises(SettingError, match=setting):
        compare(**(settings | {setting: bad}))


def test_tables_must_fit_together():
    data, models = make_runs(n_instances=10, n_runs=2, random_state=0), {"Marginal": Marginal()}
    with pytest.raises(RuntimeDataError, match="features has 9 rows, but seconds has 10"):
        compare(models, data.features.iloc[:9], data.seconds)
    with pytest.raises(RuntimeDataError, match=r"shape \(10, 2, 1\)"):
        compare(models, data.features, data.seconds[..., None])
    for bad in ("a", data.features.to_numpy()[:, 0], [[1.0], [2.0, 3.0]]):
        with pytest.raises(FeatureError, match="features"):
            compare(models, bad, data.seconds)


def test_a_fold_without_runs_is_an_error_before_anything_is_fitted():
    data, lines = make_runs(n_instances=4, n_runs=2, random_state=0), []
    seconds = data.seconds.copy()
    seconds[2] = np.nan
    with pytest.raises(RuntimeDataError, match="none of its 1 test instances has a run"):
        compare({"Marginal": Marginal()}, data.features, seconds, folds=4, progress=lines.append)
    assert lines == []
    # Beside others, an instance without runs does no harm.
    assert compare({"Marginal": Marginal()}, data.features, seconds, folds=2)["value"].notna().all()


def test_a_summary_needs_results():
    columns = ["model", "fold", "score", "value", "instances", "fit_seconds", "predict_seconds"]
    for bad in (pd.DataFrame(), pd.DataFrame(columns=columns), [], pd.DataFrame({"a": [1]})):
        with pytest.raises(SettingError, match="compare"):
            summary(bad)
