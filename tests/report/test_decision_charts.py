import numpy as np
import pandas as pd

from bayes_distnet.decide.restarts.replay import RecordedRuns
from bayes_distnet.models.registry import Role
from bayes_distnet.report.charts.looks import Looks
from bayes_distnet.report.decision_charts import cutoff_chart, policy_chart


def policies(values):
    rows = [{"policy": name, "role": str(Role.PEER), "gap": value, "gap_error": 0.1} for name, value in values.items()]
    return pd.DataFrame(rows)


def test_policies_are_ranked_and_the_axis_reaches_doing_nothing_and_the_best():
    chart = policy_chart(policies({"a": 0.4, "b": 0.6, "c": 0.5}), "gap", "gap closed", 0.0, 1.0)
    assert [dot.name for dot in chart.dots] == ["b", "c", "a"]
    assert chart.x.low < 0
    assert chart.x.high > 1
    assert chart.rule == 0.0


def test_a_policy_far_off_does_not_stretch_the_axis():
    values = {str(i): 2.0 + i / 10 for i in range(9)} | {"far": -80.0}
    assert policy_chart(policies(values), "gap", "speed-up", 1.0).x.low > 0


def test_recorded_runs_are_steps_beside_the_predicted_times():
    at = np.geomspace(0.5, 8.0, 5)
    curves = pd.DataFrame({"model": "RandomForest", "family": "", "at": at, "mean": 3.0, "low": 2.0, "high": 4.0})
    runs = RecordedRuns.of(np.array([1.0, 2.0, 4.0]), np.array([True, True, True]))
    recorded, predicted = cutoff_chart(curves, runs, "one", Looks.of(curves)).lines
    assert recorded.steps
    assert np.isnan(recorded.y[0])  # no run finishes within half a second
    assert recorded.y[-1] == np.mean([1.0, 2.0, 4.0])  # as without restarts
    np.testing.assert_allclose(predicted.high, 4.0)
