"""The posterior of weights and instance effect, sampled instead of approximated: a reference on small data.

The model is that of the default recipe with three differences. The likelihood is the joint one of the runs of an
instance, with the size of the instance effect as one more parameter. All instances take part in every step, and the
prior is screened on all of them. And nothing is approximated: no mean field, no local minimum, no early end.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from sklearn.exceptions import ConvergenceWarning

from bayes_distnet.arrays import Array, FloatArray
from bayes_distnet.data.observations import Observations
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.models.instance_effect import USUAL, USUAL_SPREAD
from bayes_distnet.models.network.architecture import Architecture, forward, prior_scales
from bayes_distnet.models.network.convergence import r_hat
from bayes_distnet.models.network.ensemble import Ensemble
from bayes_distnet.models.network.instance_likelihood import InstanceRuns, log_joint
from bayes_distnet.models.network.links import Link
from bayes_distnet.models.network.nuts import draw_chains
from bayes_distnet.models.network.screening import importances, screened_prior
from bayes_distnet.models.sampled_effect import SampledEffect

THINNING = 5  # steps per kept draw; the warm-up is as long as the sampling
LARGEST_R_HAT = 1.1  # in 95 % of the instances; chains that agree less have not converged
MOST_DIVERGENT = 0.01  # fraction of the steps


@dataclass(frozen=True)
class WeightPosterior:
    """Log density of weights and effect, up to a constant.

    A position has one entry per weight, in prior deviations, and a last one for the size of the effect: the prior of
    all entries is standard normal.

    Parameters
    ----------
    architecture : Architecture
        Shape of the network.
    link : Link
        From raw outputs to lognormals.
    shared : bool
        Whether the runs of an instance share an effect; else they are independent given the weights.
    """

    architecture: Architecture
    link: Link
    shared: bool = True

    def __call__(self, position: Array, data: Any) -> Array:
        """Return the log density of one position."""
        raw, _ = forward(self.architecture, position[:-1] * data["prior"], data["features"])
        law = self.link.parameters(LogNormal, raw, 0.0, data["spread"]).parameters()
        size = effect_size(position[-1]) if self.shared else jnp.zeros(())
        joint = log_joint(data["runs"], law["loc"], law["scale"], size)
        return data["power"] * jnp.sum(joint) - 0.5 * jnp.sum(position**2)


@dataclass(frozen=True)
class SampledPosterior:
    """Draws of all chains, and how well the chains agree.

    Parameters
    ----------
    ensemble : Ensemble
        The sampled weights: a member is a chain.
    effect : SampledEffect
        The sampled sizes of the effect.
    r_hat : float
        R-hat of the predicted locations that 95 % of the training instances stay below.
    """

    ensemble: Ensemble
    effect: SampledEffect
    r_hat: float


def effect_size(value: Array) -> Array:
    """Return the size of the effect whose logit is so many prior deviations above the usual one."""
    return jax.nn.sigmoid(scipy.special.logit(USUAL) + USUAL_SPREAD * value)


def sample_posterior(
    start: Ensemble,
    features: FloatArray,
    observations: Observations,
    *,
    kl_weight: float,
    draws: int,
    seed: int,
    n_jobs: int | None = None,
    shared: bool = True,
) -> SampledPosterior:
    """Sample the posterior, with one chain from the first weight draw of each network.

    Parameters
    ----------
    start : Ensemble
        Networks of one KL weight, fitted to the same data.
    features : array
        Unscaled features, one row per instance.
    observations : Observations
        Runs of all instances.
    kl_weight : float
        1 is the posterior; with a smaller number the likelihood counts more, to the power of 1 / kl_weight.
    draws : int
        Draws that are kept per chain.
    seed : int
        Fixes the result.
    n_jobs : int or None
        Threads of the forest that screens features.
    shared : bool, default True
        Whether the runs of an instance share an effect.

    Returns
    -------
    SampledPosterior
        Draws of weights and effect. A `ConvergenceWarning` is given if the chains disagree.
    """
    rng = np.random.default_rng(seed)
    x = start.inputs(features)
    prior = _prior(start.architecture, x, observations, rng, n_jobs)
    data = {
        "features": np.pad(x, ((0, 0), (0, start.architecture.n_inputs - x.shape[1]))),
        "runs": InstanceRuns.of(observations, start.center),
        "prior": prior,
        "spread": np.asarray(start.spread),
        "power": np.asarray(1.0 / kl_weight),
    }
    first = np.divide(start.weights[:, 0], prior, out=np.zeros_like(start.weights[:, 0]), where=prior > 0)
    positions, divergent = draw_chains(
        WeightPosterior(start.architecture, start.recipe.link, shared),
        jax.tree.map(lambda values: jnp.asarray(values, jnp.float32), data),
        np.pad(first, ((0, 0), (0, 1))),
        warm_up=THINNING * draws,
        draws=draws,
        thinning=THINNING,
        seed=int(rng.integers(2**31)),
        verbose=start.recipe.verbose,
    )
    weights = (positions[..., :-1] * prior).astype(np.float32).astype(np.float64)
    sizes = (
        np.asarray(effect_size(positions[..., -1].ravel()), np.float64) if shared else np.zeros(weights[..., 0].size)
    )
    assumed = bool((observations.runs_of_each() < 2).all())
    sampled = replace(start, weights=weights)
    agreement = float(np.quantile(r_hat(sampled.raw(x)[..., 0]), 0.95))
    _check_convergence(agreement, float(divergent.mean()))
    return SampledPosterior(sampled, SampledEffect(np.asarray(sizes, np.float64), assumed), agreement)


def _check_convergence(agreement: float, divergent: float) -> None:
    if not agreement <= LARGEST_R_HAT or divergent > MOST_DIVERGENT:
        warnings.warn(
            f"The chains have not converged: R-hat of the predicted locations is {agreement:.2f} (expected at most "
            f"{LARGEST_R_HAT}), {divergent:.1%} of the trajectories diverged. Give a larger n_draws.",
            ConvergenceWarning,
            stacklevel=2,
        )


def _prior(
    architecture: Architecture, x: FloatArray, observations: Observations, rng: np.random.Generator, n_jobs: int | None
) -> FloatArray:
    """Return the prior deviation of every weight, screened on all instances; 0 for weights of padding inputs."""
    prior, mask = prior_scales(architecture, x.shape[1])
    if x.shape[1] > 1:
        nobody_left_out, one_member = np.ones(len(x), dtype=np.int64), np.zeros(1, dtype=np.int64)
        useful = importances(x, observations, nobody_left_out, 1, rng, n_jobs)
        prior = screened_prior(prior, architecture, useful, one_member)[0]
    return np.asarray(prior * mask)
