"""Journey 1: features, seconds and timeouts in scikit-learn."""

import json

import pytest

SCRIPT = """
import json
import numpy as np
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from bayes_distnet import HybridDistNet, Marginal, Ridge, runtimes

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3))
seconds = np.exp(1.0 + X[:, 0] + 0.3 * rng.normal(size=300))        # the median at (-0.5, 0, 0) is e^0.5 = 1.65 s
cutoff = np.quantile(seconds, 0.6)
y = runtimes(np.minimum(seconds, cutoff), seconds <= cutoff)          # 40 % were cut off
ridge, marginal = (cross_val_score(model, X, y, cv=4).mean() for model in (Ridge(), Marginal()))
pipeline = Pipeline([("scale", StandardScaler()), ("model", Ridge())])
search = GridSearchCV(pipeline, {"model": [Marginal(), Ridge()]}, cv=3).fit(X, y)
model = HybridDistNet(max_iter=150, random_state=0).fit(X, y)
rtd = model.predict_distribution([[-0.5, 0.0, 0.0], [2.0, 0.0, 0.0]])
model.save("model")
again = HybridDistNet.load("model").predict_distribution([[-0.5, 0.0, 0.0], [2.0, 0.0, 0.0]])
print(json.dumps({
    "ridge": ridge, "marginal": marginal, "best": type(search.best_params_["model"]).__name__,
    "medians": rtd.median().tolist(), "again": again.median().tolist(), "cutoff": cutoff,
    "q90": rtd.quantile(0.9).tolist(), "left": rtd.given_alive(1.0).median().tolist(),
}))
"""


@pytest.mark.slow
def test_a_model_with_timeouts_is_chosen_fitted_and_saved(traveller):
    answer = json.loads(traveller.script(SCRIPT).splitlines()[-1])
    traveller.arrived("machine learning")
    assert answer["ridge"] > answer["marginal"] + 0.3
    assert answer["best"] == "Ridge"  # timeouts that count as finishes would make Marginal the winner
    assert answer["medians"][0] == pytest.approx(1.65, rel=0.2)
    assert answer["medians"][1] > 1.5 * answer["cutoff"]  # the truth is 20 s, far behind the cutoff
    assert answer["q90"][0] == pytest.approx(1.65 * 1.47, rel=0.3)
    assert 0 < answer["left"][0] < answer["medians"][0]
    assert answer["again"] == answer["medians"]
