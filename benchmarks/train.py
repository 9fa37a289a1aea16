"""Speed of training, as ratios from one run: a step against its bare matrix products and normal draws.

python benchmarks/train.py
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ["BAYES_DISTNET_CACHE"] = ""  # compile for real

import jax
import jax.numpy as jnp
import numpy as np

from bayes_distnet import BayesDistNet, Dataset, HybridDistNet, make_runs
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.network import training as tr
from bayes_distnet.models.network.architecture import Architecture, noise_size, prior_scales

BATCH, DRAWS, FEATURES, STEPS, REPEATS = 32, 16, 102, 500, 7


def seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - started


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
    objective = tr.Objective(
        shape,
        "lognormal",
        output="parameters" if local else "runtimes",
        local=local,
        prior="gaussian" if local else "scale-mixture",
        draws=DRAWS,
        published=not local,
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
        "prior": jnp.asarray(prior, jnp.float32),
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
        momenta = jax.vmap(tr._optimiser(objective).init)(params)
        key = jax.random.key(0, impl="rbg")
        return tr._run_chunk(objective, params, state, momenta, key, index, rates, data, numbers)

    return run


def report_step(local: bool, name: str) -> None:
    run, floor = step_program(local), bare(local)
    key = jax.random.key(0, impl="rbg")
    compile_seconds = seconds(run)
    seconds(lambda: floor(key))
    pairs = [(seconds(run), seconds(lambda: floor(key))) for _ in range(REPEATS)]
    step = statistics.median(a for a, _ in pairs) / STEPS
    ratio = statistics.median(a / b for a, b in pairs)
    print(
        f"  {name}: {1 / step:,.0f} steps/s, {ratio:.2f} x its bare products and draws, "
        f"first call {compile_seconds:.1f} s with compiling"
    )


def fit_seconds(model: RuntimeEstimator, data: Dataset) -> float:
    return seconds(lambda: model.fit(data.features, data.seconds, finished=data.finished))


def main() -> None:
    print(f"A training step at batch {BATCH} x {DRAWS} draws x {FEATURES} features, medians of {REPEATS}:")
    for local, name in ((True, "default (parameters, noise on units)"), (False, "paper (runtimes, noise on weights)")):
        report_step(local, name)
    print("Fitting, seconds with compiling and again in the same process:")
    for instances, runs, features in ((300, 8, 90), (5000, 10, 90)):
        data = make_runs(instances, runs, features, random_state=1).cut_off(0.2)
        for model in (BayesDistNet(), HybridDistNet()):
            times = [fit_seconds(model, data) for _ in range(2)]
            compiled = tr._run_chunk._cache_size()
            print(
                f"  {type(model).__name__:<14} {instances} x {runs} runs x {features} features: "
                f"{times[0]:.1f} s, then {times[1]:.1f} s ({compiled} programs so far)"
            )


if __name__ == "__main__":
    main()
