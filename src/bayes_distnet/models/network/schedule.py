"""Learning rates over the steps of a training run."""

from __future__ import annotations

import numpy as np

from bayes_distnet.models.network.objective import Float32Array


def cosine_rates(steps: int, peak: float, warm_up: float = 0.05, floor: float = 0.01) -> Float32Array:
    """Return learning rates that rise linearly for a fraction of the steps, then fall along a cosine.

    Parameters
    ----------
    steps : int
        Number of rates.
    peak : float
        Largest rate.
    warm_up : float, default 0.05
        Fraction of the steps with rising rates.
    floor : float, default 0.01
        Last rate as a fraction of the peak.

    Returns
    -------
    array of float32
        One rate per step.

    Examples
    --------
    >>> cosine_rates(4, 1.0, warm_up=0.25).astype(float).round(2).tolist()
    [1.0, 1.0, 0.75, 0.26]
    """
    import jax.numpy as jnp  # here: a loaded model predicts without JAX
    import optax

    warm = max(round(steps * warm_up), 1)
    schedule = optax.warmup_cosine_decay_schedule(peak / warm, peak, warm, max(steps, warm + 1), peak * floor)
    return np.asarray(schedule(jnp.arange(steps)), np.float32)
