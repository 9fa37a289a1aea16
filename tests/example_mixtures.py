"""Mixtures to test with: as models predict them, and worse."""

import numpy as np

from bayes_distnet.distributions.families import (
    Exponential,
    Family,
    Gamma,
    InverseGaussian,
    LogLogistic,
    LogNormal,
    Weibull,
)
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution

LEVELS = np.array([1e-9, 1e-3, 0.05, 0.3, 0.5, 0.9, 0.999, 1 - 1e-9])


def components(name: str, log_time: np.ndarray, deviation: np.ndarray) -> Family:
    """Components with about this location and this standard deviation in log time."""
    seconds = np.exp(log_time)
    return {
        "lognormal": lambda: LogNormal(log_time, deviation),
        "inverse-gaussian": lambda: InverseGaussian(seconds, seconds / deviation**2),
        "exponential": lambda: Exponential(seconds),
        "weibull": lambda: Weibull(seconds, 1.28 / deviation),
        "gamma": lambda: Gamma(1 / deviation**2, seconds * deviation**2),
        "loglogistic": lambda: LogLogistic(seconds, 1.81 / deviation),
    }[name]()


def tame(name: str, n: int = 4, size: int = 5, seed: int = 0) -> RuntimeDistribution:
    """Mixtures as a model predicts them; deviations small enough for finite variances."""
    rng = np.random.default_rng(seed)
    log_time, deviation = rng.normal(1.0, 0.5, (n, size)), rng.uniform(0.2, 0.6, (n, size))
    return RuntimeDistribution(components(name, log_time, deviation), rng.uniform(0.1, 1.0, (n, size)))


def wild(name: str, n: int = 24, size: int = 7, seed: int = 0) -> RuntimeDistribution:
    """Mixtures no model should predict: spikes beside tails over ten decades, weights down to 1e-12."""
    rng = np.random.default_rng(seed)
    log_time = rng.normal(0.0, 4.0, (n, size))
    deviation = np.exp(rng.uniform(np.log(1e-3), np.log(5.0), (n, size)))
    return RuntimeDistribution(components(name, log_time, deviation), 10.0 ** rng.uniform(-12, 0, (n, size)))


def grouped(name: str = "lognormal", n: int = 3, seed: int = 0) -> RuntimeDistribution:
    """Three draws per row, of two, three and one components that are far apart and not side by side."""
    rng = np.random.default_rng(seed)
    parts = components(name, rng.normal(1.0, 1.0, (n, 6)), rng.uniform(0.2, 0.4, (n, 6)))
    return RuntimeDistribution(parts, rng.uniform(0.1, 1.0, (n, 6)), draws=[7, -2, 7, 30, -2, -2])


def derived(rtd: RuntimeDistribution) -> dict[str, RuntimeDistribution]:
    return {
        "as it is": rtd,
        "alive": rtd.given_alive(rtd.quantile(0.7)),
        "alive at last": rtd.given_alive(rtd.quantile(1 - 1e-14)),
        "minimum": rtd.minimum_of(3, independent=True),
        "shared minimum": rtd.minimum_of(3),
        "all of it": rtd.minimum_of(2, independent=True).given_alive(rtd.quantile(0.3)).minimum_of(3).given_alive(0.5),
    }


def integral_of_sf(rtd: RuntimeDistribution, power: int = 0, upto: float = np.inf) -> float:
    """Brute force: int (power + 1) x^power SF(x) dx of a single row, by thousands of points in log time."""
    edges = np.concatenate([[-40.0, -20.0, -10.0], np.log(rtd.quantile(np.linspace(0.001, 0.999, 15))[0])])
    edges = np.concatenate([edges, edges[-1] + np.geomspace(0.1, 60.0, 25)])
    edges = np.minimum(np.sort(edges), np.log(upto))
    nodes, weights = np.polynomial.legendre.leggauss(64)
    half = 0.5 * np.diff(edges)[:, None]
    y = edges[:-1, None] + half * (1 + nodes)
    sf = rtd.sf(np.exp(y.ravel())).reshape(y.shape)
    return float(((power + 1) * sf * np.exp((power + 1) * y) * half * weights).sum())
