"""Chains of the No-U-Turn sampler, side by side in one compiled program (JAX and BlackJAX).

Warm-up follows Stan: the step size is tuned all the time, the diagonal of the mass matrix in windows that double in
length. Warm-up and sampling run in short pieces, so that there is a progress bar and an estimate of the time.
"""

from __future__ import annotations

import functools
import sys
import time
import warnings
from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
from blackjax.adaptation.mass_matrix import mass_matrix_adaptation
from blackjax.adaptation.step_size import dual_averaging_adaptation
from blackjax.adaptation.window_adaptation import build_schedule
from tqdm.auto import tqdm

from bayes_distnet.arrays import Array, BoolArray, FloatArray, IntArray
from bayes_distnet.models.network.compilation import use_compilation_cache

ACCEPTANCE = 0.8
DOUBLINGS = 8  # at most 255 gradients per step; longer trajectories mix no better per gradient
FIRST_STEP_SIZE = 0.01
PIECE = 10  # steps per call of the compiled program
LONG = 3600.0  # seconds; a longer time is announced

FAST, SLOW, SAMPLING = 0, 1, 2  # what is tuned in a step: the step size; the mass matrix, too; nothing


class LogDensity(Hashable, Protocol):
    """Log density of one position, up to a constant; hashable, since a compiled program belongs to it."""

    def __call__(self, position: Array, data: Any) -> Array:
        """Return the log density."""
        ...


class Tuning(NamedTuple):
    """Step size and inverse mass matrix of a chain, and the averages that they are learnt from."""

    step_size: Array
    inverse_mass_matrix: Array
    steps: Any
    positions: Any


_first_steps, _next_steps, _last_steps = dual_averaging_adaptation(ACCEPTANCE)
_first_positions, _next_positions, _last_positions = mass_matrix_adaptation(True)


def draw_chains(
    log_density: LogDensity,
    data: Any,
    starts: FloatArray,
    *,
    warm_up: int,
    draws: int,
    thinning: int,
    seed: int,
    verbose: bool | None = None,
) -> tuple[FloatArray, BoolArray]:
    """Draw from a density with one chain per start.

    Parameters
    ----------
    log_density : callable
        (position, data) -> log density.
    data : tree of arrays
        Argument of the density.
    starts : array
        (chains, dimensions) first positions.
    warm_up : int
        Steps that are forgotten, and that step sizes and mass matrices are learnt from.
    draws, thinning : int
        Positions that are kept per chain, and steps per kept position.
    seed : int
        Fixes the result.
    verbose : bool or None
        Whether a progress bar is shown; None shows it on a terminal only.

    Returns
    -------
    positions : array
        (chains, draws, dimensions).
    divergent : array of bool
        (chains, draws * thinning) whether the trajectory of a step left the region that the step size is fit for.
    """
    use_compilation_cache()
    chains = _begin(log_density, jnp.asarray(starts, jnp.float32), data)
    steps = warm_up + draws * thinning
    keys = jax.random.split(jax.random.key(seed), (steps, len(starts)))
    schedule = np.full((steps, 2), (SAMPLING, False), dtype=np.int32)
    schedule[:warm_up] = np.reshape(build_schedule(warm_up), (-1, 2))
    shown = sys.stderr.isatty() if verbose is None else verbose
    kept, divergent = [], []
    with tqdm(total=steps, desc="sampling", unit="step", disable=not shown) as bar:
        for piece in _pieces(warm_up, steps):
            started = time.perf_counter()
            if piece[0] == warm_up:
                chains = _tuned(chains)
            chains, (positions, failed) = _run(log_density, chains, keys[piece], schedule[piece], data)
            if piece[0] >= warm_up:
                kept.append(np.asarray(positions, np.float64))
                divergent.append(np.asarray(failed))
            bar.update(len(piece))
            if piece[0] == PIECE:  # the first piece was compiled
                _announce((time.perf_counter() - started) / len(piece) * (steps - piece[-1]))
    positions = np.concatenate(kept).swapaxes(0, 1)[:, thinning - 1 :: thinning]
    return positions, np.concatenate(divergent).swapaxes(0, 1)


def _pieces(warm_up: int, steps: int) -> list[IntArray]:
    """Return step numbers, a few per piece; no piece crosses the end of the warm-up."""
    parts = (np.arange(warm_up), np.arange(warm_up, steps))
    return [part[start : start + PIECE] for part in parts for start in range(0, len(part), PIECE)]


def _announce(seconds: float) -> None:
    if seconds > LONG:
        warnings.warn(
            f"posterior='nuts' takes about {seconds / 3600:.1f} hours at this rate: it is meant for small data. "
            "Fewer instances, n_draws or n_members take less time.",
            stacklevel=2,
        )


@functools.partial(jax.jit, static_argnames="log_density")
def _begin(log_density: LogDensity, starts: Array, data: Any) -> Any:
    def one(start: Array) -> Any:
        state = blackjax.nuts.init(start, functools.partial(log_density, data=data))
        step_size = jnp.float32(FIRST_STEP_SIZE)
        positions = _first_positions(start.size)
        return state, Tuning(step_size, positions.inverse_mass_matrix, _first_steps(step_size), positions)

    # Numbers of Python's own types would make a second program of the pieces after the first.
    return jax.tree.map(lambda values: jax.lax.convert_element_type(values, values.dtype), jax.vmap(one)(starts))


@functools.partial(jax.jit, static_argnames="log_density")
def _run(log_density: LogDensity, chains: Any, keys: Array, schedule: Array, data: Any) -> Any:
    kernel = blackjax.nuts.build_kernel()

    def one(state: Any, tuning: Tuning, key: Array, stage: Array, window_ends: Array) -> Any:
        state, info = kernel(
            key,
            state,
            functools.partial(log_density, data=data),
            tuning.step_size,
            tuning.inverse_mass_matrix,
            max_num_doublings=DOUBLINGS,
        )
        tuning = _tune(tuning, stage, window_ends, state.position, info.acceptance_rate)
        return (state, tuning), (state.position, info.is_divergent)

    def step(chains: Any, xs: Any) -> Any:
        keys, (stage, window_ends) = xs
        state, tuning = chains
        return jax.vmap(one, in_axes=(0, 0, 0, None, None))(state, tuning, keys, stage, window_ends == 1)

    return jax.lax.scan(step, chains, (keys, (schedule[:, 0], schedule[:, 1])))


def _tune(tuning: Tuning, stage: Array, window_ends: Array, position: Array, acceptance: Array) -> Any:
    """Return the tuning after a step."""

    def learn(tuning: Tuning) -> Any:
        steps = _next_steps(tuning.steps, acceptance)
        positions = jax.lax.cond(stage == SLOW, lambda p: _next_positions(p, position), lambda p: p, tuning.positions)
        learnt = tuning._replace(step_size=jnp.exp(steps.log_step_size), steps=steps, positions=positions)
        return jax.lax.cond(window_ends, _end_window, lambda t: t, learnt)

    return jax.lax.cond(stage == SAMPLING, lambda t: t, learn, tuning)


def _end_window(tuning: Tuning) -> Tuning:
    """Return the tuning with a new mass matrix, for which the step size is learnt anew."""
    positions = _last_positions(tuning.positions)
    steps = _first_steps(_last_steps(tuning.steps))
    return Tuning(jnp.exp(steps.log_step_size), positions.inverse_mass_matrix, steps, positions)


@jax.jit
def _tuned(chains: Any) -> Any:
    """Return chains whose step size is the average one of the last window."""
    state, tuning = chains
    return state, tuning._replace(step_size=jax.vmap(_last_steps)(tuning.steps))
