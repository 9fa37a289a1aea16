"""The parts of a training run: objective, data, numbers and result. Plain data, without JAX."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.models.network.architecture import Architecture
from bayes_distnet.models.network.links import Link

Float32Array = NDArray[np.float32]


@dataclass(frozen=True)
class Objective:
    """The optimised quantity, as far as it shapes the compiled program; hashable.

    Parameters
    ----------
    architecture : Architecture
        Shape of the networks.
    family : str
        Family of the predicted distributions.
    link : Link
        From raw outputs to the family.
    output : str
        "parameters" or "runtimes".
    bayesian : bool
        Whether weights have distributions.
    local : bool
        Whether noise is drawn per unit (local reparameterisation) instead of per weight.
    prior : str
        "gaussian", or "scale-mixture", which needs noise per weight.
    draws : int
        Weight draws per step.
    reduction : str
        "mean" or "sum" of the log likelihood over the runs of a batch.
    optimiser : str
        "adam" or "momentum".
    censored : bool
        Whether a run may be censored; without, the survival function, the dearest part of the likelihood, is left out.
    """

    architecture: Architecture
    family: str
    link: Link
    output: str = "parameters"
    bayesian: bool = True
    local: bool = True
    prior: str = "gaussian"
    draws: int = 1
    reduction: str = "mean"
    optimiser: str = "adam"
    censored: bool = True


@dataclass(frozen=True)
class TrainingData:
    """Runs in padded rows: `present` is 0 where there is no run. Times are in units of exp(center)."""

    features: Float32Array  # (rows, inputs)
    times: Float32Array  # (rows, runs)
    finished: BoolArray
    present: Float32Array


@dataclass(frozen=True)
class Plan:
    """The numbers of a training run."""

    rates: Float32Array  # learning rate of every step
    chunk: int  # steps between two evaluations on the held-out instances
    batch: int
    spread: float
    kl_weights: FloatArray  # one per member
    prior: FloatArray  # deviation of every weight; or one row per member
    mask: FloatArray
    patience: int | None = None  # chunks without a better held-out loss before training stops; None: never stop early


@dataclass(frozen=True)
class Trained:
    """Weights of all members, one row each, and the losses during training."""

    mu: FloatArray
    sigma: FloatArray | None
    norm: dict[str, FloatArray]
    steps: IntArray  # at which the members were evaluated
    training_loss: FloatArray  # (evaluations, members)
    held_out_loss: FloatArray
