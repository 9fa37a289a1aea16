import numpy as np
import pytest
from scenarios import observations

from bayes_distnet import RuntimeDistribution
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models.shape import Shape, fit_shape


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
