"""Bounded: any model with bounds, from the runs to a folder and back."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from bayes_distnet import KNearest, Marginal, Ridge, RuntimePipeline, load_model, make_runs, predictions, runtimes
from bayes_distnet.errors import ModelFileError, RuntimeDataError, SettingError
from bayes_distnet.models import Bounded
from bayes_distnet.models.bounds.calibrate import calibrate
from bayes_distnet.models.library import train
from bayes_distnet.models.table_model import TableModel


def linear(rng, n, runs=1):
    """Runs whose log time is far from what the models below learn: heavy tails, spread that grows with a feature."""
    x = rng.uniform(size=(n, 2))
    noise = rng.standard_t(2, size=(n, runs)) * (0.2 + 2 * x[:, :1])
    return x, np.exp(np.clip(2 * x[:, 1:] + noise, -20, 20))


def coverage(make_cutoff, repeats=150, n=60, level=0.8, runs=1, **settings):
    """Fractions of new runs that bounds hold for, and of bounds that are finite."""
    lower, upper, finite = [], [], []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        x, times = linear(rng, n + 100, runs)
        cutoff = make_cutoff(rng, x)
        seen = np.minimum(times, cutoff)[:n]
        model = Bounded(Marginal(), level, 0.5, random_state=seed, **settings)
        model.fit(x[:n], seen, (times <= cutoff)[:n], cutoff=np.broadcast_to(cutoff, times.shape)[:n])
        given = {"cutoff": cutoff[n:, 0]} if settings.get("cutoffs") == "features" else {}
        low, high, new = model.lower(x[n:], **given), model.upper(x[n:], **given), times[n:, 0]
        lower.append((new >= low).mean())
        upper.append((new <= high).mean())
        finite.append(np.isfinite(high).mean())
    return np.mean(lower), np.mean(upper), np.mean(finite)


def test_runs_without_a_cutoff_are_covered():
    lower, upper, finite = coverage(lambda rng, x: np.full((len(x), 1), np.inf))
    assert lower == pytest.approx(25 / 31, abs=0.02)  # 30 calibration runs: the 25th of 31 ranks
    assert upper == pytest.approx(25 / 31, abs=0.02)
    assert finite == 1.0


def test_a_cutoff_that_is_a_function_of_the_features_is_covered():
    def kappa(rng, x):
        return 3.0 + 12 * x[:, :1]

    lower, upper, finite = coverage(kappa, cutoffs="features")
    assert lower >= 0.79
    assert upper >= 0.79
    assert 0.1 < finite < 0.95


def test_several_runs_per_instance_are_covered():
    lower, upper, _ = coverage(lambda rng, x: np.full((len(x), 1), 30.0), runs=4)
    assert lower >= 0.79
    assert upper >= 0.79


def test_random_cutoffs_are_covered():
    lower, upper, finite = coverage(
        lambda rng, x: np.exp(rng.normal(3.0, 1.0, size=(len(x), 2))), runs=2, cutoffs="random", n=80
    )
    assert lower >= 0.79
    assert upper >= 0.79
    assert finite > 0.5


def test_calibration_instances_are_kept_from_the_model_whole(runs):
    model = Bounded(Ridge(), calibration_size=0.25).fit(runs.features, runs.seconds, runs.finished)
    assert model.model_.training_runs_.instances == 30
    assert model.bounds_.n_instances == 10
    assert len(model.bounds_.hazards) == 30
    rows = np.repeat(np.arange(40), 3)
    flat = clone(model).fit(runs.features.iloc[rows], runs.seconds.ravel(), runs.finished.ravel())
    assert flat.bounds_.n_instances == 10
    np.testing.assert_allclose(flat.lower(runs.features), model.lower(runs.features))
    target = clone(model).fit(runs.features, runtimes(runs.seconds, runs.finished))
    np.testing.assert_array_equal(target.lower(runs.features), model.lower(runs.features))


def test_a_fitted_model_is_calibrated_by_itself_and_an_interval_splits_the_rest(runs):
    fitted = Marginal().fit(runs.features, runs.seconds, runs.finished)
    model = Bounded(fitted, level=0.5).calibrate(runs.features, runs.seconds, runs.finished)
    assert model.model_ is fitted
    low, high = model.interval(runs.features)
    np.testing.assert_array_equal(low, model.lower(runs.features, level=0.75))
    np.testing.assert_array_equal(high, model.upper(runs.features, level=0.75))
    with pytest.raises(NotFittedError):
        Bounded(Marginal()).calibrate(runs.features, runs.seconds, runs.finished)
    with pytest.raises(NotFittedError):
        Bounded(Marginal()).lower(runs.features)


def test_settings_that_cannot_be_are_refused(runs):
    for settings, words in (
        ({"level": 1.0}, "level=1.0"),
        ({"calibration_size": 1}, "calibration_size=1"),
        ({"cutoffs": "adaptive"}, "no bound holds"),
    ):
        with pytest.raises(SettingError, match=words):
            Bounded(Ridge(), **settings).fit(runs.features, runs.seconds, runs.finished)
    with pytest.raises(SettingError, match=r"cutoff has shape \(7,\)"):
        calibrate(Ridge(), runs.features, runs.seconds, runs.finished, cutoff=np.ones(7))
    with pytest.raises(RuntimeDataError, match="groups only goes with a vector y"):
        Bounded(Ridge()).fit(runs.features, runs.seconds, runs.finished, groups=np.arange(40))


@pytest.mark.parametrize(
    "inner",
    [
        KNearest(),
        RuntimePipeline([("scale", StandardScaler()), ("model", Ridge())]),
        TableModel(Ridge()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_bounds_are_saved_and_loaded_with_any_model(runs, tmp_path, inner):
    model = Bounded(inner, level=0.6).fit(runs.features, runs.seconds, runs.finished)
    model.save(tmp_path / "m")
    again = Bounded.load(tmp_path / "m")
    assert again.level == 0.6
    np.testing.assert_allclose(again.lower(runs.features), model.lower(runs.features), rtol=1e-9)
    table = predictions(load_model(tmp_path / "m"), runs.features, bounds=0.6)
    np.testing.assert_allclose(table["lower"], model.lower(runs.features), rtol=1e-9)
    np.testing.assert_allclose(table["upper"], model.upper(runs.features), rtol=1e-9)


def test_files_that_are_damaged_or_of_another_model_are_recognised(runs, tmp_path):
    Bounded(Ridge()).fit(runs.features, runs.seconds, runs.finished).save(tmp_path)
    about = json.loads((tmp_path / "bounds.json").read_text())
    (tmp_path / "bounds.json").write_text(json.dumps({**about, "cutoff": -1.0}))
    with pytest.raises(ModelFileError, match="not the bounds of this model"):
        load_model(tmp_path)
    (tmp_path / "bounds.json").write_text(json.dumps(about))
    payload = (tmp_path / "bounds.safetensors").read_bytes()
    (tmp_path / "bounds.safetensors").write_bytes(payload[:-1])
    with pytest.raises(ModelFileError, match="the checksum differs"):
        load_model(tmp_path)
    Marginal().fit(runs.features, runs.seconds, runs.finished).save(tmp_path)
    with pytest.raises(SettingError, match="this model has no calibration set"):
        predictions(load_model(tmp_path), runs.features, bounds=0.9)


def test_training_keeps_instances_for_bounds_apart_from_those_held_out(tmp_path):
    data = make_runs(n_instances=50, n_runs=2, n_features=4, random_state=0).cut_off(0.3)
    model = train(data, "ridge", holdout=0.2, bounds=0.25, out=tmp_path / "m")
    record = load_model(tmp_path / "m").training_record_
    assert (record.instances, record.calibration, record.held_out) == (30, 10, 10)
    assert model.bounds_.cutoff == pytest.approx(data.runs.frame["cutoff"].max())
    held_out = data.split(0.2, random_state=0)[1].features.index
    assert not set(map(str, held_out)) & set(record.names)
    refitted = model.fit(data.features, data.seconds, data.finished)
    with pytest.raises(SettingError, match="this model has no calibration set"):
        predictions(refitted, data.features, bounds=0.9)


def test_groups_of_a_data_set_take_the_place_of_instances():
    data = make_runs(n_instances=40, n_runs=1, n_features=4, random_state=0)
    groups = pd.Series(np.repeat(list("abcdefghij"), 4), index=data.features.index)
    model = train(type(data)(data.runs, data.features, groups=groups), "ridge", bounds=0.3)
    assert model.bounds_.n_instances == 3
    assert len(model.bounds_.hazards) == 12


def test_bounds_are_refused_beside_time_already_spent(runs):
    model = train(make_runs(n_instances=40, n_runs=2, n_features=4, random_state=0), "ridge", bounds=0.3)
    x = make_runs(n_instances=5, n_runs=1, n_features=4, random_state=1).features
    with pytest.raises(SettingError, match="leave out elapsed and seen"):
        predictions(model, x, bounds=0.9, elapsed=3.0)
    assert list(predictions(model, x, columns=["median", "bounds", "familiar"])) == [
        *("median", "lower", "upper", "familiar")
    ]
    assert list(predictions(model, x, columns=["median"], bounds=0.5)) == ["median", "lower", "upper"]
