"""HybridDistNet: a Bayesian network, a forest and the runs in its leaves, pooled by how well each predicts."""

from __future__ import annotations

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.forest.leaf_runs import LeafRuns, fit_leaf_runs
from bayes_distnet.models.forest.trees import Forest, fit_forest
from bayes_distnet.models.network.ensemble import Ensemble
from bayes_distnet.models.network.extrapolation import open_ended
from bayes_distnet.models.network.settings import Settings
from bayes_distnet.models.pooling import pool_weights, run_scores
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.scaling import check_array
from bayes_distnet.models.shape import Shape, fit_shape
from bayes_distnet.validation import check_at_least

IMPUTATIONS = 10
IMPUTED_REACH = 3.0  # deviations of log time past the largest observed runtime
FOREST_COMPONENTS = 20
MOST_OF_RUNS = 0.5  # share of the runs in the leaves: their score says nothing of where no training run lies


class HybridDistNet(RuntimeEstimator):
    """A Bayesian network and a forest, pooled by how well each predicts unseen instances: the recommended model.

    The network learns from cut-off runs by their survival probability and extrapolates; the forest, whose cut-off
    runs are drawn from what the network expects past the cutoff, sees local structure. Their mixture, and an average
    of their parameters, are weighted by the log score of out-of-fold predictions, and the same predictions teach the
    shape that RTDs have in common where it is no lognormal. A fourth part has no family: the runs in the leaves of the
    forest, smoothed. Past every observed time, and far from the training data, the prediction gives way to wider laws:
    it becomes unsure.

    Args:
        n_members: networks, each trained without a fifth (or 1/members) of the instances.
        n_draws: weight draws a member in prediction.
        n_estimators: size of the forest.
        max_iter: training steps of the networks; None chooses by the amount of data.
        random_state: fixes the result.
        verbose: show a progress bar; None only on a terminal.

    Example:
        >>> from bayes_distnet import HybridDistNet, make_runs
        >>> data = make_runs(n_instances=60, n_runs=4, random_state=0)
        >>> model = HybridDistNet(max_iter=100, random_state=0).fit(data.features, data.seconds)
        >>> dict(zip(("network", "forest", "average", "runs"), model.weights_)).keys()
        dict_keys(['network', 'forest', 'average', 'runs'])
    """

    def __init__(
        self,
        n_members: int = 5,
        n_draws: int = 6,
        n_estimators: int = 100,
        max_iter: int | None = None,
        random_state: int = 0,
        verbose: bool | None = None,
    ) -> None:
        self.n_members = n_members
        self.n_draws = n_draws
        self.n_estimators = n_estimators
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _settings(self) -> Settings:
        return Settings(n_members=self.n_members, n_draws=self.n_draws, max_iter=self.max_iter, verbose=self.verbose)

    def _fit(self, features: FloatArray, observations: Observations) -> None:
        from bayes_distnet.models.network.fitting import fit_ensemble

        check_at_least("n_estimators", self.n_estimators, 1)
        check_at_least("n_members", self.n_members, 2)
        self.ensemble_ = fit_ensemble(features, observations, self._settings(), self.random_state)
        x = self.ensemble_.inputs(features)
        draws = self.ensemble_.out_of_fold(x)
        # Where nothing was seen, the forest would repeat the network's certainty: it learns from the law left open.
        past = open_ended(draws, self.ensemble_.horizon, self.ensemble_.spread, self._settings().family)
        log_times = impute(past, observations, self.ensemble_.spread, self.random_state)
        self.forest_, unseen = fit_forest(
            x, observations, log_times, n_estimators=self.n_estimators, random_state=self.random_state
        )
        forest = RuntimeDistribution(unseen.components, unseen.weights)
        network = collapsed(draws, self.ensemble_.weights.shape[1])
        candidates = [network, forest, average(network, forest)]
        shares = pool_weights([run_scores(candidate, observations) for candidate in candidates])
        pooled = RuntimeDistribution.mixture(list(zip(candidates, shares, strict=True)))
        self.shape_ = fit_shape(pooled, observations, self.random_state)
        self.leaf_runs_, runs = fit_leaf_runs(self.forest_, unseen, x, observations, log_times)
        _, share = pool_weights([run_scores(rtd, observations) for rtd in (self.shape_.of(pooled), runs)])
        share = min(float(share), MOST_OF_RUNS) * observations.finished.mean()  # cut-off runs test it the least
        self.weights_ = np.r_[(1.0 - share) * shares, share]

    def _predict(self, features: FloatArray) -> RuntimeDistribution:
        x = self.ensemble_.inputs(features)
        network = collapsed(self.ensemble_.network(x), self.ensemble_.weights.shape[1])
        leaves = self.forest_.leaves(x)
        forest = merged(self.forest_.components(leaves))
        *shares, share = self.weights_
        parts = zip((network, forest, average(network, forest)), shares, strict=True)
        shaped = self.shape_.of(RuntimeDistribution.mixture(list(parts)))
        runs = self.leaf_runs_.of(self.forest_, leaves)
        rtd = RuntimeDistribution.mixture([(shaped, 1.0 - share), (runs, share)])
        # The open tail, here and in what the forest has learnt from, is doubt enough.
        return self.ensemble_.gated(rtd, x, doubt=0.0)

    def _to_arrays(self) -> Arrays:
        return (
            {"pool": self.weights_}
            | with_prefix("shape", vars(self.shape_))
            | with_prefix("network", self.ensemble_.to_arrays())
            | with_prefix("forest", vars(self.forest_))
            | with_prefix("leaf_runs", vars(self.leaf_runs_))
        )

    def _from_arrays(self, arrays: Arrays) -> None:
        self.weights_ = arrays["pool"]
        check_array("pool", self.weights_, "f", 4)
        self.shape_ = Shape(**without_prefix("shape", arrays))
        self.ensemble_ = Ensemble.from_arrays(without_prefix("network", arrays), self._settings())
        self.forest_ = Forest(**without_prefix("forest", arrays))
        self.forest_.check_inputs(len(self.ensemble_.scaler.keep))
        self.leaf_runs_ = LeafRuns(**without_prefix("leaf_runs", arrays))
        self.leaf_runs_.check_forest(self.forest_)


def impute(network: RuntimeDistribution, observations: Observations, spread: float, seed: int) -> FloatArray:
    """Log runtimes with cut-off runs drawn from what the network expects past their cutoff, (imputations, runs)."""
    log_times = np.log(observations.seconds)
    cut = ~observations.finished
    if not cut.any():
        return log_times[None]
    rows, cutoff = observations.instance[cut], observations.seconds[cut]
    left = network[rows].given_alive(cutoff).sample(IMPUTATIONS, random_state=seed)
    imputed = np.tile(log_times, (IMPUTATIONS, 1))
    ceiling = log_times.max() + IMPUTED_REACH * spread
    imputed[:, cut] = np.minimum(np.log(cutoff[:, None] + left), ceiling).T
    return imputed


def average(network: RuntimeDistribution, forest: RuntimeDistribution) -> RuntimeDistribution:
    """The network's components moved halfway to the forest: mean location, geometric mean scale."""
    near, far = network.components.parameters(), forest.components.parameters()
    loc = (forest.weights * far["loc"]).sum(axis=1, keepdims=True)
    log_scale = (forest.weights * np.log(far["scale"])).sum(axis=1, keepdims=True)
    halfway = LogNormal((near["loc"] + loc) / 2, np.exp((np.log(near["scale"]) + log_scale) / 2))
    return RuntimeDistribution(halfway, network.weights)


def collapsed(network: RuntimeDistribution, draws: int) -> RuntimeDistribution:
    """Put one lognormal of the same mean and variance of log time in place of the draws of each network.

    Draws of one network are close together: scores move by a few thousandths, and components are a sixth as many.
    """
    shape = (len(network), -1, draws)
    parameters = network.components.parameters()
    loc, scale = parameters["loc"].reshape(shape), parameters["scale"].reshape(shape)
    center = loc.mean(axis=2)
    deviation = np.sqrt((scale**2 + (loc - center[..., None]) ** 2).mean(axis=2))
    return RuntimeDistribution(LogNormal(center, deviation), network.weights.reshape(shape).sum(axis=2))


def merged(trees: LogNormal) -> RuntimeDistribution:
    """Put one lognormal of the same mean and variance of log time in place of each few trees next to each other.

    Scores move by a thousandth, or get better where leaves hold few runs; predictions take half of the time.
    """
    n = trees.loc.shape[1]
    order = np.argsort(trees.loc, axis=1)
    loc, scale = (np.take_along_axis(value, order, axis=1) for value in (trees.loc, trees.scale))
    start = np.unique(np.linspace(0, n, FOREST_COMPONENTS, endpoint=False).astype(np.int64))
    size = np.diff(np.r_[start, n])
    center = np.add.reduceat(loc, start, axis=1) / size
    square = scale**2 + (loc - np.repeat(center, size, axis=1)) ** 2
    return RuntimeDistribution(LogNormal(center, np.sqrt(np.add.reduceat(square, start, axis=1) / size)), size / n)
