"""One compiled training loop for all members of an ensemble (JAX).

Several members (networks that each leave out other instances) train side by side in one program. Everything that only
changes numbers (learning rates, KL weight, the data) is an argument of the compiled program; what changes its shape is
in `Objective`, so that a second fit of the same shape compiles nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from tqdm.auto import tqdm

from bayes_distnet.arrays import Array, BoolArray, FloatArray, IntArray
from bayes_distnet.interrupts import held_back
from bayes_distnet.models.network.architecture import padded_size
from bayes_distnet.models.network.compilation import use_compilation_cache
from bayes_distnet.models.network.loss import Tree, log_likelihood, loss, noise_shape, optimiser, outputs
from bayes_distnet.models.network.objective import Float32Array, Objective, Plan, Trained, TrainingData

EVALUATION_ROWS = 4096  # of all members together
LEAST_EVALUATION_DRAWS = 4


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
    descent = optimiser(objective)
    gradient = jax.value_and_grad(functools.partial(loss, objective), has_aux=True)

    def member_step(params: Tree, state: Tree, momenta: Any, mine: Tree, noise: Array, batch: Tree, rate: Array) -> Any:
        batch = batch | {"present": batch["present"] * mine["taught"][:, None]}
        (_, (state, data_loss)), grads = gradient(params, state, batch, noise, plan | mine)
        updates, momenta = descent.update(grads, momenta, params)
        params = jax.tree.map(lambda p, u: p - rate * u, params, updates)
        return params, state, momenta, data_loss

    def step(carry: Any, xs: Any) -> Any:
        params, state, momenta, key = carry
        index, rate = xs
        key, use = jax.random.split(key)
        # One batch and one noise for all members, each blind to its own fold: the first layer of all is one matrix
        # product, and normals, the most expensive part of a step, are drawn once. Members differ in start, fold and KL
        # weight.
        noise = jax.random.normal(use, noise_shape(objective, len(index), objective.draws))
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
    """Return minus the mean log predictive density of held-out runs, one number per member."""
    draws = max(objective.draws, LEAST_EVALUATION_DRAWS)
    noise = jax.random.normal(key, noise_shape(objective, rows.shape[1], draws))

    def member(params: Tree, state: Tree, index: Array) -> Array:
        batch = _take(data, index)
        raw, _, _ = outputs(objective, params, state, batch["features"], noise, training=False)
        likelihood = log_likelihood(objective, raw, batch, plan["spread"])
        mixed = jax.nn.logsumexp(likelihood, axis=0) - jnp.log(likelihood.shape[0])
        return -jnp.sum(batch["present"] * mixed) / jnp.maximum(jnp.sum(batch["present"]), 1.0)

    return jax.vmap(member)(params, state, rows)


@dataclass
class _Best:
    """The best parameters of every member so far, by held-out loss; kept only if training may stop early."""

    patience: int | None
    values: Any
    loss: FloatArray
    waited: int = 0

    def update(self, values: Any, held_out: FloatArray) -> bool:
        """Keep the better parameters; return whether training should stop."""
        if self.patience is None:
            self.values = values
            return False
        better = held_out < self.loss
        self.values = _choose(better, values, self.values)
        self.loss = np.where(better, held_out, self.loss)
        self.waited = 0 if better.any() else self.waited + 1
        return self.waited >= self.patience


def train(
    objective: Objective,
    data: TrainingData,
    plan: Plan,
    initial: Tree,
    training_rows: list[IntArray],
    held_out_rows: list[IntArray],
    seed: int,
    verbose: bool | None = None,
) -> Trained:
    """Train one network per entry of `training_rows`, all in one program and on the same batches.

    Parameters
    ----------
    objective : Objective
        The optimised quantity.
    data : TrainingData
        Padded rows of runs.
    plan : Plan
        Learning rates, batch size, KL weights, prior.
    initial : dict of arrays
        Starting parameters with one row per member: mu, rho (if Bayesian), norm_scale and norm_shift (with batch
        normalisation).
    training_rows, held_out_rows : list of arrays
        Rows that each member learns from, and rows that it is evaluated on.
    seed : int
        Fixes the result.
    verbose : bool or None
        Whether a progress bar is shown; None shows it on a terminal only.

    Returns
    -------
    Trained
        Weights of all members and their losses.
    """
    use_compilation_cache()
    rng = np.random.default_rng(seed)
    members = len(training_rows)
    params = {name: jnp.asarray(value, jnp.float32) for name, value in initial.items()}
    units = sum(objective.architecture.hidden) if objective.architecture.batch_norm else 0
    state = {"mean": jnp.zeros((members, units)), "variance": jnp.ones((members, units))}
    momenta = jax.vmap(optimiser(objective).init)(params)
    key, evaluation_key = jax.random.split(jax.random.key(seed, impl="rbg"))
    arrays = {name: jnp.asarray(value) for name, value in vars(data).items()}
    numbers = _numbers(plan, training_rows, len(data.features))
    evaluated = [rng.permutation(rows)[: EVALUATION_ROWS // members] for rows in held_out_rows]
    evaluated_rows = jnp.asarray(_pad_rows(evaluated, padded_size(max(len(rows) for rows in evaluated))))
    batches = _batches(np.unique(np.concatenate(training_rows)), plan.batch, rng)
    chunks = _chunks(plan.rates, plan.chunk)
    history: list[tuple[int, FloatArray, FloatArray]] = []
    best = _Best(plan.patience, (params, state), np.full(members, np.inf))
    shown = sys.stderr.isatty() if verbose is None else verbose
    with tqdm(total=chunks.size, desc="training", unit="step", disable=not shown) as bar, held_back() as interrupt:
        for rates in chunks:
            interrupt()
            index = np.stack([next(batches) for _ in range(plan.chunk)]).astype(np.int32)
            if plan.patience is not None:  # the chunk consumes its arguments, and these may be the best so far
                params, state = jax.tree.map(jnp.copy, (params, state))
            params, state, momenta, key, losses = _run_chunk(
                objective, params, state, momenta, key, index, rates, arrays, numbers
            )
            held_out = np.asarray(
                _held_out_loss(objective, params, state, evaluation_key, evaluated_rows, arrays, numbers), np.float64
            )
            history.append(((len(history) + 1) * plan.chunk, np.asarray(losses, np.float64), held_out))
            bar.update(plan.chunk)
            # Members are sharper than their mixture, which is what predicts: only a loss that ends training is shown.
            shown_loss = losses if plan.patience is None else held_out
            bar.set_postfix({"loss" if plan.patience is None else "held-out loss": f"{shown_loss.mean():.3f}"})
            if best.update((params, state), held_out):
                break
    params, state = best.values
    return _as_trained(params, state, history)


def _numbers(plan: Plan, training_rows: list[IntArray], n_rows: int) -> Tree:
    """Return the numbers of a plan as arguments of the compiled program."""
    return {
        "spread": jnp.float32(plan.spread),
        "kl_weight": jnp.asarray(plan.kl_weights, jnp.float32),
        "prior": jnp.broadcast_to(jnp.asarray(plan.prior, jnp.float32), (len(training_rows), plan.prior.shape[-1])),
        "mask": jnp.asarray(plan.mask, jnp.float32),
        "taught": jnp.asarray([np.isin(np.arange(n_rows), rows) for rows in training_rows], jnp.float32),
    }


def _chunks(rates: Float32Array, size: int) -> Float32Array:
    """Return the rates as rows of one chunk each, the last filled up with the last rate."""
    missing = -len(rates) % size
    return np.concatenate([rates, np.repeat(rates[-1:], missing)]).reshape(-1, size)


def _as_trained(params: Tree, state: Tree, history: list[tuple[int, FloatArray, FloatArray]]) -> Trained:
    final = {name: np.asarray(value, np.float64) for name, value in params.items()}
    norm = {name: value for name, value in final.items() if name.startswith("norm")}
    if norm:
        norm |= {f"norm_{name}": np.asarray(value, np.float64) for name, value in state.items()}
    sigma = np.logaddexp(final["rho"], 0.0) if "rho" in final else None
    steps, training_loss, held_out_loss = zip(*history, strict=True)
    return Trained(final["mu"], sigma, norm, np.array(steps), np.stack(training_loss), np.stack(held_out_loss))


def _choose(mask: BoolArray, new: Any, old: Any) -> Any:
    return jax.tree.map(lambda n, o: jnp.where(mask.reshape(-1, *[1] * (n.ndim - 1)), n, o), new, old)


def _batches(rows: IntArray, size: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Yield shuffled batches without end, the last partial one of an epoch dropped; all rows at once if they fit."""
    if len(rows) <= size:
        whole = _pad_rows([rows], size)[0]
        while True:
            yield whole
    while True:
        shuffled = rng.permutation(rows)
        yield from shuffled[: len(rows) // size * size].reshape(-1, size)


def _pad_rows(rows: list[IntArray], size: int) -> IntArray:
    """Return row numbers as one matrix, filled up with -1."""
    return np.stack([np.pad(each, (0, size - len(each)), constant_values=-1) for each in rows])
