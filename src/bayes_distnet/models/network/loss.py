"""The loss of a network, and the optimiser that lowers it (JAX).

    loss = -(log likelihood of the batch's runs) + kl_weight * KL(posterior || prior)

A finished run enters with its log density, a censored one with its log survival.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import optax

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families import Family, get_family
from bayes_distnet.models.network.architecture import (
    Norm,
    forward,
    forward_local,
    gaussian_kl,
    noise_size,
    scale_mixture_kl,
)
from bayes_distnet.models.network.mixture_head import log_sum_exp, parts_of
from bayes_distnet.models.network.objective import Objective

Tree = dict[str, Array]

MOMENTUM, WEIGHT_DECAY, CLIP_NORM = 0.95, 1e-4, 1e-2  # of the published runs
ADAM_CLIP_NORM = 10.0
NORM_MOMENTUM = 0.1


def log_likelihood(objective: Objective, raw: Array, data: Tree, spread: Array) -> Array:
    """Return the log likelihood of every run: raw (draws, rows, outputs) gives (draws or 1, rows, runs)."""
    kind, link = get_family(objective.family), objective.link

    def score(predicted: Family) -> Array:
        if not objective.censored:
            return predicted.log_prob(data["times"])
        return predicted.log_likelihood(data["times"], data["finished"])

    if objective.output == "mixture":
        log_weights, *shapes = parts_of(raw)
        raw_parts = [jnp.stack(pair, axis=-1)[..., None, : kind.n_raw] for pair in zip(*shapes, strict=True)]
        parts = [link.parameters(kind, each, 0.0, spread) for each in raw_parts]
        return log_sum_exp([weight[..., None] + score(part) for weight, part in zip(log_weights, parts, strict=True)])
    if objective.output == "runtimes":
        return score(kind.from_samples(link.runtimes(raw[..., 0], 0.0, spread)[None, ..., None], axis=1))
    return score(link.parameters(kind, raw[..., None, :], 0.0, spread))


def posterior_sigma(rho: Array) -> Array:
    """Return the deviation of weights from its unconstrained form."""
    return jnp.logaddexp(rho, 0.0)


def outputs(
    objective: Objective, params: Tree, state: Tree, x: Array, noise: Array, *, training: bool
) -> tuple[Array, Array | None, Array | None]:
    """Return raw outputs (draws, rows, outputs), the weights they were made with, and moments of hidden units."""
    architecture = objective.architecture
    if objective.bayesian and objective.local:
        return forward_local(architecture, params["mu"], posterior_sigma(params["rho"]), x, noise), None, None
    weights = params["mu"] + posterior_sigma(params["rho"]) * noise if objective.bayesian else params["mu"][None]
    norm = None
    if architecture.batch_norm:
        running = (None, None) if training else (state["mean"], state["variance"])
        norm = Norm(params["norm_scale"], params["norm_shift"], *running)
    raw, moments = forward(architecture, weights, x, norm)
    return raw, weights, moments


def loss(objective: Objective, params: Tree, state: Tree, batch: Tree, noise: Array, plan: Tree) -> Any:
    """Return the loss of a batch; and beside it the new running averages and the loss without the KL term."""
    raw, weights, moments = outputs(objective, params, state, batch["features"], noise, training=True)
    likelihood = log_likelihood(objective, raw, batch, plan["spread"])
    total = -jnp.sum(batch["present"] * jnp.mean(likelihood, axis=0))
    data_loss = total if objective.reduction == "sum" else total / jnp.maximum(jnp.sum(batch["present"]), 1.0)
    if moments is not None:
        state = _running_averages(state, moments, batch["features"].shape[0])
    return data_loss + plan["kl_weight"] * _divergence(objective, params, weights, plan), (state, data_loss)


def _divergence(objective: Objective, params: Tree, weights: Array | None, plan: Tree) -> Array:
    """Return the KL term; of plain weights, minus the log of a Gaussian prior."""
    if not objective.bayesian:
        return jnp.sum(plan["mask"] * (params["mu"] / plan["prior"]) ** 2) / 2
    sigma = posterior_sigma(params["rho"])
    if objective.prior == "gaussian":
        return gaussian_kl(params["mu"], sigma, plan["prior"], plan["mask"])
    return jnp.mean(scale_mixture_kl(weights, params["mu"], sigma, plan["mask"]))


def _running_averages(state: Tree, moments: Array, rows: int) -> Tree:
    """Return the averages of batch normalisation after the draws have passed one after the other, as published."""
    decay, draws = 1.0 - NORM_MOMENTUM, moments.shape[1]
    shares = NORM_MOMENTUM * decay ** jnp.arange(draws - 1, -1, -1.0)
    moved = jnp.einsum("d,kdh->kh", shares, moments)
    return {
        "mean": decay**draws * state["mean"] + moved[0],
        "variance": decay**draws * state["variance"] + moved[1] * rows / max(rows - 1, 1),
    }


def optimiser(objective: Objective) -> optax.GradientTransformation:
    """Return the optimiser without its learning rate."""
    if objective.optimiser == "momentum":
        return optax.chain(
            optax.clip_by_global_norm(CLIP_NORM),
            optax.add_decayed_weights(WEIGHT_DECAY),
            optax.trace(decay=MOMENTUM),
        )
    return optax.chain(optax.clip_by_global_norm(ADAM_CLIP_NORM), optax.scale_by_adam())


def noise_shape(objective: Objective, rows: int, draws: int) -> tuple[int, ...]:
    """Return the shape of the noise of a step."""
    if not objective.bayesian:
        return (0,)
    if objective.local:
        return (draws, rows, noise_size(objective.architecture))
    return (draws, objective.architecture.n_weights)
