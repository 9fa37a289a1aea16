import pickle

import numpy as np
import pytest
from proper import assert_proper
from sklearn.base import clone

from bayes_distnet import make_runs
from bayes_distnet.errors import SettingError
from bayes_distnet.models.registry import MODELS as ENTRIES

MODELS = [key for key, peer in ENTRIES.items() if not peer.is_limit]


OTHER_PACKAGES = [key for key, peer in ENTRIES.items() if peer.needs is not None]


# The first takes long to compile, and the published settings have a fixed number of steps.
SLOW = ("bayes-runtimes", "bayes-paper", "distnet-paper")
QUICK = {"max_iter": 50, "n_members": 2, "n_estimators": 20}


def quick(key, seed=0):
    """A peer's model, small enough for a test."""
    peer = ENTRIES[key]
    if peer.needs is not None:
        pytest.importorskip(peer.needs)
    model = peer.build("lognormal", seed)
    own = {} if peer.published else {name: value for name, value in QUICK.items() if name in model.get_params()}
    return model.set_params(**own)


@pytest.fixture(autouse=True)
def few_penalties(monkeypatch):
    monkeypatch.setattr("bayes_distnet.models.peers.lifelines_aft.PENALTIES", (0.3,))  # a fit takes half a second


@pytest.mark.parametrize("key", [pytest.param(key, marks=pytest.mark.slow if key in SLOW else ()) for key in MODELS])
def test_every_model_predicts_a_distribution_and_learns_from_censored_runs(key, runs):
    model = quick(key)
    rtd = model.fit(runs.features, runs.seconds, finished=runs.finished).predict_distribution(runs.features)
    assert_proper(rtd, len(runs.features))
    naive = clone(model).fit(runs.features, runs.seconds).predict(runs.features)
    hard = ~runs.finished.any(axis=1)
    assert hard.sum() >= 3
    # The published settings hardly learn from so little data.
    assert np.median(np.log(rtd.median()[hard] / naive[hard])) > (0.0 if key.endswith("paper") else 0.05)


@pytest.mark.parametrize("key", ["forest", *OTHER_PACKAGES])
def test_the_seed_fixes_the_result(key, runs):
    first, again = (quick(key, seed=3).fit(runs.features, runs.seconds, finished=runs.finished) for _ in range(2))
    np.testing.assert_array_equal(first.predict(runs.features), again.predict(runs.features))


@pytest.mark.parametrize("key", OTHER_PACKAGES)
def test_other_packages_models_learn_from_features(key):
    data = make_runs(n_instances=150, n_runs=4, n_features=6, random_state=1)
    train, test = data.take(np.arange(120)), data.take(np.arange(120, 150))
    model = quick(key).set_params(**{"n_estimators": 100} if "n_estimators" in quick(key).get_params() else {})
    score = model.fit(train.features, train.seconds).score(test.features, test.seconds)
    marginal = quick("marginal").fit(train.features, train.seconds).score(test.features, test.seconds)
    assert score > marginal + 0.3


@pytest.mark.parametrize("key", OTHER_PACKAGES)
def test_other_packages_models_accept_odd_tables(key, runs):
    features = runs.features.to_numpy().copy()
    features[::3, 1] = np.nan
    features[:, 2] = 1.0
    features[:, 3] = features[:, 0]
    model = quick(key).fit(features, runs.seconds, finished=runs.finished)
    assert_proper(model.predict_distribution(features), len(features))
    constant = quick(key).fit(np.ones((40, 1)), runs.seconds, finished=runs.finished)
    assert_proper(constant.predict_distribution(np.ones((2, 1))), 2)
    two = quick(key).fit(features[:2], np.array([1.0, 3.0]), finished=np.array([True, False]))
    assert_proper(two.predict_distribution(features[:2]), 2)


@pytest.mark.parametrize("key", OTHER_PACKAGES)
def test_other_packages_models_can_be_pickled_and_not_saved(key, runs, tmp_path):
    model = quick(key).fit(runs.features, runs.seconds, finished=runs.finished)
    with pytest.raises(SettingError, match="cannot be saved"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    there = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(there.predict(runs.features), model.predict(runs.features))
