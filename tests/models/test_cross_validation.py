"""Every documented way to cross-validate with runs that were cut off chooses the model that is better on full runs."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bayes_distnet import (
    KNearest,
    Marginal,
    Ridge,
    cross_val_predict_distribution,
    make_runs,
    runtimes,
    scores,
)
from bayes_distnet.errors import RuntimeDataError, SettingError

FULL = make_runs(n_instances=150, n_runs=2, n_features=5, random_state=0)
CUT = FULL.cut_off(0.5)
X, SECONDS, FINISHED = CUT.features, CUT.seconds, CUT.finished
Y = runtimes(SECONDS, FINISHED)
GRID = {"model": [Marginal(), Ridge()]}
CV = KFold(3, shuffle=True, random_state=0)


def pipeline():
    return make_pipeline(StandardScaler(), Ridge()).set_params(steps=[("scale", StandardScaler()), ("model", Ridge())])


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def old_score(model, features, y):
    """Score as if every run had finished."""
    return float(model.predict_distribution(features).log_pdf(y["seconds"]).mean())


def mean_scores(scoring=None):
    return {type(m).__name__: cross_val_score(m, X, Y, cv=CV, scoring=scoring).mean() for m in GRID["model"]}


def test_half_of_the_runs_are_cut_off_and_the_full_runs_prefer_ridge():
    assert (~FINISHED).mean() == pytest.approx(0.5, abs=0.01)
    full = {
        type(m).__name__: np.mean(
            [m.fit(X.iloc[a], Y[a]).score(X.iloc[b], FULL.seconds[b], FULL.finished[b]) for a, b in CV.split(X)]
        )
        for m in GRID["model"]
    }
    assert full["Ridge"] > full["Marginal"] + 0.3


def test_cross_val_score_ranks_as_full_runs_do_and_counting_timeouts_as_finishes_reverses_it():
    right, wrong = mean_scores(), mean_scores(old_score)
    assert right["Ridge"] > right["Marginal"] + 0.3
    assert wrong["Marginal"] > wrong["Ridge"] + 0.3


def test_a_grid_search_with_one_target_chooses_the_right_model():
    search = GridSearchCV(pipeline(), GRID, cv=CV).fit(X, Y)
    assert isinstance(search.best_params_["model"], Ridge)
    assert search.score(X, Y) > search.best_estimator_.set_params(model=Marginal()).fit(X, Y).score(X, Y)


def test_a_grid_search_with_a_table_as_target_chooses_the_right_model():
    y = pd.DataFrame({"seconds": SECONDS[:, 0], "finished": FINISHED[:, 0]}, index=X.index)
    assert isinstance(GridSearchCV(pipeline(), GRID, cv=CV).fit(X, y).best_params_["model"], Ridge)


@pytest.mark.usefixtures("routing")
def test_with_metadata_routing_flags_reach_fit_and_score_without_any_request():
    search = GridSearchCV(pipeline(), GRID, cv=CV).fit(X, SECONDS, finished=FINISHED)
    assert isinstance(search.best_params_["model"], Ridge)
    routed = cross_val_score(Ridge(), X, SECONDS, params={"finished": FINISHED}, cv=CV)
    np.testing.assert_allclose(routed, cross_val_score(Ridge(), X, Y, cv=CV))
    result = cross_validate(Ridge(), X, SECONDS, params={"finished": FINISHED}, cv=CV)
    np.testing.assert_allclose(result["test_score"], routed)


@pytest.mark.usefixtures("routing")
def test_with_metadata_routing_groups_reach_the_splitter():
    rows = np.repeat(np.arange(len(X)), 2)
    search = GridSearchCV(pipeline(), GRID, cv=GroupKFold(3))
    search.fit(X.iloc[rows], SECONDS.ravel(), finished=FINISHED.ravel(), groups=rows)
    assert isinstance(search.best_params_["model"], Ridge)


def test_without_routing_a_search_that_loses_the_flags_reports_nan_and_the_remedy():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search = GridSearchCV(pipeline(), GRID, cv=CV).fit(X, SECONDS, model__finished=FINISHED)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()
    assert any("runtimes(seconds, finished)" in str(w.message) for w in caught)
    with pytest.raises(RuntimeDataError, match="no finished flags, with which this Marginal was fitted"):
        GridSearchCV(Marginal(), {"family": ["lognormal"]}, cv=CV, error_score="raise").fit(
            X, SECONDS, finished=FINISHED
        )


def test_a_model_fitted_with_flags_refuses_to_score_without_even_if_all_were_true(tmp_path):
    done = np.ones_like(FINISHED)
    model = Ridge().fit(X, SECONDS, finished=done)
    with pytest.raises(RuntimeDataError, match="runs that were cut off would count as finished"):
        model.score(X, SECONDS)
    assert model.score(X, SECONDS, finished=done) == model.score(X, runtimes(SECONDS, done))
    model.save(tmp_path)
    with pytest.raises(RuntimeDataError, match="no finished flags"):
        Ridge.load(tmp_path).score(X, SECONDS)


def test_a_model_fitted_without_flags_scores_without():
    model = Ridge().fit(X, FULL.seconds)
    assert model.score(X, FULL.seconds) == model.score(X, FULL.seconds, finished=FULL.finished)


def test_weights_of_rows_weigh_the_score():
    model = Ridge().fit(X, Y)
    half = np.arange(len(X)) < 75
    assert model.score(X, Y, sample_weight=half) == pytest.approx(model.score(X[half], Y[half]))
    with pytest.raises(RuntimeDataError, match="sample_weight: expected one weight of at least 0 for each of 150 rows"):
        model.score(X, Y, sample_weight=[1.0])


def test_cross_val_predict_gives_medians_of_unseen_instances():
    median = cross_val_predict(Ridge(), X, Y, cv=CV)
    rtd = cross_val_predict_distribution(Ridge(), X, Y, cv=CV)
    np.testing.assert_allclose(rtd.median(), median)
    assert scores.crps(rtd, Y).mean() < scores.crps(cross_val_predict_distribution(Marginal(), X, Y), Y).mean()


def test_rows_of_one_instance_stay_in_one_fold_by_default():
    rows = np.repeat(np.arange(len(X)), 2)
    x, y = X.iloc[rows].to_numpy(), Y.ravel()
    nearest = cross_val_predict_distribution(KNearest(1), x, y).median()
    leaked = cross_val_predict(KNearest(1), x, y, cv=KFold(5, shuffle=True, random_state=0))
    done = FINISHED.all(axis=1)[rows]
    miss, leaked_miss = (np.abs(np.log(m[done] / y["seconds"][done])).mean() for m in (nearest, leaked))
    assert leaked_miss < 0.7 * miss


def test_one_row_per_run_needs_group_folds_or_the_search_learns_instances_by_heart():
    many = make_runs(n_instances=60, n_runs=10, n_features=8, random_state=2).cut_off(0.1)
    rows = np.repeat(np.arange(60), 10)
    x, y = many.features.iloc[rows].to_numpy(), runtimes(many.seconds, many.finished).ravel()
    grid = {"n_neighbors": [1, 25]}
    leaking = GridSearchCV(KNearest(), grid, cv=KFold(3, shuffle=True, random_state=0)).fit(x, y)
    honest = GridSearchCV(KNearest(), grid, cv=GroupKFold(3)).fit(x, y, groups=rows)
    by_instance = GridSearchCV(KNearest(), grid, cv=3).fit(many.features, runtimes(many.seconds, many.finished))
    assert leaking.best_params_ == {"n_neighbors": 1}
    assert honest.best_params_ == by_instance.best_params_ == {"n_neighbors": 25}
    assert leaking.best_score_ > honest.best_score_ + 0.2


def test_permutation_importance_finds_the_features_that_matter():
    model = Ridge().fit(X, Y)
    found = permutation_importance(model, X, Y, n_repeats=5, random_state=0).importances_mean
    full = permutation_importance(model, X, runtimes(FULL.seconds, FULL.finished), n_repeats=5, random_state=0)
    assert np.argmax(found) == np.argmax(full.importances_mean)


def test_a_column_transformer_with_text_is_searched_with_one_target():
    table = X.assign(kind=np.where(np.arange(len(X)) % 2, "crafted", "random"))
    columns = ColumnTransformer(
        [("kind", OneHotEncoder(handle_unknown="ignore"), ["kind"])], remainder=StandardScaler()
    )
    steps = pipeline().set_params(scale=columns)
    assert isinstance(GridSearchCV(steps, GRID, cv=CV).fit(table, Y).best_params_["model"], Ridge)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"cv": ShuffleSplit(3, random_state=0)}, RuntimeDataError, "do not hold every row once"),
        ({"cv": 1000}, SettingError, "cv=1000"),
        ({"finished": FINISHED[:3]}, RuntimeDataError, "one row per row of X"),
    ],
)
def test_folds_that_cannot_be_used_are_named(settings, error, message):
    with pytest.raises(error, match=message):
        cross_val_predict_distribution(Marginal(), X, SECONDS, **settings)
