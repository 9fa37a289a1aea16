import numpy as np

from bayes_distnet import HybridDistNet, RuntimeDistribution, make_runs
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models.candidates import Candidates
from bayes_distnet.models.forest.leaf_runs import KERNELS
from bayes_distnet.models.network.open_tail import GROUPS, STRETCHES


def test_average_lies_halfway_and_keeps_the_shape_of_each_network():
    # Two networks: one plain, one with two parts, whose mean is 2 and whose variance is 1 + 3.
    network = RuntimeDistribution(
        LogNormal(np.array([[0.0, 1.0, 3.0]]), np.array([[1.0, np.sqrt(3.0), np.sqrt(3.0)]])),
        np.array([[0.5, 0.25, 0.25]]),
        np.array([0, 1, 1]),
    )
    forest = RuntimeDistribution(LogNormal(np.array([[4.0]]), np.array([[1.0]])))
    average = Candidates(network, forest, runs=forest).average
    by = np.sqrt(1 / 2)  # from a spread of 2 halfway to 1
    np.testing.assert_allclose(average.components.loc, [[2.0, 3.0 - by, 3.0 + by]])
    np.testing.assert_allclose(average.components.scale, [[1.0, by * np.sqrt(3.0), by * np.sqrt(3.0)]])
    np.testing.assert_array_equal(average.draws, [0, 1, 1])


def test_draws_of_a_prediction_are_those_of_network_forest_and_average():
    data = make_runs(n_instances=40, n_runs=4, n_features=3, random_state=0)
    cut = data.cut_off(0.3)
    model = HybridDistNet(n_members=2, max_iter=50, n_estimators=20, random_state=0).fit(
        cut.features, cut.seconds, finished=cut.finished
    )
    ours = model.predict_distribution(cut.features).marginal
    # Three parts of a network are one draw, in its own prediction and in the average; a tree bent into two parts is
    # one; all runs in the leaves are one opinion; tails past the cutoff and five laws far away are draws of their own.
    networks, trees = len(model.ensemble_.weights), 20
    sizes = [3] * networks + [2] * trees + [3] * networks + [KERNELS + 1]
    several = sum(sizes)
    np.testing.assert_array_equal(ours.draws[:several], np.repeat(np.arange(len(sizes)), sizes))
    assert ours.n_components - several == len(STRETCHES) * GROUPS + 1 + 5
    np.testing.assert_allclose(ours.epistemic() + ours.aleatoric(), ours.variance())
    inflated = RuntimeDistribution(ours.components, ours.weights)
    assert (ours.epistemic() < inflated.epistemic()).all()
    low, high = ours.band(0.5)
    wide_low, wide_high = inflated.band(0.5)
    assert np.median(np.log(high / low)) < 0.8 * np.median(np.log(wide_high / wide_low))
