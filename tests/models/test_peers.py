import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from bayes_distnet import SettingError, make_runs
from bayes_distnet.distributions.predicted_runtimes import check_distribution
from bayes_distnet.models.limits import best_lognormal, empirical, kaplan_meier
from bayes_distnet.models.peers.comparison import StandardLogTime, best_scale, held_out_loss, require
from bayes_distnet.models.registry import MODELS as ENTRIES
from bayes_distnet.models.registry import ModelEntry, find_model

MODELS = [key for key, peer in ENTRIES.items() if not peer.is_limit]
LIMITS = [key for key, peer in ENTRIES.items() if peer.is_limit]
OTHER_PACKAGES = [key for key, peer in ENTRIES.items() if peer.needs is not None]
SLOW = ("bayes-runtimes", "bayes-paper", "distnet-paper")  # to compile, and the published settings know no steps
QUICK = {"steps": 50, "members": 2, "trees": 20, "rounds": 30}


def quick(key, seed=0):
    """A peer's model, small enough for a test."""
    peer = ENTRIES[key]
    if peer.needs is not None:
        pytest.importorskip(peer.needs)
    model = peer.build("lognormal", seed)
    return model.set_params(**{name: value for name, value in QUICK.items() if name in model.get_params()})


@pytest.fixture(autouse=True)
def few_penalties(monkeypatch):
    monkeypatch.setattr("bayes_distnet.models.peers.lifelines_aft.PENALTIES", (0.3,))  # a fit takes half a second


@pytest.fixture(scope="module")
def runs():
    return make_runs(n_instances=40, n_runs=3, n_features=6, random_state=0).cut_off(0.4)


@pytest.mark.parametrize("key", [pytest.param(key, marks=pytest.mark.slow if key in SLOW else ()) for key in MODELS])
def test_every_model_predicts_a_distribution_and_knows_what_cut_off_means(key, runs):
    model = quick(key)
    rtd = model.fit(runs.features, runs.seconds, finished=runs.finished).predict_distribution(runs.features)
    assert_proper(rtd, len(runs.features))
    naive = clone(model).fit(runs.features, runs.seconds).predict(runs.features)
    hard = ~runs.finished.any(axis=1)
    assert hard.sum() >= 3
    # The published settings hardly learn from so little data.
    assert np.median(np.log(rtd.median()[hard] / naive[hard])) > (0.0 if key.endswith("paper") else 0.05)


def assert_proper(rtd, rows):
    check_distribution(rtd)
    assert len(rtd) == rows
    cdf = rtd.cdf(np.geomspace(1e-4, 1e6, 60))
    assert (np.diff(cdf, axis=1) >= 0).all()
    assert cdf.min() >= 0
    assert cdf.max() <= 1
    median = rtd.median()
    assert np.isfinite(median).all()
    assert (median > 0).all()


@pytest.mark.parametrize("key", ["forest", *OTHER_PACKAGES])
def test_the_seed_fixes_the_result(key, runs):
    first, again = (quick(key, seed=3).fit(runs.features, runs.seconds, finished=runs.finished) for _ in range(2))
    np.testing.assert_array_equal(first.predict(runs.features), again.predict(runs.features))


@pytest.mark.parametrize("key", OTHER_PACKAGES)
def test_other_packages_models_learn_from_features(key):
    data = make_runs(n_instances=150, n_runs=4, n_features=6, random_state=1)
    train, test = data.take(np.arange(120)), data.take(np.arange(120, 150))
    model = quick(key).set_params(**{"rounds": 100} if "rounds" in quick(key).get_params() else {})
    score = model.fit(train.features, train.seconds).score(test.features, test.seconds)
    marginal = quick("marginal").fit(train.features, train.seconds).score(test.features, test.seconds)
    assert score > marginal + 0.3


@pytest.mark.parametrize("key", OTHER_PACKAGES)
def test_other_packages_models_bear_odd_tables(key, runs):
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
def test_other_packages_models_cannot_be_saved_but_pickled(key, runs, tmp_path):
    model = quick(key).fit(runs.features, runs.seconds, finished=runs.finished)
    with pytest.raises(SettingError, match="cannot be saved"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    there = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(there.predict(runs.features), model.predict(runs.features))


def test_gradients_of_the_lognormal_for_ngboost_are_those_of_its_score():
    pytest.importorskip("ngboost")
    from bayes_distnet.models.peers.ngboost_lognormal import RunsLogNormal, RunsLogScore, packed

    class Both(RunsLogScore, RunsLogNormal):
        pass

    rng = np.random.default_rng(0)
    z, finished = rng.normal(size=(5, 4)), rng.random((5, 4)) < 0.5
    z[0, 2:] = np.nan
    y, at, step = packed(z, finished), rng.normal(size=(2, 5)), 1e-6
    for j, shift in enumerate(np.eye(2)[:, :, None] * step):
        slope = (Both(at + shift).score(y) - Both(at - shift).score(y)) / (2 * step)
        np.testing.assert_allclose(Both(at).d_score(y)[:, j], slope, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("key", list(ENTRIES))
def test_peers_travel_to_other_processes(key):
    there = pickle.loads(pickle.dumps(ENTRIES[key]))
    assert there.label == ENTRIES[key].label
    if there.make is not None:
        model = there.make("inverse-gaussian", 7)
        assert model.get_params().get("seed", 7) == 7
        assert ("family" in model.get_params()) == bool(there.families)


def test_importing_peers_imports_none_of_the_packages():
    program = (
        "import sys, bayes_distnet.models.peers; "
        "print([m for m in ('jax', 'ngboost', 'xgboost', 'lifelines', 'quantile_forest') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", LIMITS)
def test_limits_beat_every_prediction_and_bear_rows_without_runs(key):
    data = make_runs(n_instances=20, n_runs=60, random_state=0)
    seconds, finished = data.seconds.copy(), data.finished.copy()
    seconds[3], finished[3] = np.nan, False  # no run
    finished[4] = False  # no run finished
    finished[5, :30] = False
    rtd = ENTRIES[key].limit_of(seconds, finished)
    assert_proper(rtd, 20)
    assert rtd.median()[4] > seconds[4].max()
    assert rtd.median()[5] > np.median(seconds[5])
    whole = np.r_[0:3, 6:20]
    truth = data.truth[whole].log_pdf(seconds[whole]).mean()
    assert rtd[whole].log_pdf(seconds[whole]).mean() > truth
    np.testing.assert_allclose(np.log(rtd[whole].median() / data.truth[whole].median()), 0.0, atol=0.3)


def test_the_best_lognormal_sees_past_the_cutoff():
    runs = np.random.default_rng(0).lognormal(1.0, 0.5, size=(3, 4000))
    rtd = best_lognormal(np.minimum(runs, 2.5), runs < 2.5)
    np.testing.assert_allclose(np.log(rtd.median()), 1.0, atol=0.05)


def test_the_empirical_distribution_keeps_both_humps():
    rng = np.random.default_rng(0)
    runs = np.r_[rng.lognormal(0.0, 0.1, 50), rng.lognormal(3.0, 0.1, 50)][None]
    rtd = empirical(runs, np.ones((1, 100), bool))
    assert rtd.cdf(4.0)[0] == pytest.approx(0.5, abs=0.02)


def test_kaplan_meier_leaves_the_mass_past_the_last_cutoff():
    times, finished = np.array([2.0, 1.0, 2.0, 3.0]), np.array([True, True, False, False])
    # 3/4 survive the first; of the 3 alive at 2.0 one finishes, and the one cut off there was alive.
    np.testing.assert_allclose(kaplan_meier(times, finished), [0.25, 0.25, 0.0, 0.0])


# -- what adapters share -----------------------------------------------------------------------------------------------


def test_the_best_scale_is_the_maximum_of_the_censored_likelihood():
    z = np.random.default_rng(0).normal(size=4000) * 0.5
    finished = z < 0.3
    scale = best_scale(np.minimum(z, 0.3), finished, np.zeros(4000))
    assert scale == pytest.approx(0.5, rel=0.05)
    losses = [held_out_loss(np.minimum(z, 0.3), finished, np.zeros(4000), scale * factor) for factor in (0.9, 1.0, 1.1)]
    assert np.argmin(losses) == 1


def test_standard_log_time_is_undone():
    rtd = StandardLogTime(center=2.0, spread=0.5).lognormal(np.array([0.0, 2.0]), np.array([1.0, 2.0]))
    np.testing.assert_allclose(np.log(rtd.median()), [2.0, 3.0])
    np.testing.assert_allclose(rtd.components.scale[:, 0], [0.5, 1.0])


def test_a_missing_package_says_how_to_get_it(monkeypatch):
    with pytest.raises(SettingError, match=r"no-such-package is not installed; pip install 'bayes-distnet\[peers\]'"):
        require("no_such_package")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SettingError, match=r"quantile-forest is not installed; pip install 'bayes-distnet\[peers\]'"):
        find_model("quantile-forest")


# -- peers of one's own ------------------------------------------------------------------------------------------------

OWN = """
from dataclasses import dataclass
from bayes_distnet import Marginal, Ridge
from bayes_distnet.models.registry import ModelEntry

@dataclass
class Settings:
    depth: int = 3

class Mine(Ridge):
    def __init__(self, depth=3, seed=0):
        self.depth = depth
        self.seed = seed

class NeedsSettings(Mine):
    def __init__(self, depth):
        self.depth = depth

def make(family, seed):
    return Mine(depth=5, seed=seed)

deep = Mine(depth=9)
peer = ModelEntry("deep", "mine, deep", make=make)
missing = ModelEntry("other", "other", make=make, needs="no_such_package")
number = 3
"""


@pytest.fixture
def own(tmp_path):
    file = tmp_path / "own_peers.py"
    file.write_text(OWN)
    return file


@pytest.mark.parametrize(
    ("attribute", "name", "depth"), [("Mine", "Mine", 3), ("deep", "deep", 9), ("peer", "mine, deep", 5)]
)
def test_peers_of_ones_own_come_from_a_file(own, attribute, name, depth, runs):
    peer = find_model(f"{own}:{attribute}")
    assert isinstance(peer, ModelEntry)
    model = peer.build("lognormal", 7)
    assert (peer.label, model.depth, model.seed) == (name, depth, 7)
    assert_proper(model.fit(runs.features, runs.seconds).predict_distribution(runs.features), 40)


def test_a_file_that_leaves_is_an_error_not_the_end(tmp_path):
    (tmp_path / "mine.py").write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(SettingError, match=r"cannot load .*SystemExit: 0"):
        find_model(f"{tmp_path / 'mine.py'}:Model")


def test_peers_of_ones_own_come_from_a_module():
    assert find_model("bayes_distnet.models.random_forest:RandomForest").build("", 5).random_state == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rigde", "'rigde': expected one of hybrid, bayes, .*limit-empirical; or a model of your own"),
        ("no_such_module:Model", "cannot load 'no_such_module': ModuleNotFoundError"),
        ("no/such/file.py:Model", "cannot load 'no/such/file.py': FileNotFoundError"),
        ("{own}:Yours", "it has no 'Yours'; there: Mine, NeedsSettings, deep, peer, missing"),
        ("{own}:number", "expected a ModelEntry, or a model .* or its class; found 3"),
        ("{own}:NeedsSettings", "missing 1 required positional argument: 'depth'. Give a model"),
        ("{own}:missing", r"no-such-package is not installed\.$"),
    ],
)
def test_a_peer_that_cannot_be_found_says_why(own, text, message):
    with pytest.raises(SettingError, match=message):
        find_model(text.format(own=own))


def test_a_file_that_fails_says_where(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(SettingError, match=r"cannot load .*broken.py': ZeroDivisionError: division by zero"):
        find_model(f"{tmp_path / 'broken.py'}:Model")


def test_a_peer_is_a_model_or_a_limit():
    with pytest.raises(SettingError, match=r"give make .* or limit"):
        ModelEntry("neither", "neither")
