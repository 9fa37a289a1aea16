import numpy as np
import pytest
from scenarios import observations

from bayes_distnet import BayesDistNet, DistNet, HybridDistNet, LogNormal, RuntimeDistribution, make_runs
from bayes_distnet.data.splits import SHIFTS, shifted
from bayes_distnet.models.forest.leaf_runs import KERNELS
from bayes_distnet.models.hybrid import FOREST_COMPONENTS, average, collapsed, impute, merged
from bayes_distnet.models.pooling import pool_weights, run_scores
from bayes_distnet.models.shape import Shape, fit_shape
from bayes_distnet.scoring import scores


def test_pool_weights_find_the_better_predictor():
    rng = np.random.default_rng(0)
    good, bad = rng.normal(0.0, 0.1, 500), rng.normal(-1.0, 0.1, 500)
    weights = pool_weights([good, bad])
    assert weights.sum() == pytest.approx(1.0)
    assert weights[0] > 0.95


def test_pool_weights_maximise_the_log_score():
    rng = np.random.default_rng(1)
    # Two experts, each right about a part of the runs: the optimum is inside.
    a = np.where(rng.random(4000) < 0.7, np.log(1.0), np.log(0.1))
    b = np.where(a == 0.0, np.log(0.1), np.log(1.0))
    best = max(np.linspace(0.01, 0.99, 99), key=lambda w: np.log(w * np.exp(a) + (1 - w) * np.exp(b)).sum())
    assert pool_weights([a, b])[0] == pytest.approx(best, abs=0.02)


def test_run_scores_take_density_or_survival():
    rtd = RuntimeDistribution(LogNormal(np.zeros((2, 1)), np.ones((2, 1))))
    runs = observations([0, 1, 1], [1.0, 2.0, 3.0], [True, False, True])
    expected = [rtd.log_pdf(1.0)[0], rtd.log_sf(2.0)[1], rtd.log_pdf(3.0)[1]]
    np.testing.assert_allclose(run_scores(rtd, runs), expected)


def test_imputed_runs_follow_the_prediction_past_the_cutoff():
    rtd = RuntimeDistribution(LogNormal(np.zeros((1, 1)), np.ones((1, 1))))
    runs = observations(np.zeros(2001, int), np.r_[0.5, np.full(2000, 2.0)], np.r_[True, np.zeros(2000, bool)])
    imputed = impute(rtd, runs, spread=10.0, seed=0)
    assert imputed.shape == (10, 2001)
    assert (imputed[:, 0] == np.log(0.5)).all()
    drawn = imputed[:, 1:].ravel()
    assert drawn.min() >= np.log(2.0)
    expected = rtd.given_alive(2.0).quantile([0.25, 0.5, 0.75])[0] + 2.0
    np.testing.assert_allclose(np.quantile(drawn, [0.25, 0.5, 0.75]), np.log(expected), atol=0.02)


def test_imputed_runs_stay_within_reach():
    rtd = RuntimeDistribution(LogNormal(np.full((1, 1), 50.0), np.ones((1, 1))))
    runs = observations([0, 0], [1.0, 2.0], [True, False])
    assert impute(rtd, runs, spread=0.5, seed=0).max() == pytest.approx(np.log(2.0) + 1.5)


def test_average_lies_halfway():
    network = RuntimeDistribution(LogNormal(np.array([[0.0, 2.0]]), np.array([[1.0, 4.0]])))
    forest = RuntimeDistribution(LogNormal(np.array([[4.0]]), np.array([[1.0]])))
    middle = average(network, forest).components
    np.testing.assert_allclose(middle.loc, [[2.0, 3.0]])
    np.testing.assert_allclose(middle.scale, [[1.0, 2.0]])


def standard(instances):
    """Predict a standard lognormal, in two components, for every instance."""
    return RuntimeDistribution(LogNormal(np.zeros((instances, 2)), np.ones((instances, 2))))


def two_humps(n, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < 0.7, rng.normal(-0.5, 0.3, n), rng.normal(1.5, 0.6, n))


@pytest.mark.parametrize("cutoff", [np.inf, 1.5])
def test_the_shape_that_runs_share_is_found(cutoff):
    log_times = two_humps(1500, seed=0)
    runs = observations(np.arange(1500), np.exp(np.minimum(log_times, cutoff)), log_times < cutoff)
    shape = fit_shape(standard(1500), runs, seed=0)
    np.testing.assert_allclose(shape.share, [0.7, 0.3], atol=0.05)
    np.testing.assert_allclose(shape.at, [-0.5, 1.5], atol=0.15)
    np.testing.assert_allclose(shape.width, [0.3, 0.6], atol=0.15)


def test_the_shape_of_lognormal_runs_is_lognormal():
    log_times = np.random.default_rng(0).normal(size=1500)
    runs = observations(np.arange(1500), np.exp(log_times))
    bent = fit_shape(standard(1500), runs, seed=0).of(standard(1))
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    np.testing.assert_allclose(np.log(bent.quantile(levels)), np.log(standard(1).quantile(levels)), atol=0.1)


def test_few_runs_do_not_bend_the_shape_much():
    bent = fit_shape(standard(2), observations([0, 1], [1.0, 1.0]), seed=0).of(standard(1))
    assert 0.6 < np.log(bent.quantile(0.8413) / bent.quantile(0.1587))[0] / 2 < 1.1


def test_a_shape_moves_and_widens_every_component_by_its_scale():
    shape = Shape(share=np.array([0.25, 0.75]), at=np.array([-1.0, 1.0]), width=np.array([0.5, 2.0]))
    bent = shape.of(RuntimeDistribution(LogNormal(np.array([[1.0, 5.0]]), np.array([[1.0, 2.0]])), [0.4, 0.6]))
    np.testing.assert_allclose(bent.components.loc, [[0.0, 2.0, 3.0, 7.0]])
    np.testing.assert_allclose(bent.components.scale, [[0.5, 2.0, 1.0, 4.0]])
    np.testing.assert_allclose(bent.weights, [[0.1, 0.3, 0.15, 0.45]])
    np.testing.assert_array_equal(bent.draws, [0, 0, 1, 1])
    np.testing.assert_array_equal(shape.of(bent).draws, [0, 0, 0, 0, 1, 1, 1, 1])


def test_a_shape_that_draws_share_is_not_what_they_disagree_about():
    shape = Shape(share=np.array([0.7, 0.3]), at=np.array([-0.5, 1.5]), width=np.array([0.3, 0.6]))
    agreed = shape.of(standard(3))
    np.testing.assert_allclose(agreed.epistemic(), 0.0, atol=1e-12)
    np.testing.assert_allclose(agreed.band(0.9), [agreed.median()] * 2)
    apart = shape.of(RuntimeDistribution(LogNormal(np.array([[0.0, 1.0]]), np.ones((1, 2)))))
    median = shape.of(standard(1)).median()[0]
    np.testing.assert_allclose(np.ravel(apart.band(0.9)), [median, np.e * median])
    np.testing.assert_allclose(apart.epistemic(), ((np.e - 1) / 2 * agreed.mean()[:1]) ** 2)


def test_draws_of_a_prediction_are_those_of_network_forest_and_average():
    data = make_runs(n_instances=40, n_runs=4, n_features=3, random_state=0)
    cut = data.cut_off(0.3)
    model = HybridDistNet(n_members=2, max_iter=50, n_estimators=20, random_state=0).fit(
        cut.features, cut.seconds, finished=cut.finished
    )
    ours = model.predict_distribution(cut.features)
    # The shape bends what the three predict; all runs in the leaves are one opinion; one law past the cutoff and five
    # far away are draws of their own.
    runs, bent = KERNELS + 1, ours.n_components - 6 - KERNELS - 1
    np.testing.assert_array_equal(ours.draws[:bent], np.repeat(np.arange(bent // 2), 2))
    np.testing.assert_array_equal(ours.draws[bent : bent + runs], bent // 2)
    np.testing.assert_array_equal(ours.draws[bent + runs :], bent // 2 + 1 + np.arange(6))
    np.testing.assert_allclose(ours.epistemic() + ours.aleatoric(), ours.variance())
    inflated = RuntimeDistribution(ours.components, ours.weights)
    assert (ours.epistemic() < inflated.epistemic()).all()
    low, high = ours.band(0.5)
    wide_low, wide_high = inflated.band(0.5)
    assert np.median(np.log(high / low)) < 0.8 * np.median(np.log(wide_high / wide_low))


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("width", [1.0, 0.0], "width is not positive"),
        ("at", [0.0, np.nan], "at is not finite"),
        ("share", [1.0], "differ in length"),
    ],
)
def test_a_shape_of_the_wrong_kind_is_refused(name, bad, message):
    good = {"share": np.array([0.5, 0.5]), "at": np.array([-1.0, 1.0]), "width": np.array([1.0, 1.0])}
    with pytest.raises(ValueError, match=message):
        Shape(**(good | {name: np.array(bad)}))


def test_collapsed_draws_keep_mean_and_variance_of_log_time():
    network = RuntimeDistribution(LogNormal(np.array([[0.0, 2.0, 5.0, 5.0]]), np.ones((1, 4))), [0.1, 0.1, 0.4, 0.4])
    one_each = collapsed(network, draws=2)
    np.testing.assert_allclose(one_each.components.loc, [[1.0, 5.0]])
    np.testing.assert_allclose(one_each.components.scale, [[np.sqrt(2.0), 1.0]])
    np.testing.assert_allclose(one_each.weights, [[0.2, 0.8]])


@pytest.mark.parametrize("trees", [1, FOREST_COMPONENTS, 33, 100])
def test_merged_trees_keep_mean_and_variance_of_log_time(trees):
    rng = np.random.default_rng(0)
    loc, scale = rng.normal(size=(5, trees)), rng.uniform(0.1, 2.0, size=(5, trees))
    few = merged(LogNormal(loc, scale))
    assert few.n_components == min(trees, FOREST_COMPONENTS)
    ours = few.components
    mean = (few.weights * ours.loc).sum(axis=1)
    np.testing.assert_allclose(mean, loc.mean(axis=1))
    variance = (few.weights * (ours.scale**2 + ours.loc**2)).sum(axis=1) - mean**2
    np.testing.assert_allclose(variance, (scale**2 + loc**2).mean(axis=1) - mean**2)
    assert (np.diff(ours.loc, axis=1) >= 0).all()


def test_settings_changed_after_fitting_change_no_prediction():
    data = make_runs(n_instances=40, n_runs=2, n_features=3, random_state=0)
    model = HybridDistNet(n_members=2, max_iter=50, n_estimators=20, random_state=0).fit(data.features, data.seconds)
    before = model.predict_distribution(data.features).median()
    model.set_params(draws=4)
    np.testing.assert_array_equal(model.predict_distribution(data.features).median(), before)


@pytest.mark.slow
@pytest.mark.parametrize(("cut_off", "gap"), [(0.0, 0.25), (0.6, 0.45)])
def test_is_ahead_of_ignoring_the_features_and_near_the_truth(cut_off, gap):
    gaps = []
    for seed in (0, 1):
        data = make_runs(n_instances=300, n_runs=20, n_features=10, unexplained=0.0, random_state=seed)
        known = data.take(np.arange(200))
        new = data.take(np.arange(200, 300))
        cut = known.cut_off(cut_off)
        model = HybridDistNet(random_state=0).fit(cut.features, cut.seconds[:, :4], finished=cut.finished[:, :4])
        ours = scores.nllh(model.predict_distribution(new.features), new.seconds).mean()
        truth = scores.nllh(new.truth, new.seconds).mean()
        log_times = np.log(known.seconds)
        one_for_all = RuntimeDistribution(
            LogNormal(np.full((100, 1), log_times.mean()), np.full((100, 1), log_times.std()))
        )
        assert ours < scores.nllh(one_for_all, new.seconds).mean() - 0.3
        gaps.append(ours - truth)
    assert np.mean(gaps) < gap
    if cut_off:
        fooled = HybridDistNet(random_state=0).fit(cut.features, cut.seconds[:, :4])
        assert scores.nllh(fooled.predict_distribution(new.features), new.seconds).mean() > truth + 3 * gap


@pytest.mark.slow
@pytest.mark.parametrize("model", [BayesDistNet(), HybridDistNet()], ids=["BayesDistNet", "HybridDistNet"])
def test_unsure_far_from_the_data(model):
    data = make_runs(n_instances=300, n_runs=4, n_features=20, random_state=0)
    model.fit(data.features, data.seconds)
    rows = range(20)
    moved = [model.predict_distribution(shifted(data.features, row)) for row in rows]
    width = np.stack([np.log(rtd.quantile(0.75) / rtd.quantile(0.25)) for rtd in moved])
    seconds = np.stack([rtd.iqr() for rtd in moved])
    middle = np.flatnonzero(SHIFTS == 0)[0]
    for at in (0, -1):
        assert (width[:, at] > 2 * width[:, middle]).all()
        assert (seconds[:, at] > seconds[:, middle]).mean() > 0.8
    # And the farther the wider, on both sides.
    typical = np.median(width, axis=0)
    assert (np.diff(typical[: middle - 3]) < 0.1).all()
    assert (np.diff(typical[middle + 4 :]) > -0.1).all()


def test_distnet_is_as_sure_far_away_as_anywhere():
    data = make_runs(n_instances=100, n_runs=4, n_features=20, random_state=0)
    far = DistNet(max_iter=200).fit(data.features, data.seconds).predict_distribution(shifted(data.features, 0))
    assert far.n_components == 1
