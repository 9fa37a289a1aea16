"""Pipelines end in distributions, and are saved and loaded without pickle."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA, KernelPCA, TruncatedSVD
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_regression
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

from bayes_distnet import (
    KNearest,
    Marginal,
    Ridge,
    RuntimePipeline,
    cross_val_predict_distribution,
    load_model,
    make_runs,
    predictions,
    runtimes,
    train,
)
from bayes_distnet.errors import ModelFileError, RuntimeDataError, SettingError
from bayes_distnet.models.pipelines.saved import OtherVersionWarning
from bayes_distnet.models.pipelines.typical_row import typical_row

DATA = make_runs(n_instances=60, n_runs=2, n_features=4, random_state=0).cut_off(0.3)
X, Y = DATA.features, runtimes(DATA.seconds, DATA.finished)
HOLEY = X.mask(np.arange(240).reshape(60, 4) % 31 == 0)
MIXED = HOLEY.assign(
    kind=np.where(np.arange(60) % 3, "crafted", "random"), big=np.arange(60) % 2 == 0, version=np.arange(60) % 4
)
COLUMNS = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), list(X.columns)),
        ("kind", OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["kind"]),
        ("dropped", "drop", ["big"]),
    ],
    remainder="passthrough",
)


def pipeline(*steps, model=None):
    named = [(f"step{number}", step) for number, step in enumerate(steps)]
    return RuntimePipeline([*named, ("model", Ridge() if model is None else model)])


def saved_and_loaded(model, table, folder):
    before = model.predict_distribution(table).quantile([0.1, 0.9])
    model.save(folder)
    loaded = RuntimePipeline.load(folder)
    np.testing.assert_allclose(loaded.predict_distribution(table).quantile([0.1, 0.9]), before, rtol=1e-12)
    assert loaded.n_features_in_ == model.n_features_in_
    pd.testing.assert_frame_equal(loaded.familiarity(table), model.familiarity(table))
    return loaded


def test_it_answers_like_a_model():
    model = pipeline(StandardScaler()).fit(X, Y)
    scaled = StandardScaler().fit_transform(X)
    own = Ridge().fit(scaled, Y)
    np.testing.assert_allclose(model.predict_distribution(X).median(), own.predict(scaled))
    np.testing.assert_allclose(model.predict(X), own.predict(scaled))
    assert model.score(X, Y) == pytest.approx(own.score(scaled, Y))
    assert model.familiarity(X)["verdict"].tolist() == own.familiarity(scaled)["verdict"].tolist()
    assert model.familiarity(X).index.equals(X.index)
    apart = pipeline(StandardScaler()).fit(X, DATA.seconds, finished=DATA.finished)
    assert apart.score(X, DATA.seconds, finished=DATA.finished) == pytest.approx(model.score(X, Y))
    with pytest.raises(RuntimeDataError, match="no finished flags"):
        apart.score(X, DATA.seconds)


@pytest.mark.parametrize("routing", [False, True])
def test_searches_clones_and_cross_validation_work_with_and_without_routing(routing):
    grid = {"step0__with_mean": [True], "model": [Marginal(), Ridge()]}
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(pipeline(StandardScaler()), grid, cv=3).fit(X, Y)
        assert isinstance(search.best_params_["model"], Ridge)
        assert len(search.best_estimator_.predict_distribution(X)) == 60
        assert len(cross_val_predict_distribution(clone(search.best_estimator_), X, Y, cv=3)) == 60
        if routing:
            routed = cross_val_score(pipeline(StandardScaler()), X, DATA.seconds, params={"finished": DATA.finished})
            np.testing.assert_allclose(routed, cross_val_score(pipeline(StandardScaler()), X, Y))


def test_a_pipeline_of_scikit_learn_becomes_one_fitted_or_not(tmp_path):
    fitted = make_pipeline(StandardScaler(), Ridge()).fit(X, Y)
    model = RuntimePipeline(fitted.steps)
    np.testing.assert_allclose(model.predict_distribution(X).median(), fitted.predict(X))
    saved_and_loaded(model, X, tmp_path)


SIMPLE = [
    Binarizer(),
    FunctionTransformer(),
    FunctionTransformer(np.arcsinh, feature_names_out="one-to-one"),
    KBinsDiscretizer(encode="ordinal", quantile_method="averaged_inverted_cdf"),
    MaxAbsScaler(),
    MinMaxScaler(),
    Normalizer(),
    PCA(2),
    PolynomialFeatures(),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=10),
    RobustScaler(),
    StandardScaler(),
    TruncatedSVD(2),
    VarianceThreshold(),
    "passthrough",
    make_pipeline(StandardScaler(), PCA(2)),
    FeatureUnion([("scaled", StandardScaler()), ("main", PCA(1))]),
]


@pytest.mark.parametrize("step", SIMPLE, ids=lambda step: step if isinstance(step, str) else type(step).__name__)
def test_transformers_of_numbers_are_saved_and_loaded_the_same(step, tmp_path):
    again = saved_and_loaded(pipeline(step).fit(X, Y), X, tmp_path / "names")
    assert list(again.feature_names_in_) == list(X.columns)
    saved_and_loaded(pipeline(step).fit(X.to_numpy(), Y), X.to_numpy(), tmp_path / "numbers")


@pytest.mark.parametrize(
    ("step", "table"),
    [
        (SimpleImputer(strategy="median", add_indicator=True), HOLEY),
        (KNNImputer(), HOLEY),
        (OneHotEncoder(handle_unknown="ignore"), MIXED[["kind", "version"]].astype(str)),
        (COLUMNS, MIXED),
        (OneHotEncoder(min_frequency=3, handle_unknown="infrequent_if_exist", sparse_output=False), MIXED[["kind"]]),
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), MIXED[["kind", "version"]]),
        (SimpleImputer(strategy="most_frequent"), MIXED[["version", "big"]].astype(float)),
    ],
    ids=["imputer", "knn", "sparse", "columns", "one-hot", "ordinal", "most frequent"],
)
def test_transformers_of_tables_are_saved_and_loaded_the_same(step, table, tmp_path):
    saved_and_loaded(pipeline(step).fit(table, Y), table, tmp_path)
    if not getattr(step, "sparse_output", False):
        with_names = pipeline(step).set_output(transform="pandas").fit(table, Y)
        saved_and_loaded(with_names, table, tmp_path / "pandas")


def test_columns_chosen_by_type_and_selected_by_runtime_are_saved(tmp_path):
    chosen = ColumnTransformer([("scale", StandardScaler(), make_column_selector(dtype_include=np.number))])
    saved_and_loaded(pipeline(chosen).fit(MIXED, Y), MIXED, tmp_path / "type")
    best = pipeline(SelectKBest(f_regression, k=2)).fit(X, DATA.seconds[:, 0], finished=DATA.finished[:, 0])
    again = saved_and_loaded(best, X, tmp_path / "best")
    assert again["step0"].get_support().tolist() == best["step0"].get_support().tolist()


def test_settings_are_kept_except_those_of_the_machine(tmp_path):
    inner = clone(COLUMNS).set_params(n_jobs=1)
    model = RuntimePipeline([("columns", inner), ("model", KNearest(3))], memory=str(tmp_path / "cache"))
    again = saved_and_loaded(model.fit(MIXED, Y), MIXED, tmp_path / "model")
    assert again.memory is None
    assert again.get_params()["columns__n_jobs"] is None
    assert again.get_params()["columns__kind__handle_unknown"] == "ignore"
    assert again.get_params()["model__n_neighbors"] == 3
    clone(again).fit(MIXED, Y)


def test_the_library_and_the_table_of_predictions_take_a_saved_pipeline(tmp_path):
    train(DATA, pipeline(StandardScaler()), out=tmp_path / "m", name="made")
    model = load_model(tmp_path / "m")
    assert isinstance(model, RuntimePipeline)
    assert model.training_record_.instances == 60
    table = predictions(model, X.assign(further=1.0))
    np.testing.assert_allclose(table["median"], model.predict(X))


def test_train_leaves_text_to_the_encoders_of_a_pipeline(tmp_path):
    raw = replace(DATA, features=MIXED)
    model = train(raw, pipeline(COLUMNS), out=tmp_path / "m")
    assert isinstance(model, RuntimePipeline)
    np.testing.assert_allclose(load_model(tmp_path / "m").predict(MIXED), model.predict(MIXED))


def test_loading_a_pipeline_does_not_load_jax_or_pickle(tmp_path):
    pipeline(StandardScaler()).fit(X, Y).save(tmp_path)
    program = (
        "import pickle, sys\n"
        "def refuse(*a, **k): raise AssertionError('unpickled')\n"
        "from bayes_distnet import load_model\n"
        "pickle.load = pickle.loads = pickle.Unpickler = refuse\n"
        f"load_model({str(tmp_path)!r}); assert 'jax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (KernelPCA(2), "step0: a KernelPCA cannot be saved"),
        (FunctionTransformer(lambda x: x), "step0 > func: <function <lambda>"),
        (make_pipeline(StandardScaler(), KernelPCA(2)), "step0 > steps: a KernelPCA cannot be saved"),
        (type("StandardScaler", (StandardScaler,), {})(), "step0: a StandardScaler cannot be saved"),
    ],
)
def test_another_transformer_is_refused_by_name_before_anything_is_written(step, message, tmp_path):
    with pytest.raises(ModelFileError, match=message):
        pipeline(step).fit(X, Y).save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_last_step_that_predicts_no_distribution_is_named():
    with pytest.raises(SettingError, match="step 'model': expected a model of runtime distributions"):
        pipeline(model=LinearRegression()).fit(X, DATA.seconds[:, 0]).predict_distribution(X)


def changed(folder, change):
    content = json.loads((folder / "steps.json").read_text())
    change(content)
    (folder / "steps.json").write_text(json.dumps(content))


def fitted_part(parameters):
    return parameters["steps"][0][1]["fitted"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p["steps"][0][1].update(transformer="Popen"), "KeyError: 'Popen'"),
        (lambda p: p["steps"][0][1].update(transformer="os.system"), "KeyError: 'os.system'"),
        (lambda p: p["steps"][0][1]["settings"].update(copy={"function": "system"}), "KeyError: 'system'"),
        (lambda p: p["steps"][0][1]["settings"].update(shell=True), "unexpected keyword argument 'shell'"),
        (lambda p: fitted_part(p).update(transform="text"), "with an attribute 'transform'"),
        (lambda p: fitted_part(p).update(__class__="text"), "with an attribute '__class__'"),
        (lambda p: fitted_part(p).update(n_features_in_=3), "entries for 3 inputs"),
        (lambda p: fitted_part(p).update(mean_={"list": [0.0]}), "mean_ has 1 entries for 4 inputs"),
        (lambda p: fitted_part(p).update(mean_="text"), "mean_ is 'text'"),
        (lambda p: fitted_part(p).update(mean_={"array": "other"}), "KeyError: 'other'"),
        (lambda p: fitted_part(p).update(mean_={"eval": "1"}), "unknown kind 'eval'"),
        (lambda p: fitted_part(p).update(mean_=[1, 2]), "stands for no value"),
        (lambda p: fitted_part(p).update(scale_=fitted_part(p)["mean_"]), "when it was saved"),
        (lambda p: p.update(steps=[[7, None]]), "a step with the name 7"),
        (lambda p: p.update(steps=5), "not iterable"),
        (lambda p: p.update(last_sha256="0"), "belongs to another pipeline"),
        (lambda p: p.update(example=[["f", 1.0]]), "the steps do not form a pipeline"),
        (lambda p: p.pop("example"), "KeyError: 'example'"),
    ],
)
def test_a_changed_file_is_refused_by_name(change, message, tmp_path):
    pipeline(StandardScaler()).fit(X, Y).save(tmp_path)
    changed(tmp_path, change)
    with pytest.raises(ModelFileError, match=message):
        RuntimePipeline.load(tmp_path)


def test_a_missing_or_broken_file_is_refused_by_name(tmp_path):
    pipeline(StandardScaler()).fit(X, Y).save(tmp_path)
    (tmp_path / "steps.json").write_text("[" * 100_000)
    with pytest.raises(ModelFileError, match=r"steps\.json"):
        RuntimePipeline.load(tmp_path)
    (tmp_path / "steps.json").unlink()
    with pytest.raises(ModelFileError, match=r"no file steps\.json"):
        load_model(tmp_path)


def test_another_release_of_scikit_learn_passes_if_it_predicts_the_same(tmp_path):
    pipeline(StandardScaler()).fit(X, Y).save(tmp_path)
    changed(tmp_path, lambda p: p.update(scikit_learn="1.6.1"))
    RuntimePipeline.load(tmp_path)
    changed(tmp_path, lambda p: p.update(example=None))
    with pytest.warns(OtherVersionWarning, match=r"saved with scikit-learn 1\.6\.1"):
        RuntimePipeline.load(tmp_path)


def test_a_typical_row_has_values_of_its_columns():
    row = typical_row(MIXED)
    assert row["kind"].tolist() == ["crafted"]
    assert row["version"].dtype == np.int64
    assert all(row[name][0] in MIXED[name].to_numpy() for name in MIXED)
    assert typical_row(MIXED.assign(day=pd.Timestamp("2026-03-01"))) is None
    assert typical_row(np.array([[1.0], [np.nan], [3.0], [4.0]])).tolist() == [[3.0]]
