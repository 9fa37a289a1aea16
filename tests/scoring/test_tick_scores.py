import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.observations import ZeroRuntimeWarning
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.models.marginal import Marginal
from bayes_distnet.models.random_forest import RandomForest
from bayes_distnet.scoring.comparison import compare
from bayes_distnet.scoring.evaluation import evaluate
from bayes_distnet.scoring.feature_importance import importance
from bayes_distnet.scoring.likelihood import joint_nllh, nllh
from bayes_distnet.scoring.registry import SCORES
from bayes_distnet.scoring.trial import score_all

LAW = stats.lognorm(0.7, scale=0.05)
RTD = RuntimeDistribution(LogNormal([[np.log(0.05)]], [[0.7]]))


def ticking(n=300, seed=0):
    """Features and times by a timer that ticks at 0.01 s."""
    rng = np.random.default_rng(seed)
    features = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"), index=[f"i{k}" for k in range(n)])
    return features, np.maximum(0.1 * np.exp(features["a"] + 0.3 * rng.normal(size=n)), 0.006).round(2).to_numpy()


def dataset(n=300, seed=0):
    features, seconds = ticking(n, seed)
    frame = pd.DataFrame({"instance": features.index, "seconds": seconds, "status": "solved"})
    return Dataset(RunTable.from_frame(frame), features)


def test_nllh_of_a_tick_is_that_of_its_interval():
    runs = np.array([[0.01, 0.05, 0.05, 0.2]])
    mass = LAW.cdf(runs + 0.005) - LAW.cdf(runs - 0.005)
    expected = -np.log(mass / 0.01 * 0.2).mean()
    assert nllh(RTD, runs, tick=0.01) == pytest.approx(expected)
    assert joint_nllh(RTD, runs, tick=0.01) == pytest.approx(expected)  # one draw
    assert nllh(RTD, runs, tick=1e-9) == pytest.approx(nllh(RTD, runs))


def test_a_run_of_0_s_took_at_most_half_a_tick():
    with pytest.warns(ZeroRuntimeWarning, match=r"they are taken as 0\.005 s, half of the timer's tick"):
        found = nllh(RTD, [[0.0, 0.08]], tick=0.01)
    zero, other = LAW.cdf(0.005) / 0.005, (LAW.cdf(0.085) - LAW.cdf(0.075)) / 0.01
    assert found == pytest.approx(-np.log([zero * 0.08, other * 0.08]).mean())


def test_a_run_that_was_cut_off_counts_with_its_survival():
    assert nllh(RTD, [0.08], [False], tick=0.01) == pytest.approx(-LAW.logsf(0.08))


def test_spikes_at_the_ticks_are_not_rewarded():
    truth = LAW.rvs(4000, random_state=0).round(2)
    truth = truth[truth > 0]
    values, counts = np.unique(truth, return_counts=True)
    spikes = RuntimeDistribution(LogNormal(np.log(values)[None], 1e-6), weights=counts)[np.zeros(len(truth), dtype=int)]
    smooth = RTD[np.zeros(len(truth), dtype=int)]
    assert nllh(spikes, truth).mean() < nllh(smooth, truth).mean() - 3.0
    gain = (nllh(smooth, truth, tick=0.01) - nllh(spikes, truth, tick=0.01)).mean()
    # The spikes have the shares of the test runs themselves, which is worth half a nat per parameter, not more.
    assert abs(gain) < 2 * len(values) / len(truth)


@pytest.mark.parametrize("score", [nllh, joint_nllh])
@pytest.mark.parametrize("tick", [0.0, -0.01, "auto", np.inf])
def test_a_tick_is_a_positive_number(score, tick):
    with pytest.raises(SettingError, match="tick="):
        score(RTD, [0.05], tick=tick)


def test_the_published_score_has_no_ticks():
    with pytest.raises(SettingError, match="published"):
        nllh(RTD, [0.05], tick=0.01, published=True)
    scores = score_all(RTD, [0.05], None, [key for key, score in SCORES.items() if score.computed], tick=0.01)
    assert scores["nllh_published"] == nllh(RTD, [0.05], published=True)
    assert scores["nllh"] == scores["joint_nllh"] == nllh(RTD, [0.05], tick=0.01) != nllh(RTD, [0.05])


def test_evaluate_recognises_the_tick():
    data = dataset()
    model = Marginal().fit(data.features, data.seconds[:, 0])
    rtd = model.predict_distribution(data.features)
    np.testing.assert_array_equal(evaluate(model, data)["nllh"], nllh(rtd, data.seconds, tick=0.01))
    np.testing.assert_array_equal(evaluate(model, data, tick=None)["nllh"], nllh(rtd, data.seconds))
    np.testing.assert_array_equal(evaluate(model, data, tick=0.02)["nllh"], nllh(rtd, data.seconds, tick=0.02))


def test_evaluate_takes_the_tick_of_all_runs_for_those_of_a_block(monkeypatch):
    data = dataset()
    whole = evaluate(model := Marginal().fit(data.features, data.seconds[:, 0]), data)
    monkeypatch.setattr("bayes_distnet.scoring.evaluation.ROWS", 15)  # too few runs to see a tick
    pd.testing.assert_frame_equal(evaluate(model, data), whole)


def test_compare_recognises_the_tick_and_reports_it():
    features, seconds = ticking()
    lines = []
    found = {
        tick: compare({"m": Marginal()}, features, seconds, folds=2, scores=["nllh"], tick=tick, progress=lines.append)
        for tick in ("auto", 0.01, None)
    }
    assert found["auto"]["value"].tolist() == found[0.01]["value"].tolist() != found[None]["value"].tolist()
    assert [line for line in lines if "ticks every 0.01 s" in line] == [lines[0], lines[3]]


def test_importance_is_of_intervals():
    train, test = dataset(), dataset(200, seed=1)
    model = RandomForest(n_estimators=10, random_state=0).fit(train.features, train.seconds[:, 0])
    found = importance(model, test, groups="each", repeats=1)
    rtd = model.predict_distribution(test.features)
    assert found.nllh == pytest.approx(nllh(rtd, test.seconds, tick=0.01).mean())
