"""The feed-forward network, its mean-field Gaussian weights and their priors.

All weights of a network are one flat vector, so that one optimiser step is one vector operation and a stack of
weight draws is a matrix. `forward` is written once for NumPy (prediction, float64) and JAX (training, float32);
leading axes of the weight array are weight draws and are computed together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.special.dispatch import namespace

NORM_EPSILON = 1e-5
SCALE_HEAD_PRIOR = 0.3  # prior deviation of the second output, relative to the first
SKIP_PRIOR = 0.55  # prior deviation of the skip connection, relative to a layer of its own


@dataclass(frozen=True)
class Architecture:
    """The shape of a network, which is fixed when its program is compiled.

    Parameters
    ----------
    n_inputs, n_outputs : int
        Numbers of inputs and outputs.
    hidden : tuple of int
        Units of the hidden layers.
    activation : {"tanh", "raised-tanh", "softplus"}
        Hidden activation.
    skip : bool
        Whether inputs are connected to the outputs directly, too.
    batch_norm : bool
        Whether hidden units are normalised before their activation.
    """

    n_inputs: int
    n_outputs: int
    hidden: tuple[int, ...] = (16, 16)
    activation: str = "tanh"
    skip: bool = True
    batch_norm: bool = False

    @property
    def layout(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Name and shape of every weight block, in the order of the flat vector."""
        sizes = (self.n_inputs, *self.hidden)
        blocks: list[tuple[str, tuple[int, ...]]] = []
        for i, (fan_in, fan_out) in enumerate(pairwise(sizes)):
            blocks += [(f"w{i}", (fan_in, fan_out)), (f"b{i}", (fan_out,))]
        blocks += [("w_out", (sizes[-1], self.n_outputs)), ("b_out", (self.n_outputs,))]
        if self.skip:
            blocks.append(("w_skip", (self.n_inputs, self.n_outputs)))
        return tuple(blocks)

    @property
    def n_weights(self) -> int:
        """Length of the flat weight vector."""
        return sum(math.prod(shape) for _, shape in self.layout)

    def unflatten(self, flat: Array) -> dict[str, Array]:
        """Cut a flat weight vector (with any leading axes) into named blocks."""
        blocks, start = {}, 0
        for name, shape in self.layout:
            stop = start + math.prod(shape)
            blocks[name] = flat[..., start:stop].reshape(*flat.shape[:-1], *shape)
            start = stop
        return blocks

    def flatten(self, blocks: dict[str, Array]) -> Array:
        """Undo `unflatten` for blocks without leading axes."""
        return np.concatenate([np.asarray(blocks[name]).ravel() for name, _ in self.layout])


@dataclass(frozen=True)
class Norm:
    """Batch normalisation of all hidden layers, laid end to end.

    Parameters
    ----------
    scale, shift : array
        Learnt scale and shift of every hidden unit.
    mean, variance : array or None
        Running averages; None takes those of the batch.
    """

    scale: Array
    shift: Array
    mean: Array | None = None
    variance: Array | None = None


def padded_size(n: int, least: int = 16) -> int:
    """Return the next of a few sizes (powers of two and halfway between), so that similar shapes share a program.

    Parameters
    ----------
    n : int
        Number of elements.
    least : int, default 16
        Smallest size.

    Returns
    -------
    int
        A size of at least n.

    Examples
    --------
    >>> [padded_size(n) for n in (3, 17, 33, 90, 300)]
    [16, 24, 48, 96, 384]
    """
    size = least
    while size < n:
        size = size * 3 // 2 if size & (size - 1) == 0 else size // 3 * 4
    return size


def activate(x: Array, kind: str) -> Array:
    """Apply the hidden activation: `tanh`, `raised-tanh` (1 + tanh, never negative) or `softplus`."""
    xp = namespace(x)
    if kind == "softplus":
        return xp.logaddexp(x, 0.0)
    level = {"tanh": 1.0, "raised-tanh": 2.0}[kind]
    if xp is not np:
        return xp.tanh(x) + (level - 1.0)
    # NumPy's tanh of float64 takes more than twice the time of this, which is as exact (3e-16).
    out = np.exp(2.0 * np.minimum(x, 20.0))
    out += 1.0
    np.divide(-2.0, out, out=out)
    out += level
    return out


def forward(architecture: Architecture, flat: Array, x: Array, norm: Norm | None = None) -> tuple[Array, Array]:
    """Return raw outputs for rows under given weights.

    Parameters
    ----------
    architecture : Architecture
        Shape of the network.
    flat : array
        Weights, (draws..., weights).
    x : array
        Rows, (n, inputs).
    norm : Norm or None
        Batch normalisation.

    Returns
    -------
    outputs : array
        (draws..., n, outputs).
    moments : array or None
        Mean and variance of each hidden unit before normalisation, (2, draws..., units), for running averages.
    """
    xp = namespace(flat, x)
    weights = architecture.unflatten(flat)
    hidden, start, moments = x, 0, []
    for i, width in enumerate(architecture.hidden):
        pre = hidden @ weights[f"w{i}"] + weights[f"b{i}"][..., None, :]
        if norm is not None:
            part = slice(start, start + width)
            if norm.mean is None or norm.variance is None:
                mean, variance = pre.mean(axis=-2, keepdims=True), pre.var(axis=-2, keepdims=True)
                moments.append(xp.stack([mean[..., 0, :], variance[..., 0, :]]))
            else:
                mean, variance = norm.mean[part], norm.variance[part]
            pre = (pre - mean) / xp.sqrt(variance + NORM_EPSILON) * norm.scale[part] + norm.shift[part]
        hidden = activate(pre, architecture.activation)
        start += width
    out = hidden @ weights["w_out"] + weights["b_out"][..., None, :]
    if architecture.skip:
        out = out + x @ weights["w_skip"]
    return out, xp.concatenate(moments, axis=-1) if moments else None


def noise_size(architecture: Architecture) -> int:
    """Return the number of normals per row under local reparameterisation."""
    return sum(architecture.hidden) + architecture.n_outputs


def forward_local(architecture: Architecture, mu: Array, sigma: Array, x: Array, noise: Array) -> Array:
    """Return raw outputs with the noise moved from the weights to the units (Kingma et al. 2015).

    A sum of independent Gaussian weights times inputs is Gaussian: drawing the sum instead of the weights needs far
    fewer normals and gives gradients of lower variance.

    Parameters
    ----------
    architecture : Architecture
        Shape of the network.
    mu, sigma : array
        Mean and deviation of the weights, (weights,).
    x : array
        Rows, (n, inputs).
    noise : array
        Standard normals, (draws, n, noise_size).

    Returns
    -------
    array
        (draws, n, outputs).
    """
    xp = namespace(mu, x)
    mean, variance = architecture.unflatten(mu), architecture.unflatten(sigma**2)
    # The first layer and the skip read the same inputs: side by side they are one matrix product, the largest.
    reading = ["w0", "w_skip"] if architecture.skip else ["w0"]
    center_in = x @ xp.concatenate([mean[name] for name in reading], axis=-1)
    spread_in = x**2 @ xp.concatenate([variance[name] for name in reading], axis=-1)
    width = architecture.hidden[0]
    center, spread, start = center_in[..., :width], spread_in[..., :width], 0
    for i, width in enumerate(architecture.hidden):
        here = noise[..., start : start + width]
        hidden = activate(center + mean[f"b{i}"] + xp.sqrt(spread + variance[f"b{i}"]) * here, architecture.activation)
        start += width
        following = f"w{i + 1}" if i + 1 < len(architecture.hidden) else "w_out"
        center, spread = hidden @ mean[following], hidden**2 @ variance[following]
    if architecture.skip:
        width = architecture.hidden[0]
        center, spread = center + center_in[..., width:], spread + spread_in[..., width:]
    return center + mean["b_out"] + xp.sqrt(spread + variance["b_out"]) * noise[..., start:]


def prior_scales(architecture: Architecture, n_features: int) -> tuple[Array, Array]:
    """Return the prior's standard deviation of every weight, and a mask that is 0 for weights of padding inputs.

    1/sqrt(fan-in) keeps the prior over functions the same for any number of features. The head of the second
    parameter (the spread) gets 0.3 of it: the width of a runtime distribution varies less over instances than its
    location.

    Parameters
    ----------
    architecture : Architecture
        Shape of the network.
    n_features : int
        Number of inputs that are not padding.

    Returns
    -------
    scales, mask : array
        One number per weight.
    """
    scales, masks = {}, {}
    for name, shape in architecture.layout:
        scale, mask = np.ones(shape), np.ones(shape)
        if name in ("w0", "w_skip"):
            mask[n_features:] = 0.0
        if name == "w_skip":
            scale *= SKIP_PRIOR / math.sqrt(max(n_features, 1))
        elif name == "w0":
            scale /= math.sqrt(max(n_features, 1))
        elif name.startswith("w"):
            scale /= math.sqrt(shape[0])
        if name in ("w_out", "w_skip"):
            scale[:, 1:] *= SCALE_HEAD_PRIOR
        scales[name], masks[name] = scale, mask
    return architecture.flatten(scales), architecture.flatten(masks)


def gaussian_kl(mu: Array, sigma: Array, prior: Array, mask: Array) -> Array:
    """Return the KL of the mean-field Gaussian from a zero-mean Gaussian prior, summed over weights."""
    xp = namespace(mu)
    each = xp.log(prior / sigma) + 0.5 * ((sigma**2 + mu**2) / prior**2 - 1.0)
    return (mask * each).sum(axis=-1)


def scale_mixture_kl(weights: Array, mu: Array, sigma: Array, mask: Array) -> Array:
    """Return one-draw estimates of the KL from the paper's prior 0.5 N(0, 0.3^2) + 0.5 N(0, 0.01^2), (draws,)."""
    xp = namespace(weights)
    log_q = -0.5 * ((weights - mu) / sigma) ** 2 - xp.log(sigma)
    wide = -0.5 * (weights / 0.3) ** 2 - math.log(0.3)
    narrow = -0.5 * (weights / 0.01) ** 2 - math.log(0.01)
    return (mask * (log_q - xp.logaddexp(wide, narrow) + math.log(2.0))).sum(axis=-1)
