import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Dataset, Marginal, Ridge, RunTable
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError
from bayes_distnet.models import RuntimeEstimator
from bayes_distnet.models.table_model import TableModel
from bayes_distnet.scoring import importance, scores


class Known(RuntimeEstimator):
    """The median is exp(2 a), whatever it was fitted to."""

    def _fit(self, features, observations): ...

    def _predict(self, features):
        return RuntimeDistribution(LogNormal(2.0 * features[:, :1], 1.0))

    def _to_arrays(self): ...

    def _from_arrays(self, arrays): ...


def dataset(n=300, runs=2, cutoff=np.inf, seed=0):
    rng = np.random.default_rng(seed)
    x = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"], index=[f"i{k}" for k in range(n)])
    seconds = np.exp(2.0 * x[["a"]].to_numpy() + rng.normal(size=(n, runs)))
    frame = pd.DataFrame({"instance": np.repeat(x.index, runs), "seed": np.tile(np.arange(runs), n)})
    times = seconds.ravel()
    frame = frame.assign(
        solver="s",
        seconds=np.minimum(times, cutoff),
        cutoff=cutoff,
        status=np.where(times < cutoff, "solved", "timeout"),
    )
    return Dataset(RunTable(frame), x)


@pytest.fixture(scope="module")
def data():
    return dataset()


@pytest.fixture(scope="module")
def known(data):
    return Known().fit(data.features, data.seconds)


def test_the_increase_is_that_of_a_known_model(known, data):
    found = importance(known, data, groups="each", repeats=10)
    # E[(y - 2 a')^2 - (y - 2 a)^2] / 2 = 4 Var(a) for another a' of the same variance
    row = found.table.loc["a"]
    assert row["increase"] == pytest.approx(4.0, abs=3 * row["error"])
    assert 0.1 < row["error"] < 0.6
    assert found.table.index[0] == "a"
    assert found.nllh == pytest.approx(scores.nllh(known.predict_distribution(data.features), data.seconds).mean())


def test_features_that_the_model_ignores_do_not_matter(known, data):
    table = importance(known, data, groups="each").table
    np.testing.assert_allclose(table.loc[["b", "c"], ["increase", "error"]], 0.0, atol=1e-12)
    constant = importance(Marginal().fit(data.features, data.seconds), data)
    np.testing.assert_allclose(constant.table["increase"], 0.0, atol=1e-12)


def test_the_error_is_that_of_other_instances(known):
    found = [importance(known, dataset(60, seed=seed), groups="each", repeats=3).table.loc["a"] for seed in range(40)]
    actual = np.std([one["increase"] for one in found])
    assert np.mean([one["error"] for one in found]) == pytest.approx(actual, rel=0.35)


def test_copies_of_a_feature_matter_only_together():
    class Sum(Known):
        def _predict(self, features):
            return RuntimeDistribution(LogNormal((features[:, 0] + features[:, 3])[:, None], 1.0))

    made = dataset()
    twice = Dataset(made.runs, made.features.assign(copy=made.features["a"]))
    model = Sum().fit(twice.features, twice.seconds)
    apart = importance(model, twice, groups="each").table["increase"]
    together = importance(model, twice)
    assert together.table.index[0] == "a (+1)"
    assert together.groups["a (+1)"] == ("a", "copy")
    assert together.table["increase"].iloc[0] > 1.5 * (apart["a"] + apart["copy"])  # 4 against 1 + 1


def test_runs_that_were_cut_off_count_by_survival(known):
    cut = dataset(cutoff=1.0)
    found = importance(known, cut, groups="each")
    assert (~cut.finished).mean() > 0.3
    assert 0.3 < found.table.loc["a", "increase"] < 4.0
    wrong = scores.nllh(known.predict_distribution(cut.features), cut.seconds).mean()  # all taken as finished
    assert found.nllh != pytest.approx(wrong)


def test_tables_with_text_are_permuted_as_they_are():
    made = dataset(80)
    words = pd.Series(np.where(made.features["a"] > 0, "slow", "fast"), made.features.index)
    table = Dataset(made.runs, made.features[["b"]].assign(word=words))
    found = importance(TableModel(Ridge()).fit(table.features, table.seconds), table)
    assert list(found.table.index) == ["word", "b"]
    assert found.table["increase"].iloc[0] > 0.3


def test_a_seed_fixes_the_result(known, data):
    one, other = (importance(known, data, random_state=3).table for _ in range(2))
    pd.testing.assert_frame_equal(one, other)


def test_mistakes_are_named(known, data):
    with pytest.raises(RuntimeDataError, match="1 instances with runs; expected at least two"):
        importance(known, data.take(np.array([0])))
    with pytest.raises(SettingError, match="repeats"):
        importance(known, data, repeats=0)
    with pytest.raises(FeatureError, match="no feature named 'z'"):
        importance(known, data, groups={"g": ["z"]})


def test_the_plot_has_one_bar_per_group(known, data):
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = importance(known, data, groups="each").plot(top=2)
    assert len(ax.patches) == 2
    plt.close("all")
