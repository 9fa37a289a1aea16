"""Damaged model folders: loading raises the package's own errors with the folder's name, and nothing else.

The checksum of changed arrays is put right, as somebody would who changes them on purpose: it must not be the only
defence.
"""

import contextlib
import hashlib
import json
import shutil
import warnings

import numpy as np
import pytest
import safetensors.numpy
from fuzzing import damaged_bytes, damaged_json, only_own_errors
from hypothesis import given
from hypothesis import strategies as st
from made_portfolios import two_specialists

from bayes_distnet import BayesDistNetError, DistNet, HybridDistNet, KNearest, RandomForest, Ridge, load_model
from bayes_distnet.decide.portfolio.model import PortfolioModel
from bayes_distnet.models.library import save_model, train
from bayes_distnet.report.contents import contents

pytestmark = pytest.mark.slow

NEW = np.array([[0.3, -0.2]])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def saved(place):
    """Return the folder of a small model of each kind, by its name."""
    x = np.random.default_rng(0).normal(size=(40, 2))
    seconds = np.exp(x[:, 0])
    small = {
        "network": DistNet(max_iter=3),
        "hybrid": HybridDistNet(max_iter=3, n_members=2, n_draws=2, n_estimators=4),
        "forest": RandomForest(n_estimators=4),
        "neighbours": KNearest(),
    }
    for name, model in small.items():
        model.fit(x, seconds).save(place / name)
    data = two_specialists(n=40)
    save_model(PortfolioModel(Ridge()).fit(data), place / "portfolio")
    train(data.of("left"), "ridge", out=place / "trained", bounds=0.5, yardsticks=True)
    return place


@st.composite
def damaged_array(draw, array):
    """Return an array with values, a shape or a type that the model did not write."""
    array = np.array(array)
    how = draw(st.sampled_from(["value", "value", "all", "cut", "grow", "shape", "type", "empty"]))
    if how == "cut":
        return array[: draw(st.integers(0, max(len(array) - 1, 0)))] if array.ndim else array.reshape(1)
    if how == "grow":
        return np.concatenate([np.atleast_1d(array)] * 2)
    if how == "shape":
        return array.reshape(draw(st.sampled_from([(-1,), (1, -1), (-1, 1), (1, 1, -1)])))
    if how == "type":
        with np.errstate(all="ignore"):
            return array.astype(draw(st.sampled_from(["float32", "float16", "int64", "int8", "uint8", "bool"])))
    if how == "empty":
        return array[:0] if array.ndim else array
    value = draw(st.sampled_from([np.nan, np.inf, -np.inf, -1, 0, 1, 2**31 - 1, 2**62, -(2**62), 1e300, -1e300]))
    with np.errstate(all="ignore"), contextlib.suppress(OverflowError, ValueError):
        where = slice(None) if how == "all" or not array.size else draw(st.integers(0, array.size - 1))
        array.reshape(-1)[where] = value
    return array


@st.composite
def damaged_arrays(draw, arrays):
    """Return the arrays of a model with one of them damaged, missing, renamed or exchanged."""
    arrays, names = dict(arrays), sorted(arrays)
    name = draw(st.sampled_from(names))
    how = draw(st.sampled_from(["damage", "damage", "damage", "damage", "remove", "rename", "exchange"]))
    if how == "damage":
        arrays[name] = draw(damaged_array(arrays[name]))
    elif how == "exchange":
        other = draw(st.sampled_from(names))
        arrays[name], arrays[other] = arrays[other], arrays[name]
    else:
        taken = arrays.pop(name)
        if how == "rename":
            arrays[draw(st.text(max_size=5))] = taken
    return arrays


def damage(folder, data):
    """Damage one file of a model folder; where the checksum of arrays is part of the damage, put it right."""
    arrays = sorted(folder.rglob("*.safetensors"))
    texts = sorted(folder.rglob("*.json"))
    how = data.draw(st.sampled_from(["arrays", "arrays", "json", "bytes"]))
    if how == "json":
        file = data.draw(st.sampled_from(texts))
        file.write_text(json.dumps(data.draw(damaged_json(json.loads(file.read_text())))))
    elif how == "bytes":
        file = data.draw(st.sampled_from(arrays + texts))
        file.write_bytes(data.draw(damaged_bytes(file.read_bytes())))
    else:
        file = data.draw(st.sampled_from(arrays))
        content = file.read_bytes()
        changed = data.draw(damaged_arrays(safetensors.numpy.load(content)))
        payload = safetensors.numpy.save({name: np.ascontiguousarray(array) for name, array in changed.items()})
        file.write_bytes(payload)
        before, after = (hashlib.sha256(content).hexdigest() for content in (content, payload))
        for text in texts:
            text.write_text(text.read_text().replace(before, after))


@pytest.mark.parametrize("kind", ["network", "hybrid", "forest", "neighbours", "trained"])
@given(data=st.data())
def test_folders_of_models(saved, kind, data):
    folder = saved / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved / kind, folder)
    damage(folder, data)
    with only_own_errors(folder):
        contents(folder)
    with only_own_errors(folder):
        model = load_model(folder)
        use(model.predict_distribution, NEW)


@given(data=st.data())
def test_folders_of_portfolios(saved, data):
    folder = saved / "damaged-portfolio"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved / "portfolio", folder)
    damage(folder, data)
    with only_own_errors(folder):
        contents(folder)
    with only_own_errors(folder):
        model = PortfolioModel.load(folder)
        use(model.choose, NEW)


def use(predict, x):
    """Predict: numbers that a stranger chose may be absurd, and are then an error of the package or overflow."""
    with warnings.catch_warnings(), contextlib.suppress(BayesDistNetError):
        warnings.simplefilter("ignore")
        predict(x)
