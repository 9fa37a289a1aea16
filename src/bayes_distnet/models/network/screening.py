"""Priors that trust the features a small forest finds useful."""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.models.network.architecture import Architecture

TREES, ROWS = 30, 1000  # per member; a tree sees at most so many instances
SHARING = 4  # least number of folds from which on members share trees
EVEN_FRACTION = 0.1  # of the prior variance is spread evenly over all features


def screened_prior(
    prior: FloatArray, architecture: Architecture, importance: FloatArray, fold_of_member: IntArray
) -> FloatArray:
    """Return prior deviations, one row per member, that are larger for useful features.

    Of a hundred features few matter, and a network with the same prior for all would have to learn from a few hundred
    runs which. The importances of a forest show it at once. They divide the same sum of prior variances.

    Parameters
    ----------
    prior : array
        Deviation of every weight.
    architecture : Architecture
        Shape of the networks.
    importance : array
        Result of `importances`.
    fold_of_member : array
        The fold that each member leaves out.

    Returns
    -------
    array
        (members, weights).
    """
    n_features = importance.shape[1]
    scale = np.ones((len(importance), architecture.n_inputs))
    scale[:, :n_features] = np.sqrt(importance * n_features)
    by_fold = []
    for factors in scale:
        blocks = architecture.unflatten(prior)
        blocks |= {name: blocks[name] * factors[:, None] for name in ("w0", "w_skip") if name in blocks}
        by_fold.append(architecture.flatten(blocks))
    return np.stack(by_fold)[fold_of_member]


def importances(
    x: FloatArray,
    observations: Observations,
    fold: IntArray,
    n_folds: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the fraction of the prior variance that every feature gets.

    Parameters
    ----------
    x : array
        Scaled features, one row per instance.
    observations : Observations
        Runs of all instances.
    fold : array
        Fold of every instance.
    n_folds : int
        Number of folds.
    rng : numpy.random.Generator
        Source of the forests' seeds.
    n_jobs : int or None
        Threads, as in scikit-learn.

    Returns
    -------
    array
        (folds, features), each row from forests that have not seen the fold: out-of-fold predictions stay honest.
    """
    mean = np.bincount(observations.instance, np.log(observations.seconds)) / observations.runs_of_each()
    mean = np.round(mean - mean.mean(), 9)  # the unit of time must not break ties between splits
    # A forest that has seen neither of two folds serves the members of both: half as many trees, as many per member.
    lacking = 2 if n_folds >= SHARING else 1
    importance = np.zeros((n_folds, x.shape[1]))
    for first in range(n_folds):
        unseen = (first + np.arange(lacking)) % n_folds
        taught = ~np.isin(fold, unseen)
        forest = RandomForestRegressor(
            TREES // lacking,
            max_features=1 / 3,
            min_samples_leaf=3,
            max_samples=min(int(taught.sum()), ROWS),
            random_state=int(rng.integers(2**31)),
            n_jobs=n_jobs,
        )
        importance[unseen] += forest.fit(x[taught], mean[taught]).feature_importances_
    total = importance.sum(axis=1, keepdims=True)
    # Where no forest ever split, no feature is better than another.
    fraction = np.where(total > 0, importance / np.where(total > 0, total, 1.0), 1.0 / x.shape[1])
    return np.asarray((1.0 - EVEN_FRACTION) * fraction + EVEN_FRACTION / x.shape[1])
