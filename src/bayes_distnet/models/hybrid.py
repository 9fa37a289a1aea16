"""HybridDistNet, the recommended model."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.models.base import RuntimeEstimator, Unseen, seed_of
from bayes_distnet.models.candidates import SCORES, Candidates, Combined, Pool
from bayes_distnet.models.forest.leaf_runs import LeafRuns, fit_leaf_runs
from bayes_distnet.models.forest.trees import Forest, grow
from bayes_distnet.models.imputation import draw_beyond
from bayes_distnet.models.instance_effect import EffectSize
from bayes_distnet.models.moment_matching import match_moments, merge_neighbours
from bayes_distnet.models.network.default_recipe import DefaultRecipe
from bayes_distnet.models.network.ensemble import Ensemble
from bayes_distnet.models.network.estimator import fit_networks
from bayes_distnet.models.network.mixture_head import PARTS, parts_of
from bayes_distnet.models.saving import Arrays, with_prefix, without_prefix
from bayes_distnet.models.shared_draws import SharedDraws
from bayes_distnet.validation import check_at_least, check_choice

FOREST_COMPONENTS = 20
PREDICTED_ROWS = 2000  # per block: bounds the memory beyond that of the prediction itself
SPLIT_FEATURES = 0.5  # fraction that a split chooses from: half the time of all, the same scores


class HybridDistNet(RuntimeEstimator):
    """A Bayesian network and a forest, pooled by their predictions of unseen instances: the recommended model.

    The network learns from censored runs by their survival probability and extrapolates; the forest, whose censored
    runs are drawn from the network's prediction past the cutoff, captures local structure. Their mixture, and an
    average of their parameters, are weighted by a score of out-of-fold predictions (`pool`). The same predictions teach
    the shape that the runtime distributions have in common where it is no lognormal. A fourth part has no family: the
    runs in the leaves of the forest, smoothed. Past every observed time, and far from the training data, the prediction
    gives way to wider distributions: it becomes unsure. The same out-of-fold predictions separate ignorance about an
    instance from luck: see `InstanceRuntimes`.

    Parameters
    ----------
    n_members : int, default 5
        Networks per KL weight, each trained without a fifth (or 1/n_members) of the instances.
    n_draws : int, default 6
        Weight draws per member in prediction.
    n_estimators : int, default 100
        Trees of the forest.
    max_iter : int or None, default None
        Training steps of the networks; None chooses by the amount of data.
    pool : str, default "log"
        Proper score that the weights of the pool are the best for: "log", the log score, or "crps", the continuous
        ranked probability score. The crps is in seconds, and slow instances dominate it: choose it if an error of ten
        seconds costs ten times as much as one of a second, on whatever instance. If runs were cut off it ends at the
        cutoff, and nothing past the longest observed time counts. The parts themselves are learnt by likelihood.
    n_jobs : int or None, default None
        Threads of the forests and of predictions, as in scikit-learn.
    random_state : int, RandomState instance, Generator or None, default 0
        Fixes the result; None draws a new seed per fit.
    verbose : bool or None, default None
        Whether a progress bar is shown; None shows it on a terminal only.

    Attributes
    ----------
    weights_ : dict
        Weight of every part of the pool: network, forest, average, runs.
    effect_ : EffectSize
        Fraction of the spread that all runs of an instance share.
    n_iter_ : int
        Number of training steps of the networks.

    Examples
    --------
    >>> from bayes_distnet import HybridDistNet, make_runs
    >>> data = make_runs(n_instances=60, n_runs=4, random_state=0)
    >>> model = HybridDistNet(max_iter=100).fit(data.features, data.seconds)
    >>> list(model.weights_)
    ['network', 'forest', 'average', 'runs']
    """

    def __init__(
        self,
        n_members: int = 5,
        n_draws: int = 6,
        n_estimators: int = 100,
        max_iter: int | None = None,
        pool: str = "log",
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.n_members = n_members
        self.n_draws = n_draws
        self.n_estimators = n_estimators
        self.max_iter = max_iter
        self.pool = pool
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def n_iter_(self) -> int:
        """Number of training steps of the networks."""
        check_is_fitted(self)
        return self.ensemble_.n_steps

    @property
    def weights_(self) -> dict[str, float]:
        """Weight of every part of the pool."""
        check_is_fitted(self)
        return dict(self.pool_.weights)

    def _recipe(self) -> DefaultRecipe:
        return DefaultRecipe(
            output="mixture",
            n_members=self.n_members,
            n_draws=self.n_draws,
            max_iter=self.max_iter,
            verbose=self.verbose,
        )

    def _fit(self, features: FloatArray, observations: Observations) -> Unseen:
        check_at_least("n_estimators", self.n_estimators, 1)
        check_at_least("n_members", self.n_members, 2)
        check_choice("pool", self.pool, SCORES)
        seed = seed_of(self.random_state)
        self.ensemble_ = fit_networks(features, observations, self._recipe(), seed, self.n_jobs)
        x = self.ensemble_.inputs(features)
        draws = self.ensemble_.out_of_fold(x)
        # Past the horizon the forest would repeat the network's certainty: it learns from the open distribution.
        past = self.ensemble_.extrapolation.open_ended(draws)
        log_times = draw_beyond(past, observations, self.ensemble_.spread, seed)
        grown = grow(
            x,
            observations,
            log_times,
            n_estimators=self.n_estimators,
            max_features=SPLIT_FEATURES,
            random_state=seed,
            n_jobs=self.n_jobs,
        )
        self.forest_, unseen = grown.fill(observations, log_times)
        self.leaf_runs_, runs = fit_leaf_runs(self.forest_, unseen, x, observations, log_times)
        candidates = Candidates(
            network=self._per_network(draws),
            forest=RuntimeDistribution(unseen.components, unseen.weights),
            runs=runs,
        )
        self.pool_ = Pool.fit(candidates, observations, seed, self.pool)
        self.effect_ = EffectSize.fit(Combined(candidates, self.pool_.combine), observations)
        return lambda: self._with_effect(self.pool_.combine(candidates), x, features)

    def _predict(self, features: FloatArray) -> InstanceRuntimes:
        starts = range(0, max(len(features), 1), PREDICTED_ROWS)
        parts = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._predict_block)(features[start : start + PREDICTED_ROWS]) for start in starts
        )
        return parts[0] if len(parts) == 1 else InstanceRuntimes.concat(parts)

    def _predict_block(self, features: FloatArray) -> InstanceRuntimes:
        x = self.ensemble_.inputs(features)
        leaves = self.forest_.leaves(x)
        candidates = Candidates(
            network=per_network(self.ensemble_, x),
            forest=merged(self.forest_.components(leaves)),
            runs=self.leaf_runs_.of(self.forest_, leaves),
        )
        return self._with_effect(self.pool_.combine(candidates), x, features)

    def _with_effect(self, rtd: RuntimeDistribution, x: FloatArray, features: FloatArray) -> InstanceRuntimes:
        extrapolation = self.ensemble_.extrapolation
        far = extrapolation.far(x, self.training_range_.distance(features))
        # The open tail, here and in the runs that the forest has learnt from, is doubt enough.
        return self.effect_.of(extrapolation.gated(rtd, far, doubt=0.0), extrapolation.untested(rtd, far))

    def _per_network(self, draws: RuntimeDistribution) -> RuntimeDistribution:
        return collapsed(draws, self.ensemble_.weights.shape[1])

    def _shared_draws(self, features: FloatArray) -> SharedDraws:
        x, weights = self.ensemble_.inputs(features), self.pool_.weights
        trees = RuntimeDistribution(self.forest_.components(self.forest_.leaves(x)))
        halves = 0.5 * weights["average"]
        return SharedDraws.pooled(
            [
                (SharedDraws.of(self.ensemble_.network(x)), weights["network"] + halves),
                (SharedDraws.of(trees), weights["forest"] + halves + weights["runs"]),
            ]
        )

    def _to_arrays(self) -> Arrays:
        return (
            self.effect_.to_arrays()
            | with_prefix("pool", self.pool_.to_arrays())
            | with_prefix("network", self.ensemble_.to_arrays())
            | with_prefix("forest", vars(self.forest_))
            | with_prefix("leaf_runs", vars(self.leaf_runs_))
        )

    def _from_arrays(self, arrays: Arrays) -> None:
        self.effect_ = EffectSize.from_arrays(arrays)
        self.pool_ = Pool.from_arrays(without_prefix("pool", arrays))
        self.ensemble_ = Ensemble.from_arrays(without_prefix("network", arrays), self._recipe())
        self.forest_ = Forest(**without_prefix("forest", arrays))
        self.forest_.check_inputs(len(self.ensemble_.scaler.keep))
        self.leaf_runs_ = LeafRuns(**without_prefix("leaf_runs", arrays))
        self.leaf_runs_.check_forest(self.forest_)


def collapsed(network: RuntimeDistribution, draws: int) -> RuntimeDistribution:
    """Put one lognormal in place of the same part in all draws of a network.

    Draws of one network are close together: scores move by a few thousandths, and components are a sixth as many.

    Parameters
    ----------
    network : RuntimeDistribution
        Lognormals: the draws of a network side by side, and in each draw its parts.
    draws : int
        Number of draws per network.

    Returns
    -------
    RuntimeDistribution
        `PARTS` components per network, which are one draw.
    """
    networks = network.n_components // (draws * PARTS)

    def by_part(values: FloatArray) -> FloatArray:
        each = np.broadcast_to(values, (len(network), network.n_components)).reshape(-1, networks, draws, PARTS)
        return each.swapaxes(2, 3).reshape(len(network), -1)

    parameters = network.components.parameters()
    loc, scale, weights = map(by_part, (parameters["loc"], parameters["scale"], network.weights))
    starts = np.arange(0, network.n_components, draws)
    components = LogNormal(*match_moments(loc, scale, weights, starts))
    labels = np.repeat(np.arange(networks), PARTS)
    return RuntimeDistribution(components, np.add.reduceat(weights, starts, axis=1), labels)


def per_network(ensemble: Ensemble, x: FloatArray) -> RuntimeDistribution:
    """Return `collapsed` predictions of scaled rows, without those of single draws, which take twice the time.

    Parameters
    ----------
    ensemble : Ensemble
        Networks with mixtures of lognormals.
    x : array
        Scaled features.

    Returns
    -------
    RuntimeDistribution
        `PARTS` components per network, which are one draw.
    """
    networks = len(ensemble.weights)
    loc, scale, weights = np.empty((3, len(x), networks * PARTS))
    pool = np.repeat(ensemble.pool, networks // len(ensemble.pool))
    for rows, raw in ensemble.blocks(x):
        # (networks, draws, parts, rows)
        log_weights, *shapes = (np.stack(each, axis=2) for each in parts_of(np.swapaxes(raw, 2, 3)))
        each = LogNormal.from_raw(np.moveaxis(np.stack(shapes), 0, -1), ensemble.center, ensemble.spread)
        share = np.exp(log_weights)
        total = share.sum(axis=1)
        center = (share * each.loc).sum(axis=1) / total
        square = (share * (each.scale**2 + (each.loc - center[:, None]) ** 2)).sum(axis=1) / total
        for out, values in ((loc, center), (scale, np.sqrt(square)), (weights, total * pool[:, None, None])):
            out[rows] = values.reshape(networks * PARTS, -1).T
    return RuntimeDistribution(LogNormal(loc, scale), weights, np.repeat(np.arange(networks), PARTS))


def merged(trees: LogNormal) -> RuntimeDistribution:
    """Put one lognormal in place of every few trees with neighbouring locations.

    Scores move by a thousandth, or improve where leaves hold few runs; predictions take half of the time.

    Parameters
    ----------
    trees : LogNormal
        One lognormal per row and tree.

    Returns
    -------
    RuntimeDistribution
        At most `FOREST_COMPONENTS` components per row.
    """
    n = trees.loc.shape[1]
    loc, scale, weights = merge_neighbours(trees.loc, trees.scale, np.full(n, 1.0 / n), FOREST_COMPONENTS)
    return RuntimeDistribution(LogNormal(loc, scale), weights)
