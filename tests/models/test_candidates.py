import numpy as np

from bayes_distnet import HybridDistNet, RuntimeDistribution, make_runs
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models.candidates import Candidates
from bayes_distnet.models.forest.leaf_runs import KERNELS


def test_average_lies_halfway():
    network = RuntimeDistribution(LogNormal(np.array([[0.0, 2.0]]), np.array([[1.0, 4.0]])))
    forest = RuntimeDistribution(LogNormal(np.array([[4.0]]), np.array([[1.0]])))
    middle = Candidates(network, forest, runs=forest).average.components
    np.testing.assert_allclose(middle.loc, [[2.0, 3.0]])
    np.testing.assert_allclose(middle.scale, [[1.0, 2.0]])


def test_draws_of_a_prediction_are_those_of_network_forest_and_average():
    data = make_runs(n_instances=40, n_runs=4, n_features=3, random_state=0)
    cut = data.cut_off(0.3)
    model = HybridDistNet(n_members=2, max_iter=50, n_estimators=20, random_state=0).fit(
        cut.features, cut.seconds, finished=cut.finished
    )
    ours = model.predict_distribution(cut.features).marginal
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
