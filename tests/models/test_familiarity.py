import numpy as np
import pandas as pd
import pytest

from bayes_distnet import BayesDistNet, HybridDistNet, Marginal, Ridge, load_dataset, make_runs
from bayes_distnet.errors import FeatureError, ModelFileError
from bayes_distnet.models.familiarity import OUTSIDE, TrainingRange, unfamiliar_note, verdicts
from bayes_distnet.models.saving import read_model, write_model


def verdict(trained, row):
    return verdicts(trained.distance(np.atleast_2d(np.asarray(row, dtype=float))))[0]


@pytest.fixture(scope="module")
def many():
    """Ranges of 130 features of 400 instances, from 0 to 1."""
    return TrainingRange.fit(np.random.default_rng(0).uniform(size=(400, 130)))


def test_one_extreme_feature_among_many_is_outside(many):
    row = np.full(130, 0.5)
    assert verdict(many, row) == "familiar"
    row[70] = 3000.0
    assert verdict(many, row) == "outside"
    row[70] = -2.0
    assert verdict(many, row) == "unusual"


def test_many_features_that_are_a_little_out_add_up(many):
    row = np.full(130, 0.5)
    row[:5] = 1.1
    assert verdict(many, row) == "familiar"
    row[:] = 1.1
    assert verdict(many, row) == "unusual"
    row[:] = 1.4
    assert verdict(many, row) == "outside"


def test_the_edge_is_the_range_widened_by_the_tolerance(many):
    assert many.tolerance == 0.5
    row = np.full(130, 0.5)
    row[3] = 1.499
    assert many.distance(row[None])[0] == pytest.approx(1.0, abs=0.01)


def test_values_that_were_never_missing_count_in_proportion(many):
    found = {}
    for count in (1, 4, 40, 130):
        row = np.full(130, 0.5)
        row[:count] = np.nan
        found[count] = verdict(many, row)
    assert found == {1: "familiar", 4: "unusual", 40: "outside", 130: "outside"}


def test_values_that_are_sometimes_missing_are_familiar():
    x = np.random.default_rng(0).uniform(size=(100, 3))
    x[::10, 1] = np.nan
    trained = TrainingRange.fit(x)
    assert verdict(trained, [0.5, np.nan, 0.5]) == "familiar"
    assert verdict(trained, [np.nan, 0.5, 0.5]) == "outside"  # one of three features, which always was there


def test_constant_features_that_change():
    x = np.random.default_rng(0).uniform(size=(100, 4))
    x[:, 1], x[:, 2], x[:, 3] = 0.0, 8.0, np.nan
    trained = TrainingRange.fit(x)
    assert verdict(trained, [0.5, 0.0, 8.0, np.nan]) == "familiar"
    assert verdict(trained, [0.5, 0.0, 8.1, np.nan]) == "familiar"  # by 1 % of its magnitude
    assert verdict(trained, [0.5, 0.0, 8.0 * 3000, np.nan]) == "outside"
    assert verdict(trained, [0.5, 1e-3, 8.0, np.nan]) == "unusual"  # no unit: any other value counts the same
    assert verdict(trained, [0.5, 1e9, 8.0, np.nan]) == "unusual"
    assert verdict(trained, [0.5, 0.0, 8.0, 1.0]) == "unusual"


@pytest.mark.parametrize("n", [1, 2, 10])
def test_few_instances(n):
    x = np.random.default_rng(0).normal(size=(n, 30))
    trained = TrainingRange.fit(x)
    assert all(word == "familiar" for word in verdicts(trained.distance(x)))
    assert verdict(trained, np.where(np.arange(30) == 4, 3000.0 * np.abs(x).max(), x[0])) == "outside"


def test_ten_instances_leave_a_new_one_familiar_as_a_rule():
    rng = np.random.default_rng(1)
    strange = [
        np.mean(TrainingRange.fit(x[:10]).distance(x[10:]) > 1) for x in (rng.normal(size=(60, 30)) for _ in range(20))
    ]
    assert np.mean(strange) < 0.15  # 1 / 11 if the largest of ten is the tolerance


def test_one_feature_of_any_magnitude():
    for scale in (1e-300, 1.0, 1e307):
        trained = TrainingRange.fit(scale * np.linspace(-1.0, 1.0, 50)[:, None])
        assert verdict(trained, [0.9 * scale]) == "familiar"
        assert verdict(trained, [3.5 * scale]) == "unusual"
        assert verdict(trained, [16.0 * scale]) == "outside"


def test_the_training_instances_set_the_tolerance():
    heavy = np.exp(3 * np.random.default_rng(0).standard_normal((300, 5)))
    trained = TrainingRange.fit(heavy)
    assert trained.tolerance >= 0.5
    new = np.exp(3 * np.random.default_rng(1).standard_normal((3000, 5)))
    assert np.mean(trained.distance(new) > 1) < 0.04
    assert np.mean(trained.distance(new) > OUTSIDE) < 0.01


@pytest.mark.parametrize("name", ["clasp-factoring", "lpg-zenotravel", "sat-portfolio"])
def test_unseen_instances_of_the_same_kind_are_familiar(name):
    x = load_dataset(name).features.to_numpy(dtype=float)
    fold = np.random.default_rng(0).permutation(np.arange(len(x)) % 10)
    distance = np.concatenate([TrainingRange.fit(x[fold != k]).distance(x[fold == k]) for k in range(10)])
    assert np.mean(distance > 1) < 0.04
    assert np.mean(distance > OUTSIDE) < 0.005


def test_instances_of_another_kind_are_not():
    features = load_dataset("sat-portfolio").features
    clauses_of_two, units = features["structure.cls2"], features["structure.cls1"]
    kinds = {"random": clauses_of_two == 0, "factoring": units >= 15}
    for kind in kinds.values():
        trained = TrainingRange.fit(features[~kind].to_numpy(dtype=float))
        assert (trained.distance(features[kind].to_numpy(dtype=float)) > 1).all()


# -- of models ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=60, n_runs=3, n_features=12, random_state=0)


@pytest.fixture(scope="module")
def rows(data):
    """Three rows: as trained, one feature far out, the same and one missing."""
    rows = data.features.iloc[[0, 0, 0]].set_axis(["a", "b", "c"], axis=0)
    rows.iloc[1:, 4] = 3000 * data.features.iloc[:, 4].abs().max()
    rows.iloc[2, 7] = np.nan
    return rows


@pytest.mark.parametrize("kind", [Ridge, Marginal])
def test_every_model_compares_rows_with_its_training_data(kind, data, rows, tmp_path):
    model = kind().fit(data.features, data.seconds)
    table = model.familiarity(rows)
    assert list(table.columns) == ["verdict", "distance", "n_out_of_range", "out_of_range", "farthest"]
    assert list(table.index) == ["a", "b", "c"]
    assert list(table["verdict"]) == ["familiar", "outside", "outside"]
    far, gone = data.features.columns[[4, 7]]
    assert list(table["out_of_range"]) == [(), (far,), (far, gone)]
    assert list(table["n_out_of_range"]) == [0, 1, 2]
    low, high = data.features[far].min(), data.features[far].max()
    assert table["farthest"].iloc[1] == f"{far} {rows[far].iloc[1]:.4g} (trained: {low:.4g} to {high:.4g})"
    assert table["farthest"].iloc[2].endswith(f"{gone} missing (never in training)")
    model.save(tmp_path / "m")
    pd.testing.assert_frame_equal(kind.load(tmp_path / "m").familiarity(rows), table)


def test_features_without_names_are_numbered(data, rows):
    model = Ridge().fit(data.features.to_numpy(), data.seconds)
    table = model.familiarity(rows.to_numpy())
    assert table["out_of_range"].iloc[1] == ("feature 4",)
    assert list(table.index) == [0, 1, 2]
    with pytest.raises(FeatureError):
        model.familiarity(rows.to_numpy()[:, :3])


def test_the_note_names_the_features(data, rows):
    table = Ridge().fit(data.features, data.seconds).familiarity(rows)
    far, gone = data.features.columns[[4, 7]]
    assert unfamiliar_note(table) == (
        f"2 of 3 instances are not familiar (0 unusual, 2 outside the training data). Most often out of range: "
        f"{far} (2), {gone} (1)."
    )
    assert unfamiliar_note(table.iloc[:1]) is None


@pytest.mark.parametrize(
    ("name", "changed"),
    [("low", np.full(12, 1e9)), ("high", np.full(12, np.inf)), ("missing", np.zeros(3, bool)), ("tolerance", [0.0])],
)
def test_a_changed_range_in_a_saved_model_is_named(name, changed, data, tmp_path):
    Ridge().fit(data.features, data.seconds).save(tmp_path)
    saved = read_model(tmp_path, "Ridge")
    arrays = saved.arrays | {f"training_range.{name}": np.asarray(changed)}
    header = {"parameters": saved.parameters, "n_features": 12, "feature_names": saved.feature_names}
    write_model(tmp_path, "Ridge", **header, arrays=arrays)
    with pytest.raises(ModelFileError, match=r"do not form a model .*training range"):
        Ridge.load(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("model", [BayesDistNet(max_iter=200), HybridDistNet(max_iter=200)], ids=["bayes", "hybrid"])
def test_far_outside_a_prediction_goes_to_the_overall_distribution(model):
    data = make_runs(n_instances=200, n_runs=4, n_features=40, random_state=0)
    model.fit(data.features, data.seconds)
    top, low = data.features.abs().max(), data.features.min()
    usual = data.features.iloc[[0]]
    extreme = pd.concat(
        [
            usual.assign(**{data.features.columns[0]: 3000 * top.iloc[0]}),
            usual.assign(**{name: 3000 * top[name] for name in data.features.columns[:5]}),
            usual * 0 + 3000 * top,
            usual * 0 + low - 100 * (top - low),
            usual * np.nan,
        ]
    )
    assert (model.familiarity(extreme)["verdict"] == "outside").all()
    rtd, near = model.predict_distribution(extreme), model.predict_distribution(usual)
    spread = np.log(data.seconds).std()
    np.testing.assert_allclose(np.log(rtd.median()), np.log(np.median(data.seconds)), atol=0.5 * spread)
    assert (rtd.unsure_share() > np.array([0.9, 0.9, 0.9, 0.9, 0.8])).all()
    bottom, ceiling = rtd.band(0.9)
    assert (np.log(ceiling / bottom) > 4 * spread).all()
    assert near.unsure_share()[0] < 0.6
