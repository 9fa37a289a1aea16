import json

import numpy as np
import pytest
from made_portfolios import two_specialists

from bayes_distnet import KNearest, Marginal
from bayes_distnet.decide.advice import advise
from bayes_distnet.decide.portfolio.model import PortfolioModel
from bayes_distnet.errors import FeatureError, SettingError

LEFT = [[-0.8, 0.0]]


def single(spread, n=200):
    seconds = np.exp(spread * np.random.default_rng(0).normal(size=(n, 4)))
    return Marginal().fit(np.zeros((n, 1)), seconds)


@pytest.fixture(scope="module")
def fitted():
    return PortfolioModel(KNearest(), presolve=False).fit(two_specialists(runs=2))


def test_a_steady_solver_goes_on_and_a_heavy_tail_restarts():
    assert advise(single(0.3), [[0.0]], elapsed=0.9).action == "continue"
    late = advise(single(2.5), [[0.0]], elapsed=200.0, cutoff=1000.0)
    assert late.action == "restart"  # runs differ by luck alone: another one takes 1 s in the median
    assert late.expected["restart"] < late.expected["continue"]


def test_time_left_is_that_of_the_runs_still_going():
    advice = advise(single(1.0), [[0.0]], elapsed=3.0)
    runs = np.exp(np.random.default_rng(1).normal(size=1_000_000))
    left = runs[runs > 3.0] - 3.0
    assert advice.left["median"] == pytest.approx(np.median(left), rel=0.15)
    assert advice.left["q90"] == pytest.approx(np.quantile(left, 0.9), rel=0.2)
    assert advice.left["low"] <= advice.left["median"] <= advice.left["high"]


@pytest.mark.parametrize("running", ["left", "right"])
@pytest.mark.parametrize("deadline", [1.5, 2.0, 4.0, 10.0, 40.0])
def test_time_left_and_chances_are_of_the_same_laws(fitted, running, deadline):
    advice = advise(fitted, LEFT, elapsed=1.0, running=running, deadline=deadline)
    assert (advice.expected["continue"] >= 0.5) == (advice.left["median"] <= deadline - 1.0)
    assert ("more than the time that is left" in advice.why) == (advice.expected["continue"] < 0.5)


def test_the_wrong_solver_is_exchanged_for_the_specialist(fitted):
    advice = advise(fitted, LEFT, elapsed=1.0, running="right")
    assert (advice.action, advice.solver) == ("switch", "left")
    assert advice.expected["switch"] < advice.expected["continue"]
    assert advice.why.startswith("switch: after 1 s, right needs")
    assert advise(fitted, LEFT, elapsed=0.5).action == "continue"


def test_advice_is_json_and_a_table(fitted):
    advice = advise(fitted, LEFT, elapsed=1.0, running="right", deadline=40.0)
    assert json.loads(json.dumps(advice.as_dict()))["action"] == "switch"
    assert advice.to_frame().set_index("action").loc["switch", "advised"]
    assert advice.objective == "chance to finish within 39 s"
    assert advice.expected["switch"] > 0.9


def test_two_solvers_side_by_side_go_on(fitted):
    advice = advise(fitted, LEFT, elapsed=0.5, running=["left", "right"])
    assert (advice.action, advice.solver) == ("continue", "left + right")


def test_the_cost_of_a_switch_counts(fitted):
    free, dear = (advise(fitted, LEFT, 1.0, running="right", overhead=seconds).expected for seconds in (0.0, 5.0))
    assert dear["switch"] == pytest.approx(free["switch"] + 5.0, abs=1.5)
    assert dear["continue"] == free["continue"]


def test_past_the_known_cutoff_expected_time_decides(fitted):
    advice = advise(fitted, LEFT, elapsed=60.0, running="left")
    assert advice.objective == "expected time"
    assert advice.action in ("continue", "restart", "switch")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"elapsed": -1.0}, "elapsed=-1.0: expected seconds, 0 or more"),
        ({"elapsed": 9.0, "deadline": 5.0}, "nothing is left"),
        ({"elapsed": 1.0, "running": "kissat"}, "solver 'kissat': expected one of left, right"),
        ({"elapsed": 1.0, "overhead": np.inf}, "overhead=inf"),
    ],
)
def test_impossible_questions_are_answered_in_one_line(fitted, settings, message):
    with pytest.raises(SettingError, match=message) as caught:
        advise(fitted, LEFT, **settings)
    assert "\n" not in str(caught.value)


def test_advice_is_about_one_instance(fitted):
    with pytest.raises(FeatureError, match="one instance, found 2 rows"):
        advise(fitted, [*LEFT, *LEFT], elapsed=1.0)
