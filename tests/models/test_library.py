import pandas as pd
import pytest

from bayes_distnet import Dataset, Marginal, ModelFileError, Ridge, RunTable, SettingError, make_runs
from bayes_distnet.models.library import ESTIMATORS, Learnt, check_free, learn, load_model, read_learnt, save_model
from bayes_distnet.scoring.evaluation import evaluate


@pytest.fixture(scope="module")
def data():
    made = make_runs(n_instances=30, n_runs=4, n_features=3, random_state=0)
    names = [f"i{k}" for k in range(30)]
    rows = [(name, seed, made.seconds[k, seed]) for k, name in enumerate(names) for seed in range(4)]
    runs = pd.DataFrame(rows, columns=["instance", "seed", "seconds"]).assign(status="solved", solver="s")
    return Dataset(RunTable.from_frame(runs), made.features.set_axis(names, axis=0).rename_axis("instance"))


def learnt_from(name):
    return Learnt(name, "s", 2, 8, 0, 0, 1.5, "0.1.0", ("i0", "i1"))


def test_every_estimator_is_found_by_the_name_it_is_saved_under(data, tmp_path):
    for name, kind in ESTIMATORS.items():
        if name in ("Marginal", "Ridge", "KNearest"):
            learn(kind(), data).save(tmp_path / name)
            assert type(load_model(tmp_path / name)) is kind


def test_all_public_estimators_are_known():
    import bayes_distnet
    from bayes_distnet.models.base import RuntimeEstimator

    public = [getattr(bayes_distnet, name) for name in bayes_distnet.__all__]
    kinds = {kind.__name__ for kind in public if isinstance(kind, type) and issubclass(kind, RuntimeEstimator)}
    assert kinds == set(ESTIMATORS)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (None, "no model there"),
        ("{", "not JSON"),
        ("[]", "not a bayes-distnet model file"),
        (
            '{"format": "bayes-distnet model", "format_version": 2, "model": "Oracle"}',
            "kind 'Oracle'; this release knows",
        ),
        ('{"format": "bayes-distnet model", "format_version": 2, "model": ["Ridge"]}', "this release knows"),
        ('{"format": "bayes-distnet model", "format_version": 2, "model": "Ridge"}', "no model there"),
    ],
)
def test_a_folder_without_a_model_is_an_error_that_says_so(tmp_path, header, message):
    if header is not None:
        (tmp_path / "model.json").write_text(header)
    with pytest.raises(ModelFileError, match=message):
        load_model(tmp_path)


def test_a_model_is_replaced_whole_and_only_if_asked_to(data, tmp_path):
    folder = tmp_path / "deep" / "model"
    save_model(learn(Ridge(), data), folder, learnt_from("first"))
    with pytest.raises(SettingError, match="holds a model already"):
        save_model(learn(Marginal(), data), folder, learnt_from("second"))
    assert read_learnt(folder) == learnt_from("first")
    save_model(learn(Marginal(), data), folder, learnt_from("second"), force=True)
    assert type(load_model(folder)) is Marginal
    assert read_learnt(folder) == learnt_from("second")
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_what_a_model_was_learnt_from_is_not_believed_of_another(data, tmp_path):
    save_model(learn(Ridge(), data), tmp_path / "m", learnt_from("mine"))
    learn(Ridge(), data.select(data.features.index[:20])).save(tmp_path / "m")
    assert read_learnt(tmp_path / "m") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"sha256": "x"}', '{"sha256": "x", "names": 1}', '{"names": []}'])
def test_what_a_model_was_learnt_from_is_no_error_if_changed(data, tmp_path, text):
    save_model(learn(Marginal(), data), tmp_path / "m", learnt_from("mine"))
    (tmp_path / "m" / "learnt.json").write_text(text)
    assert read_learnt(tmp_path / "m") is None


def test_a_model_is_never_written_over_something_else(tmp_path):
    check_free(tmp_path)
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SettingError, match="something else than a model"):
        check_free(tmp_path, force=True)
    with pytest.raises(SettingError, match="a file is in the way"):
        check_free(tmp_path / "thesis.tex", force=True)


def test_one_run_an_instance_is_learnt_without_a_warning(data):
    frame = data.runs.frame
    once = Dataset(RunTable(frame[frame["seed"] == 0].reset_index(drop=True)), data.features)
    learn(Ridge(), once)


def test_scores_are_one_row_an_instance(data):
    scores = evaluate(learn(Marginal(), data), data)
    assert list(scores) == ["nllh", "kld", "ks", "mass", "crps", "coverage"]
    assert scores.index.equals(data.features.index)
    assert scores.notna().all(axis=None)
    with pytest.raises(SettingError, match="no score named"):
        evaluate(learn(Marginal(), data), data, ["accuracy"])


def test_instances_seen_are_counted():
    assert learnt_from("x").seen(["i1", "i9", "i9"]) == 1
