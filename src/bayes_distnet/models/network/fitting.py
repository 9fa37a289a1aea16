"""Networks fitted to runs: from features and observations to weight draws.

Several members train side by side, member j without the instances of fold j: their disagreement is part of the model's
uncertainty, and every instance gets an honest prediction from a network that has not seen it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.errors import SettingError
from bayes_distnet.models.network.ensemble import Ensemble
from bayes_distnet.models.network.extrapolation import mean_square
from bayes_distnet.models.network.layout import training_rows
from bayes_distnet.models.network.objective import Float32Array, Trained
from bayes_distnet.models.network.open_tail import OpenTail
from bayes_distnet.models.network.recipe import Recipe
from bayes_distnet.models.network.screening import importances, screened_prior
from bayes_distnet.models.network.training import train
from bayes_distnet.models.pooling import pool_weights, run_scores
from bayes_distnet.models.scaling import RankGauss, Standard

LEAST_WEIGHT = 0.05  # in the pool of KL weights; below, a group of networks costs time and changes no prediction
EARLIER = 0.75  # quantile of the finished runs at which all are cut off, to learn what comes after a cutoff
LEAST_RUNS = 10  # finished runs after it without which nothing is learnt


def fit_ensemble(
    features: FloatArray, observations: Observations, recipe: Recipe, seed: int, n_jobs: int | None = None
) -> Ensemble:
    """Train networks on the runs of all instances.

    Parameters
    ----------
    features : array
        One row per instance.
    observations : Observations
        Runs of all instances.
    recipe : Recipe
        How networks are built and trained.
    seed : int
        Fixes the result.
    n_jobs : int or None
        Threads of the forests that screen features.

    Returns
    -------
    Ensemble
        Fitted networks, with the KL weights that predict unseen instances well.
    """
    rng = np.random.default_rng(seed)
    scaler = recipe.scaler.fit(features)
    x = scaler.transform(features)
    fold = recipe.folds(observations.n_instances, rng)
    useful = None
    if recipe.screens_features and x.shape[1] > 1:
        useful = importances(x, observations, fold, recipe.n_members, rng, n_jobs)
    ensemble = _trained(scaler, x, observations, recipe, fold, useful, rng)
    if len(recipe.kl_weights) > 1:
        ensemble, best = _pooled(ensemble, x, observations)
        recipe = replace(recipe, kl_weights=(recipe.kl_weights[best],))
    if recipe.learns_tail and not observations.finished.all():
        ensemble = replace(ensemble, tail=_learnt_tail(ensemble, recipe, x, observations, useful, rng))
    return ensemble


def _trained(
    scaler: RankGauss | Standard,
    x: FloatArray,
    observations: Observations,
    recipe: Recipe,
    fold: IntArray,
    useful: FloatArray | None,
    rng: np.random.Generator,
) -> Ensemble:
    """Train the members of all KL weights side by side; the pool has equal weights."""
    center, spread = recipe.time_scale(observations)
    data, row_instance = training_rows(
        x, observations, center, recipe.n_inputs(x.shape[1]), one_run_per_row=recipe.one_run_per_row
    )
    fold_of_member = np.tile(np.arange(recipe.n_members), len(recipe.kl_weights))
    rows_of = [np.flatnonzero(fold[row_instance] != mine) for mine in fold_of_member]
    held_out = [np.flatnonzero(fold[row_instance] == mine) for mine in fold_of_member]
    architecture = recipe.architecture(data.features.shape[1])
    objective = recipe.objective(architecture, len(row_instance))
    objective = replace(objective, censored=not observations.finished.all())
    n_rows = len(np.unique(np.concatenate(rows_of)))
    plan = recipe.plan(architecture, x.shape[1], n_rows, _evidence(data.present, row_instance, rows_of), spread)
    if useful is not None:
        plan = replace(plan, prior=screened_prior(plan.prior, architecture, useful, fold_of_member))
    initial = recipe.initial(architecture, plan, rng)
    trained = train(objective, data, plan, initial, rows_of, held_out, int(rng.integers(2**31)), recipe.verbose)
    if not np.isfinite(trained.mu).all():
        raise SettingError("Training diverged: the weights are not finite. Give a smaller learning_rate.")
    groups = len(recipe.kl_weights)
    return Ensemble(
        recipe=recipe,
        architecture=architecture,
        scaler=scaler,
        center=center,
        spread=spread,
        reach=float(mean_square(x).max()),
        horizon=np.inf if observations.finished.all() else float(observations.seconds.max()),
        tail=OpenTail.untested(recipe.family),
        weights=recipe.draw_weights(trained, objective.draws if recipe.output == "runtimes" else recipe.n_draws, rng),
        pool=np.full(groups, 1.0 / groups),
        norm=trained.norm,
        fold=fold,
        history=_history(trained, recipe),
    )


def _learnt_tail(
    ensemble: Ensemble,
    recipe: Recipe,
    x: FloatArray,
    observations: Observations,
    useful: FloatArray | None,
    rng: np.random.Generator,
) -> OpenTail:
    """Cut all runs off earlier, train networks on what is left, and score their tail by the runs that went on.

    Members of the best KL weight alone do: a quarter of the cost of all networks.
    """
    finished = observations.seconds[observations.finished]
    horizon = float(np.quantile(finished, EARLIER))
    if np.sum(finished > horizon) < LEAST_RUNS:
        return ensemble.tail
    earlier = replace(
        observations,
        seconds=np.minimum(observations.seconds, horizon),
        finished=observations.finished & (observations.seconds <= horizon),
    )
    blind = _trained(ensemble.scaler, x, earlier, recipe, ensemble.fold, useful, rng)
    return OpenTail.fit(blind.out_of_fold(x), observations, recipe.family, horizon, blind.spread)


def _evidence(present: Float32Array, row_instance: IntArray, rows_of: list[IntArray]) -> float:
    """Return the number of runs that the KL term is divided by.

    Runs of one instance carry less information about features than as many instances would: they count by the square
    root.
    """
    runs_seen = np.mean([present[rows].sum() for rows in rows_of])
    instances_seen = np.mean([len(np.unique(row_instance[rows])) for rows in rows_of])
    return float(np.sqrt(runs_seen * instances_seen))


def _pooled(ensemble: Ensemble, x: FloatArray, observations: Observations) -> tuple[Ensemble, int]:
    """Weight the groups of networks, one per KL weight, by their predictions of unseen instances; drop the worst.

    Returns the best group, too.
    """
    groups = len(ensemble.pool)
    each = np.split(ensemble.weights, groups)
    alone = [replace(ensemble, pool=np.ones(1), weights=weights).out_of_fold(x) for weights in each]
    pool = pool_weights([run_scores(rtd, observations) for rtd in alone])
    kept = pool >= min(LEAST_WEIGHT, pool.max())
    weights = ensemble.weights[np.repeat(kept, ensemble.recipe.n_members)]
    return replace(ensemble, pool=pool[kept] / pool[kept].sum(), weights=weights), int(np.argmax(pool))


def _history(trained: Trained, recipe: Recipe) -> FloatArray:
    """Return the rows of `Ensemble.history`: evaluations by KL weight, averaged over the weight's members."""
    evaluations, groups = len(trained.steps), len(recipe.kl_weights)

    def averaged(losses: FloatArray) -> FloatArray:
        return np.asarray(losses.reshape(evaluations, groups, recipe.n_members).mean(axis=2).ravel())

    steps, weights = np.repeat(trained.steps, groups), np.tile(recipe.kl_weights, evaluations)
    return np.stack([steps, weights, averaged(trained.training_loss), averaged(trained.held_out_loss)], axis=1)
