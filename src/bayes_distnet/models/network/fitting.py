"""Networks fitted to runs: from features and observations to weight draws.

Several members train side by side, member j without the instances of fold j: their disagreement is part of what the
model does not know, and every instance gets an honest prediction from a network that has not seen it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.special import ndtri
from sklearn.ensemble import RandomForestRegressor

from bayes_distnet.arrays import FloatArray, IntArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.data.splits import published_training_part
from bayes_distnet.distributions.censored import log_location_and_spread
from bayes_distnet.errors import SettingError
from bayes_distnet.models.network.architecture import Architecture, padded_size, prior_scales
from bayes_distnet.models.network.ensemble import Ensemble
from bayes_distnet.models.network.extrapolation import distance
from bayes_distnet.models.network.settings import Settings
from bayes_distnet.models.network.training import Objective, Plan, Trained, TrainingData, cosine_rates, train
from bayes_distnet.models.pooling import pool_weights, run_scores
from bayes_distnet.validation import check_seed

FOLDS = 5
FULL_BATCH, BATCH = 512, 256
SMALL_BATCH = 128  # of Bayesian networks: half the time of all rows at once, the same scores
RUNTIME_BATCH = 64  # sixteen draws a row are dear, and average out noise that more rows would
SCREENING_TREES, SCREENING_ROWS = 30, 1000  # a tree of a member's screening forest sees so many instances at most
EVEN_SHARE = 0.1  # of the prior variance that all features have in common, whatever the forest says
CHUNK = 50
LEAST_STEPS = 500
INITIAL_SIGMA = 0.01  # small: the KL term raises it at once, noisy gradients bring it down only slowly
LEAST_SHARE = 0.05
RUNTIME_DRAWS = 16
MANY_RUNTIME_DRAWS = 64  # above FULL_BATCH instances; see _runtime_draws
PUBLISHED_EPOCHS, PUBLISHED_BATCH, PUBLISHED_PATIENCE = 250, 32, 20


def fit_ensemble(features: FloatArray, observations: Observations, settings: Settings, seed: int) -> Ensemble:
    """Train networks on one feature row an instance and the runs of all instances."""
    rng = np.random.default_rng(check_seed("random_state", seed))
    scaler = settings.scaler.fit(features)
    x = scaler.transform(features)
    if settings.published:
        center, spread = math.log(observations.seconds.max()), 1.0
    else:  # the networks work relative to one lognormal for all runs
        center, spread = log_location_and_spread(observations.seconds, observations.finished)
    fold = _folds(observations.n_instances, settings, rng)
    data, row_instance = _training_data(
        x, observations, center, settings.n_inputs(x.shape[1]), per_run=settings.published
    )
    fold_of_member = np.tile(np.arange(settings.n_members), len(settings.kl_weights))
    rows_of = [np.flatnonzero(fold[row_instance] != mine) for mine in fold_of_member]
    held_out = [np.flatnonzero(fold[row_instance] == mine) for mine in fold_of_member]
    architecture = settings.architecture(data.features.shape[1])
    objective = Objective(
        architecture=architecture,
        family=settings.family,
        output=settings.output,
        bayesian=settings.bayesian,
        local=not settings.published,
        prior="scale-mixture" if settings.published else "gaussian",
        draws=1 if settings.output == "parameters" else _runtime_draws(settings, len(row_instance)),
        published=settings.published,
    )
    runs_seen = np.mean([data.present[rows].sum() for rows in rows_of])
    instances_seen = np.mean([len(np.unique(row_instance[rows])) for rows in rows_of])
    # Runs of one instance tell less about features than as many instances would: they count by the square root.
    evidence = float(np.sqrt(runs_seen * instances_seen))
    plan = _plan(settings, architecture, x.shape[1], rows_of, evidence, spread)
    if settings.bayesian and not settings.published and x.shape[1] > 1:
        plan = replace(plan, prior=_screened(plan.prior, architecture, x, observations, fold, fold_of_member, rng))
    initial = _initial(architecture, settings, plan, rng)
    trained = train(objective, data, plan, initial, rows_of, held_out, int(rng.integers(2**31)), settings.verbose)
    if not np.isfinite(trained.mu).all():
        raise SettingError(
            f"Training diverged with learning_rate={settings.learning_rate}: the weights are not finite. Lower it."
        )
    groups = len(settings.kl_weights)
    ensemble = Ensemble(
        settings=settings,
        architecture=architecture,
        scaler=scaler,
        center=center,
        spread=spread,
        reach=float(distance(x).max()),
        horizon=np.inf if observations.finished.all() else float(observations.seconds.max()),
        weights=_draw_weights(trained, settings, objective.draws, rng),
        pool=np.full(groups, 1.0 / groups),
        norm=trained.norm,
        fold=fold,
        history=_history(trained, settings),
    )
    if groups == 1:
        return ensemble
    each = np.split(ensemble.weights, groups)
    alone = [replace(ensemble, pool=np.ones(1), weights=weights).out_of_fold(x) for weights in each]
    pool = pool_weights([run_scores(rtd, observations) for rtd in alone])
    kept = pool >= min(LEAST_SHARE, pool.max())  # the rest would cost time in every prediction and change none
    weights = ensemble.weights[np.repeat(kept, settings.n_members)]
    return replace(ensemble, pool=pool[kept] / pool[kept].sum(), weights=weights)


def _folds(n_instances: int, settings: Settings, rng: np.random.Generator) -> IntArray:
    """Return the fold of every instance; member j learns without fold j."""
    if settings.published:  # the last fifth of the training instances is held out
        return np.where(np.arange(n_instances) < published_training_part(n_instances), 1, 0)
    return rng.permutation(np.arange(n_instances) % (settings.n_members if settings.n_members > 1 else FOLDS))


def _training_data(
    x: FloatArray, observations: Observations, center: float, n_inputs: int, *, per_run: bool
) -> tuple[TrainingData, IntArray]:
    """Lay the runs out as padded rows, an instance's runs side by side, and tell the instance of every row.

    Runs of one instance share their features, so side by side they share the network's work. An instance with far
    more runs than the others is spread over several rows: no padding without bound.
    """
    counts = observations.runs_of_each()
    most, total = int(counts.max()), len(observations.seconds)
    width = most if observations.n_instances * most <= 4 * total else math.ceil(2 * total / observations.n_instances)
    width = 1 if per_run else width
    order = np.argsort(observations.instance, kind="stable")
    instance = observations.instance[order]
    position = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    rows_each = -(-counts // width)
    row = (np.cumsum(rows_each) - rows_each)[instance] + position // width
    n_rows = int(rows_each.sum())
    shape = (padded_size(n_rows, 64), 1 if width == 1 else padded_size(width, 2))
    times, finished, present = np.ones(shape), np.zeros(shape, bool), np.zeros(shape)
    at = (row, position % width)
    times[at] = observations.seconds[order] / math.exp(center)
    finished[at], present[at] = observations.finished[order], 1.0
    row_instance = np.repeat(np.arange(observations.n_instances), rows_each)
    padded = np.zeros((shape[0], n_inputs))
    padded[:n_rows, : x.shape[1]] = x[row_instance]
    data = TrainingData(padded.astype(np.float32), times.astype(np.float32), finished, present.astype(np.float32))
    return data, row_instance


def _plan(
    settings: Settings,
    architecture: Architecture,
    n_features: int,
    rows_of: list[IntArray],
    evidence: float,
    spread: float,
) -> Plan:
    most = len(np.unique(np.concatenate(rows_of)))
    prior, mask = prior_scales(architecture, n_features)
    if settings.published:
        batch = min(PUBLISHED_BATCH, most)
        per_epoch = max(most // batch, 1)
        epoch = np.repeat(np.arange(PUBLISHED_EPOCHS), per_epoch)
        return Plan(
            rates=(1e-3 * 0.01 ** (epoch / 500)).astype(np.float32),
            chunk=per_epoch,
            batch=batch,
            spread=spread,
            kl_weights=np.array(settings.kl_weights) / per_epoch,
            prior=prior,
            mask=mask,
            patience=None if settings.bayesian else PUBLISHED_PATIENCE,
        )
    steps = settings.max_iter or round(LEAST_STEPS * math.sqrt(max(1.0, most / FULL_BATCH)))
    return Plan(
        rates=cosine_rates(steps, settings.learning_rate),
        chunk=CHUNK,
        batch=_batch_size(settings, most),
        spread=spread,
        kl_weights=np.repeat(settings.kl_weights, settings.n_members) / evidence,
        prior=prior,
        mask=mask,
        patience=settings.n_iter_no_change,
    )


def _batch_size(settings: Settings, n_rows: int) -> int:
    if settings.output == "runtimes":
        return RUNTIME_BATCH
    if n_rows > FULL_BATCH:
        return BATCH
    whole = -(-n_rows // 64) * 64
    return min(whole, SMALL_BATCH) if settings.bayesian else whole


def _screened(
    prior: FloatArray,
    architecture: Architecture,
    x: FloatArray,
    observations: Observations,
    fold: IntArray,
    fold_of_member: IntArray,
    rng: np.random.Generator,
) -> FloatArray:
    """Return prior deviations, one row a member, that trust the features a small forest finds useful.

    Of a hundred features few matter, and a network with the same prior for all has to learn from a few hundred runs
    which. A forest's importances tell it at once. They share out the same sum of prior variances, and come from the
    instances the member learns from, so that out-of-fold predictions stay honest.
    """
    level = np.bincount(observations.instance, np.log(observations.seconds)) / observations.runs_of_each()
    level = np.round(level - level.mean(), 9)  # the unit of time must not break ties between splits
    share = np.full((fold_of_member.max() + 1, x.shape[1]), 1.0 / x.shape[1])
    for mine in range(len(share)):
        taught = fold != mine
        forest = RandomForestRegressor(
            SCREENING_TREES,
            max_features=1 / 3,
            min_samples_leaf=3,
            max_samples=min(int(taught.sum()), SCREENING_ROWS),
            random_state=int(rng.integers(2**31)),
        )
        importance = forest.fit(x[taught], level[taught]).feature_importances_
        if importance.any():  # else the forest never split: no feature is better than another
            share[mine] = (1.0 - EVEN_SHARE) * importance + EVEN_SHARE / x.shape[1]
    scale = np.ones((len(share), architecture.n_inputs))
    scale[:, : x.shape[1]] = np.sqrt(share * x.shape[1])
    by_fold = []
    for factors in scale:
        blocks = architecture.unflatten(prior)
        blocks |= {name: blocks[name] * factors[:, None] for name in ("w0", "w_skip") if name in blocks}
        by_fold.append(architecture.flatten(blocks))
    return np.stack(by_fold)[fold_of_member]


def _initial(
    architecture: Architecture, settings: Settings, plan: Plan, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Starting parameters, one row a member."""
    members = settings.n_members * len(settings.kl_weights)
    shape, units = (members, architecture.n_weights), (members, sum(architecture.hidden))
    norm = {"norm_scale": np.ones(units), "norm_shift": np.zeros(units)} if architecture.batch_norm else {}
    if settings.published and settings.bayesian:
        return {"mu": rng.normal(0.0, 0.1, shape), "rho": rng.normal(-3.0, 0.1, shape)} | norm
    if settings.published:
        fan_in = {name: size[0] for name, size in architecture.layout}
        reach = {n: np.full(s, fan_in[n.replace("b", "w")] ** -0.5) for n, s in architecture.layout}
        return {"mu": rng.uniform(-1.0, 1.0, shape) * architecture.flatten(reach)} | norm
    start = {name: np.zeros(size) for name, size in architecture.layout}
    start |= {n: np.ones(s) for n, s in architecture.layout if n[0] == "w" and n[1:].isdigit()}
    mu = rng.normal(size=shape) * plan.prior * plan.mask * architecture.flatten(start)
    if not settings.bayesian:
        return {"mu": mu}
    sigma = {name: np.full(size, INITIAL_SIGMA) for name, size in architecture.layout}
    if settings.output == "runtimes":
        # The spread of the draws is the predicted distribution: start as wide as the runs are.
        sigma["b_out"][:] = 1.0
    rho = np.log(np.expm1(architecture.flatten(sigma)))
    return {"mu": mu, "rho": np.broadcast_to(rho, shape)}


def _history(trained: Trained, settings: Settings) -> FloatArray:
    """Return the rows of `Ensemble.history`: looks by KL weight, averaged over the weight's members."""
    looks, groups = len(trained.steps), len(settings.kl_weights)

    def averaged(losses: FloatArray) -> FloatArray:
        return np.asarray(losses.reshape(looks, groups, settings.n_members).mean(axis=2).ravel())

    steps, weights = np.repeat(trained.steps, groups), np.tile(settings.kl_weights, looks)
    return np.stack([steps, weights, averaged(trained.training_loss), averaged(trained.held_out_loss)], axis=1)


def _runtime_draws(settings: Settings, n_rows: int) -> int:
    """How many draws a family is fitted to.

    Mean and variance of n draws vary by chance, and training makes up for that by a spread that is too wide, by 14 %
    with 16 draws and 3 % with 64. With few instances that is welcome: they leave the spread in doubt. Many do not.
    """
    return RUNTIME_DRAWS if settings.published or n_rows <= FULL_BATCH else MANY_RUNTIME_DRAWS


def _draw_weights(trained: Trained, settings: Settings, runtime_draws: int, rng: np.random.Generator) -> FloatArray:
    if trained.sigma is None:
        return trained.mu[:, None]
    draws = settings.n_draws if settings.output == "parameters" else runtime_draws
    shape = (len(trained.mu), draws, trained.mu.shape[1])
    stratified = settings.output == "runtimes" and not settings.published
    noise = _stratified_normals(shape, rng) if stratified else rng.normal(size=shape)
    drawn = trained.mu[:, None] + trained.sigma[:, None] * noise
    return drawn.astype(np.float32).astype(np.float64)


def _stratified_normals(shape: tuple[int, int, int], rng: np.random.Generator) -> FloatArray:
    """Normals whose draws (the middle axis) fall one into each slice of equal probability, in random order.

    A family that is fitted to sixteen draws lies a quarter of their deviation off, by chance alone; drawn like this,
    the mean of any sum of weights is nearly right, and so is its variance.
    """
    slices = rng.permuted(np.broadcast_to(np.arange(shape[1])[:, None], shape), axis=1)
    return np.asarray(ndtri((slices + rng.uniform(size=shape)) / shape[1]))
