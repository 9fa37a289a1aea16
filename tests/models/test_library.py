import numpy as np
import pytest

from bayes_distnet import Marginal, RandomForest, Ridge, load_model, make_runs, train
from bayes_distnet.errors import ModelFileError, SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.header import FORMAT_VERSION
from bayes_distnet.models.library import check_writable, save_model
from bayes_distnet.models.record import TrainingRecord, read_record
from bayes_distnet.models.saved_kinds import saved_kinds
from bayes_distnet.registry import load


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=30, n_runs=4, n_features=3, random_state=0)


def header(model):
    return f'{{"format": "bayes-distnet model", "format_version": {FORMAT_VERSION}, "model": {model}}}'


def test_every_estimator_is_found_by_the_name_it_is_saved_under(data, tmp_path):
    for name, source in saved_kinds().items():
        assert load(source).__name__ == name
    for key, kind in (("marginal", "Marginal"), ("ridge", "Ridge"), ("knn", "KNearest")):
        train(data, key, out=tmp_path / key)
        assert type(load_model(tmp_path / key)).__name__ == kind


def test_all_public_estimators_can_be_loaded():
    import bayes_distnet

    public = [getattr(bayes_distnet, name) for name in bayes_distnet.__all__]
    kinds = {kind.__name__ for kind in public if isinstance(kind, type) and issubclass(kind, RuntimeEstimator)}
    assert kinds | {"RuntimePipeline"} == set(saved_kinds())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no model there"),
        ("{", "not JSON"),
        ("[]", "not a bayes-distnet model file"),
        (header('"Oracle"'), "kind 'Oracle'; this release reads"),
        (header('["Ridge"]'), "this release reads"),
        (header('"Ridge"'), "no model there"),
    ],
)
def test_a_folder_without_a_model_is_an_error(tmp_path, text, message):
    if text is not None:
        (tmp_path / "model.json").write_text(text)
    with pytest.raises(ModelFileError, match=message):
        load_model(tmp_path)


def test_a_model_of_an_earlier_format_is_refused_in_one_line(data, tmp_path):
    train(data, "ridge", out=tmp_path / "m")
    text = (tmp_path / "m" / "model.json").read_text()
    older = text.replace(f'"format_version": {FORMAT_VERSION}', '"format_version": 2')
    (tmp_path / "m" / "model.json").write_text(older)
    with pytest.raises(ModelFileError, match=r"version 2; this release reads version 6\. .*fit and save") as error:
        load_model(tmp_path / "m")
    assert "\n" not in str(error.value)


def test_training_writes_model_and_record_in_one_call(data, tmp_path):
    model = train(data.cut_off(0.2), "marginal", holdout=0.2, out=tmp_path / "m", name="made", family="weibull")
    record = load_model(tmp_path / "m").training_record_
    assert record == model.training_record_ == read_record(tmp_path / "m")
    assert (record.data, record.solver, record.instances, record.held_out) == ("made", "synthetic", 24, 6)
    assert record.runs == 24 * 4
    assert record.censored > 0
    assert record.count_seen([*record.names[:2], "other"]) == 2
    assert model.family == "weibull"
    held_out = data.split(0.2, random_state=0)[1]
    assert record.count_seen(held_out.features.index) == 0


def test_training_takes_an_estimator_and_a_number_of_threads(data):
    assert isinstance(train(data, RandomForest(n_estimators=5)), RandomForest)
    assert train(data, "forest", n_jobs=2).n_jobs == 2


def test_settings_of_training_are_checked_before_the_work(data, tmp_path):
    with pytest.raises(SettingError, match="Ridge has a form of its own"):
        train(data, "ridge", family="weibull")
    with pytest.raises(SettingError, match="'oracle': expected one of hybrid"):
        train(data, "oracle")
    with pytest.raises(SettingError, match="limit, not a model"):
        train(data, "limit-lognormal")
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(SettingError, match="something other than a model"):
        train(data, "ridge", out=tmp_path)


def test_a_model_is_replaced_whole_and_only_on_request(data, tmp_path):
    folder = tmp_path / "deep" / "model"
    train(data, "ridge", out=folder, name="first")
    with pytest.raises(SettingError, match="holds a model already"):
        train(data, "marginal", out=folder, name="second")
    assert read_record(folder).data == "first"
    train(data, "marginal", out=folder, name="second", overwrite=True)
    assert type(load_model(folder)) is Marginal
    assert read_record(folder).data == "second"
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_record_of_another_model_is_ignored(data, tmp_path):
    train(data, "ridge", out=tmp_path / "m")
    Ridge().fit(data.features[:20], data.seconds[:20]).save(tmp_path / "m")
    assert read_record(tmp_path / "m") is None
    assert not hasattr(load_model(tmp_path / "m"), "training_record_")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sha256": "x"}', '{"sha256": "x", "names": 1}', '{"names": []}'])
def test_a_damaged_record_is_ignored(data, tmp_path, text):
    train(data, "marginal", out=tmp_path / "m")
    (tmp_path / "m" / "training.json").write_text(text)
    assert read_record(tmp_path / "m") is None
    np.testing.assert_array_equal(
        load_model(tmp_path / "m").predict(data.features), train(data, "marginal").predict(data.features)
    )


def test_a_model_without_a_record_can_be_saved(data, tmp_path):
    save_model(Ridge().fit(data.features, data.seconds), tmp_path / "m")
    assert read_record(tmp_path / "m") is None


def test_a_model_is_never_written_over_other_files(tmp_path):
    check_writable(tmp_path)
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SettingError, match="something other than a model"):
        check_writable(tmp_path, overwrite=True)
    with pytest.raises(SettingError, match="a file is in the way"):
        check_writable(tmp_path / "thesis.tex", overwrite=True)


def test_one_run_per_instance_is_learnt_without_a_warning():
    train(make_runs(n_instances=30, n_runs=1, n_features=3, random_state=0), "ridge")


def test_instances_seen_are_counted():
    record = TrainingRecord("x", "s", 2, 8, 0, 0, 1.5, "0.1.0", ("i0", "i1"))
    assert record.count_seen(["i1", "i9", "i9"]) == 1


def test_a_model_of_another_release_may_be_replaced(tmp_path):
    data = make_runs(n_instances=10, n_runs=2, n_features=2, random_state=0)
    train(data, "marginal", out=tmp_path / "m")
    header = tmp_path / "m" / "model.json"
    header.write_text(header.read_text().replace('"format_version": ', '"format_version": 99'))
    with pytest.raises(SettingError, match="holds a model already"):
        check_writable(tmp_path / "m")
    train(data, "marginal", out=tmp_path / "m", overwrite=True)
    assert load_model(tmp_path / "m").predict(data.features[:1]).shape == (1,)
