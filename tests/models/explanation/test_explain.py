import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayes_distnet import KNearest, Marginal, RandomForest, Ridge, RuntimePipeline, load_model
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models import Bounded, RuntimeEstimator
from bayes_distnet.models.table_model import TableModel

WEIGHTS = np.array([1.0, -2.0, 0.5, 0.0])


class LogLinear(RuntimeEstimator):
    """Log median and log spread are linear in the features, and 0.36 of the variance is ignorance."""

    def _fit(self, features, observations): ...

    def _predict(self, features):
        x = np.nan_to_num(features)
        marginal = RuntimeDistribution(LogNormal((x @ WEIGHTS)[:, None], np.exp(0.3 * x[:, :1])))
        return InstanceRuntimes(marginal, InstanceEffect.of(0.36, len(x)))

    def _to_arrays(self): ...

    def _from_arrays(self, arrays): ...


@pytest.fixture(scope="module")
def linear():
    x = np.random.default_rng(0).normal(size=(50, 4))
    return LogLinear().fit(pd.DataFrame(x, columns=list("abcd")), np.exp(x @ WEIGHTS))


def rows(n=3, columns=4, seed=1):
    x = np.random.default_rng(seed).normal(size=(n, columns))
    return pd.DataFrame(x, columns=list("abcdefgh")[:columns], index=[f"i{k}" for k in range(n)])


def test_a_linear_model_has_its_terms_as_contributions(linear):
    x, background = rows(), rows(20, seed=2)
    why = linear.explain(x, background, groups="each", quantities=["median"])
    np.testing.assert_allclose(why.contributions[:, :, 0], WEIGHTS * (x - background.mean()), atol=1e-8)


def test_contributions_add_up_for_every_quantity(linear):
    why = linear.explain(rows(), groups="each")
    assert why.quantities == ("median", "ignorance", "luck")
    np.testing.assert_allclose(why.contributions.sum(axis=1), why.predicted - why.base, atol=1e-9)


def test_ignorance_and_luck_are_the_parts_of_the_spread(linear):
    x = rows()
    why = linear.explain(x, groups="each", quantities=["ignorance", "luck", "spread"])
    spread = 2 * 1.6448536 * np.exp(0.3 * x["a"].to_numpy())
    np.testing.assert_allclose(why.predicted, np.outer(spread, [0.6, 0.8, 1.0]), rtol=1e-6)
    np.testing.assert_allclose(why.contributions[:, 1:], 0.0, atol=1e-8)  # only the first feature widens predictions


def test_a_feature_that_the_model_ignores_gets_nothing(linear):
    why = linear.explain(rows(), groups="each")
    np.testing.assert_allclose(why.contributions[:, 3], 0.0, atol=1e-9)
    np.testing.assert_allclose(why.errors[:, 3], 0.0, atol=1e-9)


def test_features_that_are_the_same_share_the_credit():
    class Product(LogLinear):
        def _predict(self, features):
            return RuntimeDistribution(LogNormal((features[:, 0] * features[:, 1])[:, None], 1.0))

    x = np.random.default_rng(0).normal(size=(40, 2))
    x[:, 1] = x[:, 0]
    model = Product().fit(x, np.exp(x[:, 0]))
    apart = model.explain(x[:3], groups="each").contributions[..., 0]
    np.testing.assert_allclose(apart[:, 0], apart[:, 1], atol=1e-9)
    together = model.explain(x[:3])  # they correlate
    assert list(together.groups.values()) == [("feature 0", "feature 1")]
    np.testing.assert_allclose(together.contributions[:, 0, 0], apart.sum(axis=1), atol=1e-9)


def test_a_constant_model_explains_nothing():
    x = rows(30)
    why = Marginal().fit(x, np.exp(x["a"])).explain(x[:4])
    np.testing.assert_allclose(why.contributions, 0.0, atol=1e-12)
    assert why.quantities == ("median", "spread")


def test_missing_values_are_values_like_others():
    x = rows(60)
    x.loc[x.index[::3], "a"] = np.nan
    model = RandomForest(random_state=0).fit(x, np.where(x["a"].isna(), 100.0, 1.0))
    why = model.explain(x[:2], groups="each", quantities=["median"])
    assert why.contributions[0, 0, 0] > 1.0 > 0.0 > why.contributions[1, 0, 0]
    assert np.isfinite(why.contributions).all()
    assert why.table(0).loc["a", "value"] == "missing"


def test_one_background_row_is_a_comparison_of_two_instances(linear):
    x = rows()
    why = linear.explain(x[:1], background=x[1:2], groups="each", quantities=["median"])
    assert why.n_background == 1
    np.testing.assert_allclose(why.contributions[0, :, 0], WEIGHTS * (x.iloc[0] - x.iloc[1]), atol=1e-8)
    same = linear.explain(x[:1], background=x[:1])
    np.testing.assert_allclose(same.contributions, 0.0)


def test_an_explanation_does_not_depend_on_other_rows(linear):
    x = rows()
    np.testing.assert_array_equal(linear.explain(x).contributions[1], linear.explain(x[1:2]).contributions[0])


def test_a_saved_model_explains_as_before(tmp_path):
    x = rows(90)
    model = RandomForest(random_state=0, n_estimators=10).fit(x, np.exp(x["a"]))
    assert len(model.background_) == 64
    model.save(tmp_path)
    before, after = model.explain(x[:2]), load_model(tmp_path).explain(x[:2])
    np.testing.assert_array_equal(before.contributions, after.contributions)
    model.background_ = None  # a model that is handed on without training rows
    model.save(tmp_path)
    with pytest.raises(SettingError, match="holds no background instances"):
        load_model(tmp_path).explain(x[:2])


def test_the_background_stands_for_all_training_instances():
    x = rows(500)
    model = Ridge().fit(x, np.exp(2 * x["a"]))
    assert model.background_[:, 0].mean() == pytest.approx(x["a"].mean(), abs=0.05)
    assert (np.diff(model.background_[:, 0]) > 0).all()  # from the fastest to the slowest


MIXED = pd.DataFrame({"queue": ["fast", "slow", "fast", "odd"] * 15, "size": np.arange(60.0) % 7})
TIMES = np.where(MIXED["queue"] == "slow", 50.0, 1.0) * (1 + MIXED["size"])


def test_a_table_is_explained_by_its_columns(tmp_path):
    model = TableModel(KNearest()).fit(MIXED, TIMES)
    model.save(tmp_path)
    for one in (model, load_model(tmp_path)):
        why = one.explain(MIXED[1:2])
        assert list(why.groups) == ["queue", "size"]
        assert why.table(0).index[0] == "queue"
        assert why.table(0)["value"].tolist() == ["slow", "1"]
        np.testing.assert_allclose(why.contributions.sum(axis=1), why.predicted - why.base, atol=1e-9)
        # The raw value of a background row replaces all columns that it becomes.
        other = one.explain(MIXED[1:2], background=MIXED[4:5], quantities=["median"])
        gap = np.log(one.predict(MIXED[1:2]) / one.predict(MIXED[4:5]))
        np.testing.assert_allclose(other.contributions.sum(), gap)


def test_a_pipeline_is_explained_by_its_raw_features(tmp_path):
    encoded = make_column_transformer((OneHotEncoder(), ["queue"]), (StandardScaler(), ["size"]))
    model = RuntimePipeline(make_pipeline(encoded, KNearest()).steps).fit(MIXED, TIMES)
    model.save(tmp_path)
    again = RuntimePipeline.load(tmp_path)
    assert len(model.background_) == 21  # different rows
    pd.testing.assert_frame_equal(again.background_, model.background_)
    why = again.explain(MIXED[1:2])
    assert list(why.groups) == ["queue", "size"]
    np.testing.assert_array_equal(why.contributions, model.explain(MIXED[1:2]).contributions)
    np.testing.assert_allclose(why.contributions.sum(axis=1), why.predicted - why.base, atol=1e-9)


def test_a_bounded_model_explains_as_the_model_inside(linear):
    x = rows(40)
    model = Bounded(LogLinear()).fit(x, np.exp(x["a"]))
    np.testing.assert_array_equal(model.explain(x[:2]).contributions, model.model_.explain(x[:2]).contributions)
    assert model.trust(x[:2]).equals(model.model_.trust(x[:2]))


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"groups": {"g": ["nobody"]}}, FeatureError, "no feature named 'nobody'"),
        ({"groups": {"g": ["a"], "h": ["a"]}}, FeatureError, "'a' is in 'g' and in 'h'"),
        ({"groups": {"g": "a"}}, SettingError, "expected a list of features"),
        ({"groups": "all"}, SettingError, "expected 'correlated', 'each', 'computed'"),
        ({"groups": "computed"}, SettingError, "no features that this package computes in groups"),
        ({"quantities": ["mean"]}, SettingError, "no quantity named 'mean'"),
        ({"quantities": "median"}, SettingError, "expected a list of names"),
        ({"n_orders": 0}, SettingError, "n_orders"),
        ({"background": pd.DataFrame({"a": [1.0]})}, FeatureError, "^background: .* missing: - b - c - d$"),
    ],
)
def test_settings_that_cannot_be_used_are_named(linear, settings, error, message):
    with pytest.raises(error, match=message) as caught:
        linear.explain(rows(), **settings)
    assert "\n" not in str(caught.value)


def test_a_model_without_the_split_has_no_ignorance():
    x = rows(30)
    model = Ridge().fit(x, np.exp(x["a"]))
    with pytest.raises(SettingError, match="cannot separate ignorance from luck"):
        model.explain(x[:1], quantities=["ignorance"])


def test_tables_of_an_explanation(linear):
    why = linear.explain(rows(), groups={"first": ["a", "b"]})
    assert list(why.groups) == ["first", "c", "d"]
    table = why.table(1, top=2)
    assert list(table.columns[:3]) == ["value", "median", "median_error"]
    assert abs(table["median"].iloc[0]) >= abs(table["median"].iloc[1])
    frame = why.frame()
    assert len(frame) == 3 * 3 * 3
    sums = frame[frame["quantity"] == "median"].groupby("instance", sort=False)["contribution"].sum()
    np.testing.assert_allclose(sums, why.predicted[:, 0] - why.base[0])
    assert why.average()["median"].is_monotonic_decreasing
    assert "times the" in why.sentence(0)
    assert "first" in why._repr_html_()
    with pytest.raises(SettingError, match="row"):
        why.table(7)


def test_plots_name_every_step(linear):
    plt = pytest.importorskip("matplotlib.pyplot")
    why = linear.explain(rows(), groups="each")
    ax = why.plot(0, top=2)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0] == "average of 32 instances"
    assert names[-2:] == ["2 others", "this instance"]
    assert len(why.figure(1).axes) == 3
    plt.close("all")


def test_factors_for_readers_multiply_to_the_prediction(linear):
    why = linear.explain(rows(), groups="each")
    text = why.as_text(0, top=2)
    assert list(text.index)[-1] == "2 others"
    factors = [float(cell.split()[1]) for cell in text["median"]]
    assert np.prod(factors) == pytest.approx(np.exp(why.predicted[0, 0] - why.base[0]), rel=0.02)
    assert "others" not in " ".join(why.as_text(0, top=4).index)
