import numpy as np

from bayes_distnet import BayesDistNet


def test_instances_with_very_many_runs_are_spread_over_rows():
    rng = np.random.default_rng(0)
    groups = np.concatenate([np.zeros(500, int), np.arange(1, 40)])
    x = groups[:, None] / 40.0
    model = BayesDistNet(max_iter=50, n_members=2).fit(x, rng.lognormal(x[:, 0], 0.3), groups=groups)
    assert np.isfinite(model.predict([[0.5]])).all()
