import json
import os
import subprocess
import sys

import numpy as np
import pytest

from bayes_distnet import HybridDistNet, KNearest, Ridge, make_runs
from bayes_distnet.distributions.families import Weibull
from bayes_distnet.errors import ModelFileError
from bayes_distnet.models.saving import read_model, write_model


def write(path, **parameters):
    arrays = {"a": np.arange(3.0)}
    write_model(path, "Toy", parameters=parameters, n_features=np.int64(2), feature_names=["x", "y"], arrays=arrays)
    return path


def change(path, **header):
    file = path / "model.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | header))


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "model", units=(8, 8), rate=0.1)


def test_what_is_written_is_read(folder):
    saved = read_model(folder, "Toy")
    assert saved.parameters == {"units": (8, 8), "rate": 0.1}
    assert (saved.n_features, saved.feature_names) == (2, ["x", "y"])
    assert saved.arrays["a"].tolist() == [0.0, 1.0, 2.0]


def test_arrays_keep_their_shapes(tmp_path):
    arrays = {"scalar": np.array(2.5), "turned": np.arange(6.0).reshape(2, 3).T}
    write_model(tmp_path, "Toy", parameters={}, n_features=1, feature_names=None, arrays=arrays)
    read = read_model(tmp_path, "Toy").arrays
    assert {name: array.shape for name, array in read.items()} == {"scalar": (), "turned": (3, 2)}
    np.testing.assert_array_equal(read["turned"], arrays["turned"])


def test_numpy_settings_and_family_classes_become_plain_json(tmp_path):
    write(tmp_path, steps=np.int64(5), rate=np.float32(0.5), on=np.bool_(True), units=np.array([4, 2]), family=Weibull)
    expected = {"steps": 5, "rate": 0.5, "on": True, "units": (4, 2), "family": "weibull"}
    assert read_model(tmp_path, "Toy").parameters == expected


def test_a_setting_json_cannot_hold_is_named(tmp_path):
    with pytest.raises(ModelFileError, match=r"a setting of Toy cannot be written as JSON .*is a set"):
        write(tmp_path, seed={1, 2})


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "model", tmp_path / "nul\0"):
        with pytest.raises(ModelFileError, match="cannot write a model there"):
            write(path)


def test_a_path_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ModelFileError, match="no model there"):
        read_model(tmp_path / "nul\0", "Toy")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"n_features": 0}, "n_features is 0"),
        ({"n_features": 2.0}, "n_features is 2.0"),
        ({"n_features": True}, "n_features is True"),
        ({"n_features": float("inf")}, "n_features is inf"),
        ({"n_features": None}, "n_features is None"),
        ({"feature_names": ["x"]}, "feature_names are not 2 names"),
        ({"feature_names": "xy"}, "feature_names are not 2 names"),
        ({"feature_names": [1, 2]}, "feature_names are not 2 names"),
        ({"parameters": [1]}, r"parameters is \[1\]"),
        ({"format_version": "1"}, "format_version is '1', not a whole number"),
        ({"format_version": None}, "format_version is None"),
        ({"format_version": 7}, "format version 7; this release reads version 6. Upgrade"),
        ({"format_version": 1}, "format version 1; this release reads version 6. Install an older"),
        ({"sha256": 5}, "checksum differs"),
        ({"format": "tea"}, "not a bayes-distnet model file"),
    ],
)
def test_a_changed_header_is_named(folder, header, message):
    change(folder, **header)
    with pytest.raises(ModelFileError, match=message):
        read_model(folder, "Toy")


def test_a_header_nested_without_end_is_named(folder):
    (folder / "model.json").write_text("[" * 100_000)
    with pytest.raises(ModelFileError, match="not JSON, truncated or changed"):
        read_model(folder, "Toy")


def test_a_model_that_works_is_restored(folder):
    taken = {}
    read_model(folder, "Toy").restore(taken.update, lambda: np.array([2.0]))
    assert list(taken) == ["a"]


@pytest.mark.parametrize("error", [KeyError("a"), AttributeError("b"), ZeroDivisionError(), MemoryError()])
def test_every_error_of_arrays_or_probe_becomes_one_error(folder, error):
    def fails(*_):
        raise error

    saved = read_model(folder, "Toy")
    message = f"do not form a model \\({type(error).__name__}"
    with pytest.raises(ModelFileError, match=message):
        saved.restore(fails, lambda: np.ones(1))
    with pytest.raises(ModelFileError, match=message):
        saved.restore(lambda arrays: None, fails)


@pytest.mark.parametrize("median", [np.nan, np.inf, 0.0, -1.0])
def test_a_model_that_predicts_no_runtime_is_refused(folder, median):
    with pytest.raises(ModelFileError, match=r"do not form a model .*median runtime"):
        read_model(folder, "Toy").restore(lambda arrays: None, lambda: np.array([median]))


def test_writing_leaves_no_partial_files(folder):
    assert sorted(os.listdir(folder)) == ["model.json", "model.safetensors"]


@pytest.fixture(scope="module")
def data():
    return make_runs(n_instances=40, n_runs=3, n_features=5, random_state=3).cut_off(0.2)


@pytest.fixture
def saved(data, tmp_path):
    folder = tmp_path / "model"
    Ridge().fit(data.features, data.seconds).save(folder)
    return folder


def test_saved_models_hold_no_code(saved):
    assert sorted(p.name for p in saved.iterdir()) == ["model.json", "model.safetensors"]


def test_a_file_cut_short_is_named(saved):
    arrays = saved / "model.safetensors"
    arrays.write_bytes(arrays.read_bytes()[:-7])
    with pytest.raises(ModelFileError, match="truncated or changed"):
        Ridge.load(saved)


def test_a_header_cut_short_is_named(saved):
    header = saved / "model.json"
    header.write_bytes(header.read_bytes()[:50])
    with pytest.raises(ModelFileError, match="not JSON, truncated or changed"):
        Ridge.load(saved)


def test_a_newer_format_asks_for_an_upgrade(saved):
    header = json.loads((saved / "model.json").read_text())
    (saved / "model.json").write_text(json.dumps(header | {"format_version": 99}))
    with pytest.raises(ModelFileError, match="format version 99; this release reads version 6"):
        Ridge.load(saved)


def test_another_kind_of_model_is_named(saved):
    with pytest.raises(ModelFileError, match="holds a Ridge, not a KNearest"):
        KNearest.load(saved)


def test_no_model_there_is_an_error(tmp_path):
    with pytest.raises(ModelFileError, match="no model there"):
        Ridge.load(tmp_path / "nowhere")


def test_unknown_settings_in_a_header_are_an_error(saved):
    header = json.loads((saved / "model.json").read_text())
    (saved / "model.json").write_text(json.dumps(header | {"parameters": {"colour": "red"}}))
    with pytest.raises(ModelFileError, match="settings that this release does not have"):
        Ridge.load(saved)


def test_a_loaded_model_predicts_without_jax(data, tmp_path):
    HybridDistNet(max_iter=50, n_members=2, n_draws=4, n_estimators=10).fit(data.features, data.seconds).save(
        tmp_path / "m"
    )
    data.features.to_csv(tmp_path / "x.csv")
    program = (
        "import sys, pandas as pd; from bayes_distnet import HybridDistNet;"
        f"m = HybridDistNet.load({str(tmp_path / 'm')!r});"
        f"x = pd.read_csv({str(tmp_path / 'x.csv')!r}, index_col=0);"
        "m.predict(x); m.familiarity(x); assert 'jax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
