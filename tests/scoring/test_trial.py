import numpy as np
import pytest
from made_data import made_data

from bayes_distnet import Marginal, Ridge
from bayes_distnet.errors import SettingError
from bayes_distnet.scoring.likelihood import kld, nllh
from bayes_distnet.scoring.registry import SCORES
from bayes_distnet.scoring.trial import Part, Trial, fit_and_score, score_all, score_names


@pytest.fixture(scope="module")
def parts():
    data = made_data(n_instances=30, n_runs=4)
    return [
        Part(data.features.iloc[rows], data.seconds[rows], data.finished[rows]) for rows in np.split(range(30), [20])
    ]


def test_a_trial_is_a_fit_and_a_prediction_by_hand(parts):
    train, test = parts
    trial = fit_and_score(Ridge(), train, test, ["nllh", "kld"])
    rtd = Ridge().fit(train.features, train.seconds).predict_distribution(test.features)
    assert list(trial.values) == ["nllh", "kld"]
    np.testing.assert_allclose(trial.values["nllh"], nllh(rtd, test.seconds))
    assert trial.means["kld"] == pytest.approx(kld(rtd, test.seconds).mean())
    assert trial.rtd.median() == pytest.approx(rtd.median())
    assert trial.fit_seconds > 0
    assert trial.predict_seconds > 0


def test_published_scores_take_the_longest_training_run(parts):
    train, test = parts
    rtd = Marginal().fit(train.features, train.seconds).predict_distribution(test.features)
    found = score_all(rtd, test.seconds, test.finished, SCORES, scale=100.0)
    assert list(found) == list(SCORES)
    np.testing.assert_allclose(found["kld_published"], kld(rtd, test.seconds, published=True, scale=100.0))
    assert {key for key, values in found.items() if values.shape != (10,)} == {"calibration"}


def test_means_leave_out_instances_without_a_score():
    values = {"a": [1.0, np.nan, 3.0], "b": [np.nan, np.nan], "c": [np.inf, 1.0, np.nan], "d": 0.5}
    means = Trial(None, {key: np.asarray(value) for key, value in values.items()}, 0.0, 0.0).means
    assert means == pytest.approx({"a": 2.0, "b": np.nan, "c": np.inf, "d": 0.5}, nan_ok=True)


@pytest.mark.parametrize("bad", ["nllh", ["mae"], [["nllh"]], [], None])
def test_names_of_scores_are_a_list_of_keys(bad):
    with pytest.raises(SettingError, match="scores"):
        score_names(bad)
