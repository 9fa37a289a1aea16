"""Speed of training, as ratios to yardsticks of the same run.

    python benchmarks/train.py [--quick]

A training step is compared with its bare matrix products and normal draws, a fit with scikit-learn's forest of as many
trees on the same rows. Times are CPU seconds of all threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ["BAYES_DISTNET_CACHE"] = ""  # compile for real

import jax
import jax.numpy as jnp
import numpy as np
from clock import cpu_seconds, quick, ratio
from sklearn.ensemble import RandomForestRegressor

from bayes_distnet import BayesDistNet, Dataset, HybridDistNet, RandomForest, make_runs
from bayes_distnet.models.base import RuntimeEstimator, fit_runs
from bayes_distnet.models.network import training as tr
from bayes_distnet.models.network.architecture import Architecture, noise_size, prior_scales
from bayes_distnet.models.network.links import PublishedLink, StandardisedLink
from bayes_distnet.models.network.loss import optimiser
from bayes_distnet.models.network.objective import Objective

BATCH, DRAWS, FEATURES, STEPS = 32, 16, 102, 500
SHAPES = ((300, 8, 90, 0.0), (1600, 1, 120, 0.3), (5000, 10, 90, 0.0), (50_000, 1, 20, 0.0))
QUICK_SHAPES = ((40, 2, 6, 0.3),)


def bare(local: bool) -> Callable[[Any], Any]:
    """Return a program that does nothing but the step's normal draws and matrix products, forward and backward."""
    hidden = 16
    wide = 2 if local else 1  # means and variances
    outputs = 2 if local else 1

    def products(key: Any, x: Any, first: Any, second: Any, head: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            key, x, first, second, head = carry
            key, use = jax.random.split(key)
            if local:
                noise = jax.random.normal(use, (DRAWS, BATCH, noise_size(architecture(local))))
                total = noise.sum()
            else:
                noise = jax.random.normal(use, (DRAWS, architecture(local).n_weights))
                total = noise.sum()
            for _ in range(wide):
                a = x @ first  # forward
                h = jnp.broadcast_to(a[..., :hidden], (DRAWS, BATCH, hidden)) if local else a
                b = h @ second
                c = b @ head
                g = c @ jnp.swapaxes(head, -1, -2)  # backward, to the units
                g = g @ jnp.swapaxes(second, -1, -2)
                d_head = jnp.swapaxes(b, -1, -2) @ c  # and to the weights
                d_second = jnp.swapaxes(h, -1, -2) @ g
                d_first = x.T @ (g.sum(0) if local else g)
                total = total + d_head.sum() + d_second.sum() + d_first.sum()
            return (key, x + 1e-9 * total, first, second, head), None

        return jax.lax.scan(step, (key, x, first, second, head), None, length=STEPS)[0][1]

    rng = np.random.default_rng(0)
    lead = () if local else (DRAWS,)
    arrays = [
        jnp.asarray(rng.normal(size=shape) * 0.1, jnp.float32)
        for shape in ((BATCH, FEATURES), (*lead, FEATURES, hidden), (*lead, hidden, hidden), (*lead, hidden, outputs))
    ]
    compiled = jax.jit(products)
    return lambda key: compiled(key, *arrays)


def architecture(local: bool) -> Architecture:
    if local:
        return Architecture(FEATURES, 2)
    return Architecture(FEATURES, 1, activation="softplus", skip=False, batch_norm=True)


def step_program(local: bool) -> Callable[[], Any]:
    shape = architecture(local)
    objective = Objective(
        shape,
        "lognormal",
        link=StandardisedLink() if local else PublishedLink(),
        output="parameters" if local else "runtimes",
        local=local,
        prior="gaussian" if local else "scale-mixture",
        draws=DRAWS,
        reduction="mean" if local else "sum",
        optimiser="adam" if local else "momentum",
    )
    rng = np.random.default_rng(0)
    rows = 1024
    data = {
        "features": jnp.asarray(rng.normal(size=(rows, FEATURES)), jnp.float32),
        "times": jnp.asarray(rng.lognormal(size=(rows, 1)), jnp.float32),
        "finished": jnp.asarray(rng.random((rows, 1)) < 0.7),
        "present": jnp.ones((rows, 1)),
    }
    prior, mask = prior_scales(shape, FEATURES)
    numbers = {
        "spread": jnp.float32(1.0),
        "kl_weight": jnp.full(1, 1e-3),
        "prior": jnp.asarray(prior, jnp.float32)[None],
        "mask": jnp.asarray(mask, jnp.float32),
        "taught": jnp.ones((1, rows)),
    }
    index = jnp.asarray(rng.integers(rows, size=(STEPS, BATCH)))
    rates = jnp.full(STEPS, 1e-3)
    units = sum(shape.hidden)

    def run() -> Any:
        params = {"mu": jnp.zeros((1, shape.n_weights)) + 0.01, "rho": jnp.full((1, shape.n_weights), -3.0)}
        state = {"mean": jnp.zeros((1, 0)), "variance": jnp.ones((1, 0))}
        if not local:
            params |= {"norm_scale": jnp.ones((1, units)), "norm_shift": jnp.zeros((1, units))}
            state = {"mean": jnp.zeros((1, units)), "variance": jnp.ones((1, units))}
        momenta = jax.vmap(optimiser(objective).init)(params)
        key = jax.random.key(0, impl="rbg")
        return jax.block_until_ready(tr._run_chunk(objective, params, state, momenta, key, index, rates, data, numbers))

    return run


def report_step(local: bool, name: str, repeats: int) -> None:
    run, floor = step_program(local), bare(local)
    key = jax.random.key(0, impl="rbg")
    compiling = cpu_seconds(run)
    jax.block_until_ready(floor(key))
    took, times = ratio(run, lambda: jax.block_until_ready(floor(key)), repeats)
    print(
        f"  {name}: {1e3 * took / STEPS:.2f} ms, {times:.2f} x its bare products and draws; "
        f"first call {compiling:.1f} s with compiling"
    )


def report_fit(model: RuntimeEstimator, data: Dataset, trees: int, repeats: int) -> None:
    x, (seconds, finished) = np.asarray(data.features), (data.seconds, data.finished)
    mean = np.log(seconds).mean(axis=1)
    forest = RandomForestRegressor(trees, min_samples_leaf=3, max_features=0.5, random_state=0)

    def fit() -> Any:
        return fit_runs(model, x, seconds, finished)

    first = cpu_seconds(fit)
    took, times = ratio(fit, lambda: forest.fit(x, mean), repeats)
    print(
        f"  {type(model).__name__:<13} {len(x):>6,} x {seconds.shape[1]:>2} runs x {x.shape[1]:>3} features, "
        f"{1 - finished.mean():.0%} cut off: {took:.1f} s, {times:.2f} x scikit-learn's forest of {trees} trees; "
        f"first fit {first:.1f} s with compiling"
    )


def main() -> None:
    small = quick(__doc__)
    repeats = 1 if small else 7
    print(f"A training step at batch {BATCH} x {DRAWS} draws x {FEATURES} features, medians of {repeats}:")
    for local, name in ((True, "default (parameters, noise on units)"), (False, "paper (runtimes, noise on weights)")):
        report_step(local, name, repeats)
    print("Fits, CPU seconds:")
    for instances, runs, features, share in QUICK_SHAPES if small else SHAPES:
        data = make_runs(instances, runs, features, random_state=1)
        data = data.cut_off(share) if share else data
        size: dict[str, Any] = {"max_iter": 50} if small else {}
        trees = 5 if small else 100
        models = [BayesDistNet(**size), HybridDistNet(**size, n_estimators=trees), RandomForest(n_estimators=trees)]
        for model in models:
            report_fit(model, data, trees, 1)


if __name__ == "__main__":
    main()
