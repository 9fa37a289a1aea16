"""The families' formulas as written in textbooks, in arithmetic precise enough for them: the slow, obvious way."""

import mpmath as mp
import numpy as np

DIGITS = 45


def _phi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def lognormal(t, loc, scale):
    z = (mp.log(t) - loc) / scale
    log_sf = mp.log(_phi(-z)) if z > 0 else mp.log1p(-_phi(z))
    return -z * z / 2 - mp.log(t * scale) - mp.log(2 * mp.pi) / 2, log_sf


def inverse_gaussian(t, mu, lam):
    root, second = mp.sqrt(lam / t), mp.exp(2 * lam / mu)
    a, b = root * (t / mu - 1), root * (t / mu + 1)
    sf = _phi(-a) - second * _phi(-b)
    log_sf = mp.log(sf) if sf < 0.5 else mp.log1p(-_phi(a) - second * _phi(-b))
    return mp.log(lam / (2 * mp.pi * t**3)) / 2 - a * a / 2, log_sf


def exponential(t, scale):
    return -mp.log(scale) - t / scale, -t / scale


def weibull(t, scale, shape):
    u = (t / scale) ** shape
    return mp.log(shape * u / t) - u, -u


def loglogistic(t, scale, shape):
    u = (t / scale) ** shape
    return mp.log(shape * u / t) - 2 * mp.log1p(u), -mp.log1p(u)


def gamma(t, shape, scale):
    x = t / scale
    log_density = shape * mp.log(x) - x - mp.loggamma(shape)  # times x
    small = mp.mpf(10) ** (-mp.mp.dps)
    if x < max(shape, 1):  # the power series of P
        term = total = 1 / shape
        n = 0
        while term > small * total:
            n += 1
            term *= x / (shape + n)
            total += term
        return log_density - mp.log(t), mp.log1p(-mp.exp(log_density) * total)
    b, c, n = x + 1 - shape, 1 / small**3, 0  # the continued fraction of Q, by Lentz's method
    d = fraction = 1 / b
    while True:
        n += 1
        b += 2
        d = 1 / (n * (shape - n) * d + b)
        c = b + n * (shape - n) / c
        fraction *= c * d
        if abs(c * d - 1) < small * 100:
            return log_density - mp.log(t), log_density + mp.log(fraction)


ORACLES = {
    "lognormal": lognormal,
    "inverse-gaussian": inverse_gaussian,
    "exponential": exponential,
    "weibull": weibull,
    "gamma": gamma,
    "loglogistic": loglogistic,
}


def values_and_gradients(name, points):
    """Return values (n, 2) of log_prob and log_sf and gradients (n, arguments, 2) at points (n, arguments)."""
    function, step = ORACLES[name], mp.mpf(10) ** -15
    values, gradients = [], []
    with mp.workdps(DIGITS):
        for point in points:
            at = [mp.mpf(float(x)) for x in point]
            values.append([float(v) for v in function(*at)])
            slopes = []
            for i, x in enumerate(at):
                h = step * (abs(x) or 1)
                up, down = (function(*at[:i], x + s * h, *at[i + 1 :]) for s in (1, -1))
                slopes.append([float((u - d) / (2 * h)) for u, d in zip(up, down, strict=True)])
            gradients.append(slopes)
    return np.array(values), np.array(gradients)
