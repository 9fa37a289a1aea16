import os

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from bayes_distnet import (
    BayesDistNet,
    DistNet,
    HybridDistNet,
    KNearest,
    Marginal,
    RandomForest,
    Ridge,
    make_runs,
    scores,
)
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError

QUICK = [
    BayesDistNet(max_iter=50, n_members=2, n_draws=4),
    BayesDistNet(max_iter=50, n_members=2, n_draws=4, output="runtimes"),
    BayesDistNet(preset="paper"),
    DistNet(max_iter=50),
    DistNet(preset="paper"),
    HybridDistNet(max_iter=50, n_members=2, n_draws=4, n_estimators=10),
    KNearest(),
    Marginal(),
    RandomForest(n_estimators=10),
    Ridge(),
]


def each(models):
    """Parametrise over models; those that take seconds to compile or to train are slow."""
    slow = [getattr(m, "preset", None) is not None or getattr(m, "output", "parameters") == "runtimes" for m in models]
    marked = [pytest.param(m, marks=pytest.mark.slow if late else ()) for m, late in zip(models, slow, strict=True)]
    return pytest.mark.parametrize("model", marked, ids=lambda m: repr(m).replace("\n", "").replace(" ", ""))


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=40, n_runs=3, n_features=5, random_state=3).cut_off(0.2)


@pytest.mark.slow
@parametrize_with_checks(
    [m for m in QUICK if getattr(m, "preset", None) is None and getattr(m, "output", "parameters") == "parameters"]
)
def test_follows_scikit_learn(estimator, check):
    check(estimator)


@each(QUICK)
def test_predicts_saves_and_loads_the_same(model, data, tmp_path):
    model = clone(model).fit(data.features, data.seconds, finished=data.finished)
    before = model.predict_distribution(data.features).quantile([0.1, 0.5, 0.9])
    assert np.isfinite(before).all()
    model.save(tmp_path / "model")
    loaded = type(model).load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_distribution(data.features).quantile([0.1, 0.5, 0.9]), before)
    assert loaded.get_params() == model.get_params()
    with pytest.raises(FeatureError, match="feature_001"):
        loaded.predict(data.features.drop(columns="feature_001"))


@each([m for m in QUICK if "random_state" in m.get_params()])
def test_a_seed_fixes_the_result_to_the_bit(model, data):
    first, second, other = (
        clone(model).set_params(random_state=seed).fit(data.features, data.seconds).predict(data.features)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)


@each(QUICK)
def test_the_global_generator_is_left_alone(model, data):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    clone(model).fit(data.features, data.seconds)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@each(QUICK)
def test_the_unit_of_time_does_not_matter(model, data):
    seconds = clone(model).fit(data.features, data.seconds, finished=data.finished)
    hours = clone(model).fit(data.features, data.seconds / 3600, finished=data.finished)
    np.testing.assert_allclose(hours.predict(data.features) * 3600, seconds.predict(data.features), rtol=1e-2)


@each(QUICK)
def test_columns_are_checked_by_name(model, data):
    model = clone(model).fit(data.features, data.seconds)
    names = list(data.features.columns)
    with pytest.raises(FeatureError, match="unseen at fit time"):
        model.predict(data.features.rename(columns={names[0]: "other"}))
    with pytest.raises(FeatureError, match="same order"):
        model.predict(data.features[names[::-1]])


@each(QUICK)
def test_features_with_holes_and_constants_work(model, data):
    features = data.features.copy()
    features["constant"] = 1.0
    features["empty"] = np.nan
    features.iloc[3, 0] = np.nan
    assert np.isfinite(clone(model).fit(features, data.seconds).predict(features)).all()


@each(QUICK)
def test_constant_features_give_one_prediction_for_all(model, data):
    x = np.ones((len(data.seconds), 2))
    medians = clone(model).fit(x, data.seconds).predict(x)
    np.testing.assert_allclose(medians, medians[0])


@each(QUICK)
def test_bad_features_are_named(model, data):
    with pytest.raises(FeatureError, match=r"columns \['feature_000'\] are not numeric"):
        clone(model).fit(data.features.astype({"feature_000": str}), data.seconds)
    with pytest.raises(FeatureError, match="infinity"):
        clone(model).fit(data.features.assign(feature_001=np.inf), data.seconds)
    fitted = clone(model).fit(data.features.to_numpy(), data.seconds)
    with pytest.raises(FeatureError, match="4 features"):
        fitted.predict(data.features.to_numpy()[:, :4])


@each([m for m in QUICK if not isinstance(m, Marginal)])
def test_one_instance_is_an_error_that_points_to_the_marginal(model):
    with pytest.raises(RuntimeDataError, match="100 runs of one instance"):
        clone(model).fit(np.ones((1, 3)), np.full((1, 100), 2.0))


@each(QUICK)
def test_no_finished_run_is_an_error(model, data):
    with pytest.raises(RuntimeDataError, match="None of the 120 runs finished"):
        clone(model).fit(data.features, data.seconds, finished=np.zeros_like(data.finished))


@each(QUICK)
def test_two_instances_and_equal_runtimes_still_give_a_distribution(model):
    rtd = clone(model).fit([[0.0], [1.0]], [[2.0, 2.0], [2.0, 2.0]]).predict_distribution([[0.5]])
    assert np.isfinite(rtd.quantile(0.5)).all()
    assert np.isfinite(rtd.log_pdf(2.0)).all()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (BayesDistNet(family="cauchy"), "lognormal"),
        (BayesDistNet(preset="papers"), "preset='papers': expected one of None, 'paper'"),
        (BayesDistNet(output="moments"), "output='moments'"),
        (BayesDistNet(preset="paper", n_members=3, max_iter=9), "would ignore max_iter=9, n_members=3"),
        (DistNet(preset="paper", hidden_layer_sizes=[8]), r"would ignore hidden_layer_sizes=\[8\]"),
        (BayesDistNet(n_members=0), "n_members=0"),
        (BayesDistNet(n_draws=0), "n_draws=0"),
        (BayesDistNet(max_iter=0), "max_iter=0"),
        (BayesDistNet(hidden_layer_sizes=()), "hidden_layer_sizes"),
        (BayesDistNet(learning_rate=-1.0), "learning_rate=-1.0"),
        (BayesDistNet(kl_weights=()), "kl_weights"),
        (BayesDistNet(kl_weights=0.5), "kl_weights=0.5"),
        (BayesDistNet(hidden_layer_sizes=16), "hidden_layer_sizes=16"),
        (BayesDistNet(max_iter=True), "max_iter=True"),
        (BayesDistNet(random_state=-1), "random_state=-1"),
        (BayesDistNet(n_members=1), "give 2 members or more"),
        (HybridDistNet(n_members=1), "n_members=1"),
        (RandomForest(max_features=2.0), "max_features=2.0"),
        (HybridDistNet(n_estimators=0), "n_estimators=0"),
        (KNearest(n_neighbors=0), "n_neighbors=0"),
    ],
    ids=lambda m: m if isinstance(m, str) else "",
)
def test_bad_settings_are_named(model, message, data):
    with pytest.raises(SettingError, match=message):
        model.fit(data.features, data.seconds)


def test_works_in_pipelines_searches_and_cross_validation(data):
    flat = np.repeat(np.arange(40), 3)
    x, t = data.features.to_numpy()[flat], data.seconds.ravel()
    y = np.array(list(zip(data.finished.ravel(), t, strict=True)), dtype=[("finished", bool), ("seconds", float)])
    scores = cross_val_score(make_pipeline(StandardScaler(), Ridge()), x, y, cv=3)
    assert np.isfinite(scores).all()
    search = GridSearchCV(KNearest(), {"n_neighbors": [2, 30]}, cv=3).fit(x, y)
    assert search.best_params_["n_neighbors"] in (2, 30)


def test_score_is_the_mean_log_likelihood():
    model = Marginal("exponential").fit(np.zeros((3, 1)), [1.0, 2.0, 3.0], finished=[True, True, True])
    scale = float(np.asarray(model.fitted_.scale))
    expected = np.mean([-np.log(scale) - 1.0 / scale, -4.0 / scale])
    assert model.score(np.zeros((2, 1)), [1.0, 4.0], finished=[True, False]) == pytest.approx(expected)


def test_score_leaves_out_rows_without_a_run(data):
    model = Ridge().fit(data.features, data.seconds)
    holey = data.seconds.copy()
    holey[0] = np.nan
    assert model.score(data.features, holey) == pytest.approx(model.score(data.features[1:], data.seconds[1:]))


@each(QUICK)
def test_a_fit_that_fails_leaves_an_unfitted_model(model, data):
    model = clone(model).fit(data.features, data.seconds)
    with pytest.raises(RuntimeDataError):
        model.fit(data.features, -data.seconds)
    with pytest.raises(NotFittedError):
        model.predict(data.features)


def test_settings_changed_after_fitting_do_not_change_the_model(data, tmp_path):
    model = Marginal("gamma").fit(data.features, data.seconds)
    before = model.predict(data.features)
    model.set_params(family="weibull")
    np.testing.assert_array_equal(model.predict(data.features), before)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(Marginal.load(tmp_path / "m").predict(data.features), before)


@each([BayesDistNet(max_iter=50), HybridDistNet(max_iter=50, n_estimators=10)])
@pytest.mark.parametrize("instances", [2, 3, 4])
def test_fewer_instances_than_members_still_work(model, instances, data):
    few = data.take(np.arange(instances))
    assert np.isfinite(clone(model).fit(few.features, few.seconds).predict(data.features)).all()


def test_columns_with_number_names_are_checked_by_name_too(data):
    numbered = data.features.set_axis(range(5), axis=1)
    model = Ridge().fit(numbered, data.seconds)
    with pytest.raises(FeatureError, match="same order"):
        model.predict(numbered[[4, 3, 2, 1, 0]])


def test_columns_named_twice_are_an_error(data):
    with pytest.raises(FeatureError, match=r"\['a'\] occur more than once"):
        Ridge().fit(data.features.set_axis(["a", "a", "b", "c", "d"], axis=1), data.seconds)


def test_a_data_frame_index_is_not_a_feature(data):
    shuffled = data.features.sample(frac=1, random_state=0)
    model = Ridge().fit(data.features, data.seconds)
    by_name = pd.Series(model.predict(shuffled), index=shuffled.index)
    np.testing.assert_allclose(by_name[data.features.index], model.predict(data.features))


@pytest.mark.parametrize("state", [None, np.random.RandomState(0), np.random.default_rng(0)], ids=str)
def test_a_random_state_may_be_a_generator_or_none(state, data, tmp_path):
    model = RandomForest(n_estimators=5, random_state=state).fit(data.features, data.seconds)
    before = model.predict(data.features)
    model.save(tmp_path / "m")
    loaded = RandomForest.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.predict(data.features), before)
    assert loaded.random_state is None


def test_the_number_of_threads_changes_no_prediction(data):
    one, two = (RandomForest(n_estimators=5, n_jobs=n).fit(data.features, data.seconds) for n in (None, 2))
    np.testing.assert_array_equal(one.predict(data.features), two.predict(data.features))


class ReportsThreads(DistNet):
    """A model whose score is 1 if JAX was kept to one thread before it started."""

    def score(self, X, y, finished=None):
        return float("intra_op_parallelism_threads=1" in os.environ.get("XLA_FLAGS", ""))


@pytest.mark.slow
def test_a_search_with_two_processes_does_not_oversubscribe_cores(data):
    # One job per process: processes that have grown by compiling are replaced after a job, which can hang in loky.
    search = GridSearchCV(ReportsThreads(), {"max_iter": [50]}, cv=2, n_jobs=2, refit=False)
    with parallel_config(backend="loky", inner_max_num_threads=1):
        search.fit(data.features.to_numpy(), data.seconds[:, 0])
    assert (search.cv_results_["mean_test_score"] == 1.0).all()


def test_unseen_predictions_ignore_the_runs_of_their_own_instance():
    """A run of 1000 s moves the prediction of its own instance, unless that instance counts as unseen."""
    data = make_runs(n_instances=40, n_runs=2, random_state=0)
    slow = data.seconds.copy()
    slow[7] = 1000.0
    for model in (KNearest(n_neighbors=1), Ridge()):
        before, after = (clone(model).fit_unseen(data.features, seconds) for seconds in (data.seconds, slow))
        assert after[7].median() == pytest.approx(before[7].median(), rel=1e-9)
        assert after[[i for i in range(40) if i != 7]].median().max() > 1.05 * before.median().max()


@pytest.mark.parametrize("model", [BayesDistNet(max_iter=100), HybridDistNet(max_iter=100)])
def test_fit_unseen_fits_the_same_model(model):
    data = make_runs(n_instances=40, n_runs=2, random_state=0)
    unseen = model.fit_unseen(data.features, data.seconds)
    same = clone(model).fit(data.features, data.seconds).predict(data.features)
    np.testing.assert_array_equal(model.predict(data.features), same)
    assert len(unseen) == 40
    assert (
        scores.nllh(unseen, data.seconds).mean()
        > scores.nllh(model.predict_distribution(data.features), data.seconds).mean()
    )
