import numpy as np
import pytest

from bayes_distnet.data.observations import observe
from bayes_distnet.data.synthetic import make_runs
from bayes_distnet.distributions.ticks import log_tick_density
from bayes_distnet.models.marginal import Marginal
from bayes_distnet.models.random_forest import RandomForest
from bayes_distnet.models.ridge import Ridge


class Spy(Marginal):
    """Keeps the observations that a model learns from."""

    def _fit(self, features, observations):
        self.seen_ = observations
        return super()._fit(features, observations)


@pytest.fixture(scope="module")
def made():
    return make_runs(n_instances=150, n_runs=2, n_features=4, random_state=0)


def ticks_of(made):
    scale = 0.05 / np.median(made.seconds)
    return np.maximum(made.seconds * scale, 0.006).round(2)


def test_models_learn_from_times_without_ticks_bit_for_bit(made):
    model = Spy().fit(made.features, made.seconds)
    _, given = observe(np.asarray(made.features), made.seconds)
    assert model.training_runs_.tick is None
    np.testing.assert_array_equal(model.seen_.seconds, given.seconds)


def test_models_learn_from_ticks_spread_out(made):
    seconds = ticks_of(made)
    finished = seconds < np.quantile(seconds, 0.9)
    model = Spy().fit(made.features, seconds, finished=finished)
    _, given = observe(np.asarray(made.features), seconds, finished)
    seen = model.seen_
    assert model.training_runs_.tick == 0.01
    np.testing.assert_array_equal(seen.seconds[~given.finished], given.seconds[~given.finished])
    known = seen.seconds[given.finished]
    assert len(np.unique(known)) == len(known) > 3 * len(np.unique(given.seconds[given.finished]))
    assert np.abs(known - given.seconds[given.finished]).max() < 0.005


def test_the_random_state_fixes_the_spread(made):
    seconds = ticks_of(made)
    fitted = [RandomForest(n_estimators=5, random_state=seed).fit(made.features, seconds) for seed in (0, 0, 1)]
    one, same, other = (model.predict(made.features) for model in fitted)
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_score_is_of_intervals_of_the_tick_that_was_learnt(made):
    seconds = ticks_of(made)
    model = Ridge().fit(made.features, seconds)
    rtd = model.predict_distribution(made.features)
    few = slice(0, 5)  # too few runs to see the tick again
    expected = log_tick_density(rtd[few], seconds[few], 0.01).mean()
    assert model.score(made.features[few], seconds[few]) == pytest.approx(expected)
    assert expected != pytest.approx(rtd[few].log_pdf(seconds[few]).mean(), rel=1e-6)


def test_a_saved_model_keeps_its_tick(made, tmp_path):
    for name, seconds, tick in (("ticks", ticks_of(made), 0.01), ("none", made.seconds, None)):
        Ridge().fit(made.features, seconds).save(tmp_path / name)
        assert Ridge.load(tmp_path / name).training_runs_.tick == tick


def test_unseen_predictions_rest_on_the_same_times(made):
    unseen = Ridge().fit_unseen(made.features, ticks_of(made))
    assert np.all(np.isfinite(unseen.median()))
    assert len(unseen) == 150
