from itertools import product

import numpy as np
import pytest
from scenarios import observations

from bayes_distnet import HybridDistNet, RuntimeDistribution, load_model, make_runs
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.errors import SettingError
from bayes_distnet.models import crps_pooling
from bayes_distnet.models.candidates import CANDIDATES, MOST_OF_RUNS, Candidates, Pool
from bayes_distnet.models.crps_pooling import MeanCrps, crps_weights
from bayes_distnet.models.pooling import pool_weights, run_scores
from bayes_distnet.scoring.scores import crps

SIMPLEX = np.array([w for w in product(np.linspace(0, 1, 21), repeat=3) if np.isclose(sum(w), 1.0)])


def lognormal(median, scale, instances=1):
    return RuntimeDistribution(LogNormal(np.log(np.full((instances, 1), median)), np.full((instances, 1), scale)))


def runs_of_each(seconds, finished=None):
    """Runs given as instances x runs."""
    instance = np.repeat(np.arange(len(seconds)), seconds.shape[1])
    return observations(instance, seconds.ravel(), None if finished is None else finished.ravel())


def two_parts(instances, seed=0):
    """Predict mixtures of several widths, some too long and some too short."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(0.0, 1.0, (instances, 1))
    parts = [
        RuntimeDistribution(LogNormal(middle + shift + rng.normal(0.0, 0.3, (instances, 5)), np.full((1, 5), scale)))
        for shift, scale in [(0.7, 0.2), (-0.5, 0.4), (0.0, 1.5)]
    ]
    return parts, np.exp(middle + rng.normal(0.0, 0.5, (instances, 4)))


@pytest.mark.parametrize("cutoff", [np.inf, 1.5])
def test_the_quadratic_form_is_the_crps_of_the_mixture(cutoff):
    parts, seconds = two_parts(60)
    finished, cut = seconds <= cutoff, np.minimum(seconds, cutoff)
    score = MeanCrps.of(parts, runs_of_each(cut, finished))
    for weights in (np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.2, 0.5, 0.3])):
        mixed = RuntimeDistribution.mixture(list(zip(parts, weights, strict=True)))
        # Also an instance that finished all its runs is compared up to the cutoff only.
        expected = crps(mixed, cut, finished, horizon=np.full(60, cutoff)).mean()
        assert score(weights) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("cutoff", [np.inf, 1.5])
def test_weights_are_the_best_of_all(cutoff):
    parts, seconds = two_parts(60)
    score = MeanCrps.of(parts, runs_of_each(np.minimum(seconds, cutoff), seconds <= cutoff))
    best = score.best_weights()
    assert best.min() >= 0
    assert best.sum() == pytest.approx(1.0)
    searched = min(SIMPLEX, key=score)
    assert score(best) <= score(searched)
    np.testing.assert_allclose(best, searched, atol=0.06)


def test_weights_are_the_best_where_some_are_zero():
    # The middle of the quadratic form is outside of the simplex: a plain solution would have a negative weight.
    score = MeanCrps(np.array([[2.0, 1.0, 1.8], [1.0, 1.0, 1.5], [1.8, 1.5, 3.0]]), np.array([0.9, 0.8, 0.5]), 1.0, 10)
    best, searched = score.best_weights(), min(SIMPLEX, key=score)
    assert best[2] == 0.0
    assert score(best) <= score(searched)
    np.testing.assert_allclose(best, searched, atol=0.06)


def test_parts_that_predict_the_same_have_weights():
    same = lognormal(2.0, 0.5)
    weights = crps_weights([same, same], observations([0, 0], [1.0, 3.0]))
    assert weights.sum() == pytest.approx(1.0)  # any division is as good; the equations have no single solution
    assert (weights > 0).all()


def test_the_pool_follows_the_score_that_is_asked_for():
    # The narrow part is right about 97 of 100 runs; the others are impossible for it, which the log score punishes.
    runs = observations(np.zeros(100, dtype=int), [1.0] * 97 + [2.0] * 3)
    narrow, wide = lognormal(1.0, 0.02), lognormal(1.0, 1.5)
    finished = np.ones((1, 100), dtype=bool)
    seconds = runs.matrix()[0]
    assert crps(narrow, seconds, finished)[0] < crps(wide, seconds, finished)[0]
    narrow_scores, wide_scores = run_scores(narrow, runs), run_scores(wide, runs)
    assert narrow_scores.mean() < wide_scores.mean()
    candidates = Candidates(network=narrow, forest=wide, runs=wide)
    by_log, by_crps = (Pool.fit(candidates, runs, 0, score).weights for score in ("log", "crps"))
    assert by_crps["network"] > 0.9
    assert by_log["network"] < by_crps["network"]


def test_a_part_better_in_crps_and_worse_in_log_score_has_the_larger_weight_by_crps_only():
    rng = np.random.default_rng(0)
    seconds = np.exp(rng.normal(0.0, 0.6, (1, 400)))
    runs = runs_of_each(seconds)
    # Too narrow costs much log score and little crps; too long costs little log score and much crps.
    narrow, long = lognormal(1.0, 0.17), lognormal(1.6, 1.1)
    by_log = pool_weights([run_scores(part, runs) for part in (narrow, long)])
    by_crps = crps_weights([narrow, long], runs)
    assert run_scores(narrow, runs).mean() < run_scores(long, runs).mean()
    assert crps(narrow, seconds)[0] < crps(long, seconds)[0]
    assert by_log[0] < 0.5 < by_crps[0]


def test_nothing_past_the_cutoff_counts():
    # Both parts agree up to the cutoff of 2 s and differ by factors past it.
    half = np.array([[0.5, 0.5]])
    short, long = (
        RuntimeDistribution(LogNormal(np.log([[1.0, far]]), np.full((1, 2), 0.05)), half) for far in (4.0, 400.0)
    )
    runs = observations([0, 0, 1, 1], [1.0, 2.0, 1.0, 1.1], [True, False, True, True])
    both = [RuntimeDistribution.concat([part, part]) for part in (short, long)]
    score = MeanCrps.of(both, runs)
    assert score(np.array([1.0, 0.0])) == pytest.approx(score(np.array([0.0, 1.0])), rel=1e-6)
    all_finished = MeanCrps.of(both, observations([0, 0, 1, 1], [1.0, 2.0, 1.0, 1.1]))
    assert all_finished(np.array([0.0, 1.0])) > 10 * all_finished(np.array([1.0, 0.0]))


def test_blocks_of_rows_change_nothing(monkeypatch):
    parts, seconds = two_parts(30)
    whole = MeanCrps.of(parts, runs_of_each(seconds))
    monkeypatch.setattr(crps_pooling, "SCORED_ROWS", 7)
    blocks = MeanCrps.of(parts, runs_of_each(seconds))
    np.testing.assert_allclose(blocks.products, whole.products)
    np.testing.assert_allclose(blocks.means, whole.means)


def test_hybrid_learns_saves_and_loads_weights_by_crps(tmp_path):
    data = make_runs(n_instances=40, n_runs=4, n_features=3, random_state=0).cut_off(0.2)
    models = [
        HybridDistNet(n_members=2, max_iter=50, n_estimators=20, pool=pool).fit(
            data.features, data.seconds, finished=data.finished
        )
        for pool in ("log", "crps")
    ]
    by_log, by_crps = (np.array([model.weights_[name] for name in CANDIDATES]) for model in models)
    assert np.abs(by_log - by_crps).max() > 0.01
    assert by_crps.sum() == pytest.approx(1.0)
    assert (by_crps > 0).all()
    assert models[1].weights_["runs"] <= MOST_OF_RUNS * data.finished.mean()
    models[1].save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.pool == "crps"
    assert loaded.weights_ == models[1].weights_
    np.testing.assert_array_equal(
        loaded.predict_distribution(data.features).median(), models[1].predict_distribution(data.features).median()
    )


def test_an_unknown_score_is_refused():
    data = make_runs(n_instances=20, n_runs=2, n_features=2, random_state=0)
    with pytest.raises(SettingError, match="pool='brier': expected one of 'log', 'crps'"):
        HybridDistNet(pool="brier").fit(data.features, data.seconds)
