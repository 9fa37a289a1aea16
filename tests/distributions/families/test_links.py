"""Parameters from raw outputs."""

import jax
import jax.numpy as jnp
import numpy as np
from example_families import every_family, values_and_slopes

from bayes_distnet.distributions.families import FAMILIES


@every_family
def test_from_raw_has_the_given_location_and_spread(name):
    kind = FAMILIES[name]
    center, spread, raw = 2.0, 1.5, np.array([[0.3, -1.0], [-1.0, 0.4]])[:, : FAMILIES[name].n_raw]
    family = kind.from_raw(raw, center, spread)
    location = center + spread * raw[:, 0]
    if name == "lognormal":
        np.testing.assert_allclose(np.log(family.quantile(0.5)), location, rtol=1e-12)
    elif name in ("weibull", "loglogistic"):
        np.testing.assert_allclose(np.log(family.scale), location, rtol=1e-12)
    else:
        np.testing.assert_allclose(np.log(family.mean()), location, rtol=1e-12)
    if kind.n_raw == 2:
        wanted = spread * np.exp(raw[:, 1])
        if name in ("gamma", "inverse-gaussian"):
            found = np.sqrt(family.variance()) / family.mean()
        else:  # standard deviation of log time, from its quantiles
            p = (np.arange(200_000) + 0.5) / 200_000
            found = np.log(family.quantile(p[:, None])).std(axis=0)
        np.testing.assert_allclose(found, wanted, rtol=1e-4)
        wild = kind.from_raw(np.array([0.0, 99.0]), center, spread).parameters()
        edge = kind.from_raw(np.array([0.0, 1.5]), center, spread).parameters()
        assert wild == edge
    from_jax = kind.from_raw(jnp.asarray(raw), center, spread)
    for ours, theirs in zip(from_jax.parameters().values(), family.parameters().values(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@every_family
def test_from_log_parameters(name):
    kind = FAMILIES[name]
    raw = np.array([0.3, -0.2])[: kind.n_raw]
    values = list(kind.from_log_parameters(raw).parameters().values())
    np.testing.assert_allclose(values, [0.3, np.exp(-0.2)] if name == "lognormal" else np.exp(raw))


@every_family
def test_nothing_overflows_in_float32_however_wrong_the_outputs(name):
    kind, points = FAMILIES[name], []
    locations = [-1e4, -100, -30, -10, -1, 0, 1, 10, 30, 100, 1e4]
    raw = np.stack(np.meshgrid(locations, [-99.0, -1.0, 1.5], indexing="ij"), -1).reshape(-1, 2)
    times = np.array([1e-12, 1e-6, 1e-2, 1.0, 1e3, 1e6, 1e12])
    for spread in (0.05, 1.0, 4.0):
        theta = kind.from_raw(raw[:, : kind.n_raw], 0.0, spread).parameters().values()
        rows = np.stack(list(theta), -1)
        points += [np.concatenate([np.full((len(rows), 1), t), rows], axis=1) for t in times]
    points = np.unique(np.concatenate(points).astype(np.float32), axis=0)
    values, slopes = values_and_slopes(name, points, "float32")
    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()
    # Per relative change of a parameter, as the outputs make it, the square is finite too: it is needed for
    # clipping by the gradient's norm.
    assert np.abs(slopes * np.maximum(np.abs(points), 1e-30)[..., None]).max() < 1e19


def test_from_raw_has_finite_gradients_at_its_ends():
    raw = jnp.array([[-1e4, -99.0], [0.0, 0.0], [1e4, 99.0]])
    for kind in FAMILIES.values():

        def total(raw, kind=kind):
            return jnp.sum(kind.from_raw(raw, 0.0, 4.0).log_prob(jnp.array([1e12, 1.0, 1e-12])))

        assert np.isfinite(jax.jit(jax.grad(total))(raw[:, : kind.n_raw])).all()
