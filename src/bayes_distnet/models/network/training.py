"""One objective, one compiled loop.

    loss = -(log likelihood of the batch's runs) * data_weight + kl_weight * KL(posterior || prior)

A finished run enters with its log density, one cut off with its log survival. Several members (networks that each
leave out other instances) train side by side in one program. Everything that only changes numbers (learning rates,
KL weight, the data) is an argument of the compiled program; what changes its shape is in `Objective`, so a second
fit of the same shape compiles nothing.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray
from tqdm import tqdm

from bayes_distnet.arrays import Array, BoolArray, FloatArray, IntArray
from bayes_distnet.distributions.families import get_family
from bayes_distnet.models.network.architecture import (
    Architecture,
    Norm,
    forward,
    forward_local,
    gaussian_kl,
    noise_size,
    padded_size,
    scale_mixture_kl,
)

Tree = dict[str, Array]

CACHE_VARIABLE = "BAYES_DISTNET_CACHE"
MOMENTUM, WEIGHT_DECAY, CLIP_NORM = 0.95, 1e-4, 1e-2  # of the published runs
NORM_MOMENTUM = 0.1
EVALUATION_ROWS = 4096  # of all members


@dataclass(frozen=True)
class Objective:
    """What is learnt and how, as far as it shapes the compiled program."""

    architecture: Architecture
    family: str
    output: str = "parameters"
    bayesian: bool = True
    local: bool = True  # noise on the units (local reparameterisation), else on the weights
    prior: str = "gaussian"  # else "scale-mixture", which needs noise on the weights
    draws: int = 1
    published: bool = False  # the published links, optimiser and summed loss


@dataclass(frozen=True)
class TrainingData:
    """Runs by instance, padded: `present` is 0 where there is no run. Times are in units of exp(center)."""

    features: NDArray[np.float32]  # (instances, inputs)
    times: NDArray[np.float32]  # (instances, runs)
    finished: BoolArray
    present: NDArray[np.float32]


@dataclass(frozen=True)
class Plan:
    """The numbers of a training run."""

    rates: NDArray[np.float32]  # learning rate of every step
    chunk: int  # steps between two looks at the held-out instances
    batch: int
    spread: float
    kl_weights: FloatArray  # one a member
    prior: FloatArray  # deviation of every weight; or one row a member
    mask: FloatArray
    patience: int | None = None  # chunks without a better held-out loss; None: never stop early


@dataclass(frozen=True)
class Trained:
    """Weights of all members, one row each, and how the training went."""

    mu: FloatArray
    sigma: FloatArray | None
    norm: dict[str, FloatArray]
    steps: IntArray  # when the members were looked at
    training_loss: FloatArray  # (looks, members)
    held_out_loss: FloatArray


def _log_likelihood(objective: Objective, raw: Array, data: Tree, spread: Array) -> Array:
    """Return the log likelihood of every run: raw (draws, rows, outputs) gives (draws or 1, rows, runs)."""
    family = get_family(objective.family)
    if objective.output == "runtimes":
        link = jnp.logaddexp(raw[..., 0], 0.0) if objective.published else jnp.exp(spread * raw[..., 0])
        predicted = family.from_samples(link[None, ..., None], axis=1)
    elif objective.published:
        predicted = family.from_log_parameters(raw[..., None, :])
    else:
        predicted = family.from_raw(raw[..., None, :], 0.0, spread)
    return predicted.log_likelihood(data["times"], data["finished"])


def _sigma(rho: Array) -> Array:
    return jnp.logaddexp(rho, 0.0)


def _outputs(objective: Objective, params: Tree, state: Tree, x: Array, noise: Array, training: bool) -> Array:
    """Return raw outputs (draws, rows, outputs), the weights they were made with, and hidden moments."""
    architecture = objective.architecture
    if objective.bayesian and objective.local:
        raw = forward_local(architecture, params["mu"], _sigma(params["rho"]), x, noise)
        return raw, None, None
    weights = params["mu"] + _sigma(params["rho"]) * noise if objective.bayesian else params["mu"][None]
    norm = None
    if architecture.batch_norm:
        running = (None, None) if training else (state["mean"], state["variance"])
        norm = Norm(params["norm_scale"], params["norm_shift"], *running)
    raw, moments = forward(architecture, weights, x, norm)
    return raw, weights, moments


def _loss(objective: Objective, params: Tree, state: Tree, batch: Tree, noise: Array, plan: Tree) -> Any:
    raw, weights, moments = _outputs(objective, params, state, batch["features"], noise, training=True)
    likelihood = _log_likelihood(objective, raw, batch, plan["spread"])
    total = -jnp.sum(batch["present"] * jnp.mean(likelihood, axis=0))
    loss = total if objective.published else total / jnp.maximum(jnp.sum(batch["present"]), 1.0)
    data_loss = loss
    if objective.bayesian:
        sigma = _sigma(params["rho"])
        if objective.prior == "gaussian":
            kl = gaussian_kl(params["mu"], sigma, plan["prior"], plan["mask"])
        else:
            kl = jnp.mean(scale_mixture_kl(weights, params["mu"], sigma, plan["mask"]))
        loss = loss + plan["kl_weight"] * kl
    else:  # minus the log prior of plain weights
        loss = loss + plan["kl_weight"] * jnp.sum(plan["mask"] * (params["mu"] / plan["prior"]) ** 2) / 2
    if moments is not None:
        decay = 1.0 - NORM_MOMENTUM
        draws = moments.shape[1]
        # The published code passes the draws through one after the other, each moving the running averages.
        shares = NORM_MOMENTUM * decay ** jnp.arange(draws - 1, -1, -1.0)
        moved = jnp.einsum("d,kdh->kh", shares, moments)
        rows = batch["features"].shape[0]
        state = {
            "mean": decay**draws * state["mean"] + moved[0],
            "variance": decay**draws * state["variance"] + moved[1] * rows / max(rows - 1, 1),
        }
    return loss, (state, data_loss)


def _optimiser(objective: Objective) -> optax.GradientTransformation:
    if objective.published:
        return optax.chain(
            optax.clip_by_global_norm(CLIP_NORM),
            optax.add_decayed_weights(WEIGHT_DECAY),
            optax.trace(decay=MOMENTUM),
        )
    return optax.chain(optax.clip_by_global_norm(10.0), optax.scale_by_adam())


def _noise_shape(objective: Objective, rows: int, draws: int) -> tuple[int, ...]:
    if not objective.bayesian:
        return (0,)
    if objective.local:
        return (draws, rows, noise_size(objective.architecture))
    return (draws, objective.architecture.n_weights)


def _take(data: Tree, index: Array) -> Tree:
    batch = {name: values[index] for name, values in data.items()}
    return batch | {"present": batch["present"] * (index >= 0)[:, None]}


@functools.partial(jax.jit, static_argnames="objective", donate_argnums=(1, 2, 3))
def _run_chunk(
    objective: Objective,
    params: Tree,
    state: Tree,
    momenta: Any,
    key: Array,
    batches: Array,
    rates: Array,
    data: Tree,
    plan: Tree,
) -> Any:
    optimiser = _optimiser(objective)
    gradient = jax.value_and_grad(functools.partial(_loss, objective), has_aux=True)

    def member_step(params: Tree, state: Tree, momenta: Any, mine: Tree, noise: Array, batch: Tree, rate: Array) -> Any:
        batch = batch | {"present": batch["present"] * mine["taught"][:, None]}
        (_, (state, data_loss)), grads = gradient(params, state, batch, noise, plan | mine)
        updates, momenta = optimiser.update(grads, momenta, params)
        params = jax.tree.map(lambda p, u: p - rate * u, params, updates)
        return params, state, momenta, data_loss

    def step(carry: Any, xs: Any) -> Any:
        params, state, momenta, key = carry
        index, rate = xs
        key, use = jax.random.split(key)
        # One batch and one noise for all members, each blind to its own fold: the first layer of all is one matrix
        # product, and normals, the dearest part of a step, are drawn once. Members differ in start, fold and KL weight.
        noise = jax.random.normal(use, _noise_shape(objective, len(index), objective.draws))
        mine = {"taught": plan["taught"][:, index], "kl_weight": plan["kl_weight"], "prior": plan["prior"]}
        *carried, losses = jax.vmap(member_step, in_axes=(0, 0, 0, 0, None, None, None))(
            params, state, momenta, mine, noise, _take(data, index), rate
        )
        return (*carried, key), losses

    (params, state, momenta, key), losses = jax.lax.scan(step, (params, state, momenta, key), (batches, rates))
    return params, state, momenta, key, losses.mean(axis=0)


@functools.partial(jax.jit, static_argnames="objective")
def _held_out_loss(
    objective: Objective, params: Tree, state: Tree, key: Array, rows: Array, data: Tree, plan: Tree
) -> Array:
    """Minus the mean log predictive density of held-out runs, one number a member."""
    noise = jax.random.normal(key, _noise_shape(objective, rows.shape[1], max(objective.draws, 4)))

    def member(params: Tree, state: Tree, index: Array) -> Array:
        batch = _take(data, index)
        raw, _, _ = _outputs(objective, params, state, batch["features"], noise, training=False)
        likelihood = _log_likelihood(objective, raw, batch, plan["spread"])
        mixed = jax.nn.logsumexp(likelihood, axis=0) - jnp.log(likelihood.shape[0])
        return -jnp.sum(batch["present"] * mixed) / jnp.maximum(jnp.sum(batch["present"]), 1.0)

    return jax.vmap(member)(params, state, rows)


def train(
    objective: Objective,
    data: TrainingData,
    plan: Plan,
    initial: Tree,
    training_rows: list[IntArray],
    held_out_rows: list[IntArray],
    seed: int,
    progress: bool | None = None,
) -> Trained:
    """Train one network for each entry of `training_rows`, all in one program and on the same batches.

    `initial` holds the starting parameters with one row a member: mu, rho (if Bayesian), norm_scale and norm_shift
    (with batch normalisation). `progress=None` shows a bar only on a terminal.
    """
    use_compilation_cache()
    rng = np.random.default_rng(seed)
    members = len(training_rows)
    params = {name: jnp.asarray(value, jnp.float32) for name, value in initial.items()}
    units = sum(objective.architecture.hidden) if objective.architecture.batch_norm else 0
    state = {"mean": jnp.zeros((members, units)), "variance": jnp.ones((members, units))}
    momenta = jax.vmap(_optimiser(objective).init)(params)
    key, look_key = jax.random.split(jax.random.key(seed, impl="rbg"))
    arrays = {name: jnp.asarray(value) for name, value in vars(data).items()}
    numbers = {
        "spread": jnp.float32(plan.spread),
        "kl_weight": jnp.asarray(plan.kl_weights, jnp.float32),
        "prior": jnp.broadcast_to(jnp.asarray(plan.prior, jnp.float32), (members, plan.prior.shape[-1])),
        "mask": jnp.asarray(plan.mask, jnp.float32),
        "taught": jnp.asarray([np.isin(np.arange(len(data.features)), rows) for rows in training_rows], jnp.float32),
    }
    looks = [rng.permutation(rows)[: EVALUATION_ROWS // members] for rows in held_out_rows]
    looks_padded = jnp.asarray(_pad_rows(looks, padded_size(max(len(rows) for rows in looks))))
    batches = _batches(np.unique(np.concatenate(training_rows)), plan.batch, rng)
    n_chunks = -(-len(plan.rates) // plan.chunk)
    rates = np.concatenate([plan.rates, np.repeat(plan.rates[-1:], n_chunks * plan.chunk - len(plan.rates))])
    looked: list[tuple[int, FloatArray, FloatArray]] = []
    best, best_loss, waited = (params, state), np.full(members, np.inf), 0
    shown = sys.stderr.isatty() if progress is None else progress
    with tqdm(total=n_chunks * plan.chunk, desc="training", unit="step", disable=not shown) as bar:
        for c in range(n_chunks):
            index = np.stack([next(batches) for _ in range(plan.chunk)]).astype(np.int32)
            chunk_rates = rates[c * plan.chunk : (c + 1) * plan.chunk]
            if plan.patience is not None:  # the chunk consumes its arguments, and these may be the best so far
                params, state = jax.tree.map(jnp.copy, (params, state))
            params, state, momenta, key, losses = _run_chunk(
                objective, params, state, momenta, key, index, chunk_rates, arrays, numbers
            )
            held_out = np.asarray(
                _held_out_loss(objective, params, state, look_key, looks_padded, arrays, numbers), np.float64
            )
            losses = np.asarray(losses, np.float64)
            looked.append(((c + 1) * plan.chunk, losses, held_out))
            bar.update(plan.chunk)
            bar.set_postfix(loss=f"{losses.mean():.3f}", held_out=f"{held_out.mean():.3f}")
            if plan.patience is None:
                continue
            better = held_out < best_loss
            best = _choose(better, (params, state), best)
            best_loss, waited = np.where(better, held_out, best_loss), 0 if better.any() else waited + 1
            if waited >= plan.patience:
                break
    if plan.patience is not None:
        params, state = best
    steps, training_loss, held_out_loss = zip(*looked, strict=True)
    return _as_trained(params, state, np.array(steps), np.stack(training_loss), np.stack(held_out_loss))


def _as_trained(
    params: Tree,
    state: Tree,
    steps: IntArray,
    training_loss: FloatArray,
    held_out_loss: FloatArray,
) -> Trained:
    final = {name: np.asarray(value, np.float64) for name, value in params.items()}
    norm = {name: value for name, value in final.items() if name.startswith("norm")}
    if norm:
        norm |= {f"norm_{name}": np.asarray(value, np.float64) for name, value in state.items()}
    sigma = np.logaddexp(final["rho"], 0.0) if "rho" in final else None
    return Trained(final["mu"], sigma, norm, steps, training_loss, held_out_loss)


def _choose(mask: BoolArray, new: Any, old: Any) -> Any:
    return jax.tree.map(lambda n, o: jnp.where(mask.reshape(-1, *[1] * (n.ndim - 1)), n, o), new, old)


def _batches(rows: IntArray, size: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Yield shuffled batches for ever, the last partial one of an epoch dropped; all rows at once if they fit."""
    if len(rows) <= size:
        whole = _pad_rows([rows], size)[0]
        while True:
            yield whole
    while True:
        shuffled = rng.permutation(rows)
        yield from shuffled[: len(rows) // size * size].reshape(-1, size)


def _pad_rows(rows: list[IntArray], size: int) -> IntArray:
    """Row numbers as one matrix, filled up with -1."""
    return np.stack([np.pad(each, (0, size - len(each)), constant_values=-1) for each in rows])


def use_compilation_cache() -> None:
    """Keep compiled programs on disk between processes, unless the user has chosen a cache already.

    The folder is `$BAYES_DISTNET_CACHE`, else `bayes-distnet` in the user's cache folder; an empty variable turns
    it off.
    """
    config: Any = jax.config
    if config.jax_compilation_cache_dir is not None:
        return
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = os.environ.get(CACHE_VARIABLE, str(Path(home) / "bayes-distnet"))
    if not folder:
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a read-only home: compile anew in every process
    config.update("jax_compilation_cache_dir", folder)


def cosine_rates(steps: int, peak: float, warm_up: float = 0.05, floor: float = 0.01) -> NDArray[np.float32]:
    """Learning rates that rise linearly for a share of the steps, then fall along a cosine to a share of the peak."""
    warm = max(round(steps * warm_up), 1)
    schedule: Callable[[Array], Array] = optax.warmup_cosine_decay_schedule(
        peak / warm, peak, warm, max(steps, warm + 1), peak * floor
    )
    return np.asarray(schedule(jnp.arange(steps)), np.float32)
