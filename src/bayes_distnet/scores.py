r"""Scores of predicted runtime distributions: one number an instance, lower is better unless said otherwise.

Every score takes (distribution, runtimes, finished=None). Runtimes are a vector (one run an instance), a matrix
instances x runs in which NaN means no run, or a list with an array of runs for each instance; `finished` has the same
form, False for a run that was cut off. An instance without any run scores NaN.

Where runs were cut off, nothing is known about an instance past its smallest cutoff h, the *horizon*. `ks`, `crps`,
`wasserstein` compare on [0, h]; `kld` also compares the probabilities of running past it. Up to the horizon no run is
censored, so that the Kaplan-Meier estimate is the plain share of runs finished so far.

With `published=True` the scores are those of the tables of the DistNet and Bayes DistNet papers, floors and all. They
know no cut-off runs: only finished ones count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
from numpy.typing import NDArray

from bayes_distnet._checks import check_level
from bayes_distnet._inverse import solve
from bayes_distnet.distribution import RuntimeDistribution, check_distribution
from bayes_distnet.errors import RuntimeDataError, check_positive, check_seed
from bayes_distnet.observations import check_seconds

__all__ = ["SCORES", "calibration", "coverage", "crps", "kld", "ks", "mass", "nllh", "pit", "wasserstein"]

Array = NDArray[np.float64]

#: Smallest bandwidth, in log time and times the number of runs, of the density that `kld` compares with. It is what
#: there is for one run, or for equal ones.
KERNEL_FLOOR = 0.1

# The published evaluation: points on [0, 1.5] in time scaled by the largest runtime, and its step and floors.
_GRID = np.linspace(0.0, 1.5, 200)
_STEP = 1.0 / 200
_EPSILON = 1e-8


@dataclass(frozen=True)
class _Runs:
    """Runs as a matrix (n, k): seconds (1.0 where there is none), and what they are."""

    seconds: Array
    finished: NDArray[np.bool_]
    present: NDArray[np.bool_]

    @property
    def count(self) -> Array:
        return np.asarray(self.present.sum(axis=1), dtype=np.float64)

    @property
    def largest(self) -> Array:
        """(n,) the longest time seen, cutoffs included."""
        return np.asarray(np.where(self.present, self.seconds, 0.0).max(axis=1, initial=0.0))

    @property
    def horizon(self) -> Array:
        """(n,) the smallest cutoff, infinity where every run finished."""
        return np.asarray(np.where(self.present & ~self.finished, self.seconds, np.inf).min(axis=1, initial=np.inf))

    def upto(self, horizon: Array) -> Array:
        """(n, k) times sorted in each row and stopped at the horizon; places without a run are at the horizon too."""
        return np.sort(np.where(self.present, np.minimum(self.seconds, horizon[:, None]), horizon[:, None]), axis=1)

    def average(self, values: Array) -> Array:
        """(n,) mean over the runs of each instance, NaN where there is none."""
        total = np.where(self.present, values, 0.0).sum(axis=1)
        return np.where(self.count > 0, total / np.maximum(self.count, 1.0), np.nan)

    def only_finished(self) -> _Runs:
        return _Runs(self.seconds, self.finished, self.finished)


def _runs(rtd: RuntimeDistribution, runtimes: Any, finished: Any) -> _Runs:
    """Check the runs of a distribution's rows and bring them into one form."""
    check_distribution(rtd)
    if isinstance(runtimes, list | tuple) and any(isinstance(row, np.ndarray | list | tuple) for row in runtimes):
        sizes = _sizes(runtimes, "runtimes")
        if finished is not None and _sizes(finished, "finished") != sizes:
            raise RuntimeDataError("finished must hold, for every instance, as many flags as runtimes has runs")
        finished = None if finished is None else _padded(finished, sizes, False)
        runtimes = _padded(runtimes, sizes, np.nan)
    seconds, flags = check_seconds(runtimes, finished, what="runtimes")
    if seconds.ndim not in (1, 2) or len(seconds) != len(rtd):
        raise RuntimeDataError(
            f"runtimes have shape {seconds.shape}; for a distribution of {len(rtd)} rows give ({len(rtd)},), one run "
            f"an instance, or ({len(rtd)}, runs)"
        )
    if seconds.ndim == 1:
        seconds, flags = seconds[:, None], flags[:, None]
    present = ~np.isnan(seconds)
    return _Runs(np.where(present, seconds, 1.0), flags, present)


def _sizes(rows: Any, what: str) -> list[int]:
    try:
        shapes = [np.shape(row) for row in rows]
    except (TypeError, ValueError):
        shapes = []
    if not shapes or max(map(len, shapes)) > 1:
        raise RuntimeDataError(
            f"{what}: expected a list with one list or array an instance, one value a run; found {rows!r:.100}."
        )
    return [int(np.prod(shape)) for shape in shapes]


def _padded(rows: Sequence[Any], sizes: list[int], fill: Any) -> NDArray[np.object_]:
    """Rows of one length. What they hold stays what it is, for `check_seconds` to judge."""
    matrix = np.full((len(sizes), max(1, *sizes)), fill, dtype=object)
    for line, row, size in zip(matrix, rows, sizes, strict=True):
        line[:size] = np.ravel(row)
    return matrix


# -- likelihood ----------------------------------------------------------------------------------------------------


def nllh(
    rtd: RuntimeDistribution,
    runtimes: Any,
    finished: Any = None,
    *,
    published: bool = False,
    scale: float | None = None,
) -> Array:
    r"""Negative log likelihood: mean of :math:`-\log (f(t)\,t_{\max})`, or :math:`-\log P(T > t)` for a run cut off.

    Densities are of the runtime relative to the longest one seen of the instance, :math:`t_{\max}`, so that instances
    of different lengths can be averaged.

    Args:
        rtd: predicted distributions.
        runtimes: runs, in seconds.
        finished: False for a run that was cut off.
        published: floors as in the papers' tables: a density below 1e-6, in time divided by `scale`, counts as 1e-4.
        scale: seconds that are one unit of scaled time, the largest of all runtimes by default; the papers took the
            largest training runtime.

    Example:
        >>> from bayes_distnet.families import Exponential
        >>> rtd = RuntimeDistribution(Exponential([1.0, 1.0]))
        >>> nllh(rtd, [2.0, 3.0], finished=[True, False]).round(4)       # 2 - log 2, and 3
        array([1.3069, 3.    ])
    """
    runs = _runs(rtd, runtimes, finished)
    density, survival = rtd.log_pdf(runs.seconds), rtd.log_sf(runs.seconds)
    if published:
        unit = np.log(_scale(runs, scale))
        density = np.where(density + unit > np.log(1e-6), density, np.log(1e-4) - unit)
    relative = density + np.log(np.maximum(runs.largest, 1e-300))[:, None]
    return -runs.average(np.where(runs.finished, relative, survival))


def _scale(runs: _Runs, scale: float | None) -> float:
    if scale is None:
        return float(runs.largest.max(initial=0.0)) or 1.0
    check_positive("scale", scale)
    return float(scale)


def kld(
    rtd: RuntimeDistribution,
    runtimes: Any,
    finished: Any = None,
    *,
    published: bool = False,
    scale: float | None = None,
) -> Array:
    r"""Kullback-Leibler divergence of the prediction from the runs, :math:`\int p \log (p / q)`.

    p is a Gaussian kernel density estimate in log time with Scott's bandwidth, but at least `KERNEL_FLOOR` (0.1, ten
    percent of a runtime) divided by the number of runs, for single and for equal runs; q is the prediction. Past the
    horizon h only the probability of getting there is compared: kernels are reflected at h, and
    :math:`S \log (S / P(T > h))` is added, with S the share of runs that passed it.

    Args:
        rtd: predicted distributions.
        runtimes: runs, in seconds.
        finished: False for a run that was cut off.
        published: as in the papers' tables: kernels in linear time, 200 points on [0, 1.5] of time divided by
            `scale`, a step of 1/200 (so two thirds of the integral), and 1e-8 added to both densities. An instance
            with fewer than two different runs has no such estimate and scores NaN.
        scale: see `nllh`.
    """
    runs = _runs(rtd, runtimes, finished)
    if published:
        return _published_kld(rtd, runs.only_finished(), _scale(runs, scale))
    horizon = runs.horizon
    before = runs.finished & (runs.seconds <= horizon[:, None])
    passed = 1.0 - before.sum(axis=1) / np.maximum(runs.count, 1.0)
    result = np.where(runs.count > 0, 0.0, np.nan)
    beyond = (passed > 0) & (runs.count > 0)
    if beyond.any():
        gap = np.log(passed[beyond]) - rtd[beyond].log_sf(horizon[beyond, None])[:, 0]
        result[beyond] = passed[beyond] * gap
    rows = np.flatnonzero(before.any(axis=1))
    for some in np.array_split(rows, -(-rows.size // 256) or 1):
        if some.size:
            result[some] += _log_time_kld(rtd[some], runs.seconds[some], before[some], horizon[some], runs.count[some])
    return result


def _log_time_kld(
    rtd: RuntimeDistribution, seconds: Array, chosen: NDArray[np.bool_], horizon: Array, count: Array
) -> Array:
    """The integral up to the horizon, of kernels at the chosen runs that weigh 1 / count each."""
    y = np.log(seconds)
    number = chosen.sum(axis=1)
    mean = np.where(chosen, y, 0.0).sum(axis=1) / number
    squares = np.where(chosen, (y - mean[:, None]) ** 2, 0.0).sum(axis=1)
    width = np.sqrt(squares / np.maximum(number - 1, 1)) * number**-0.2
    width = np.maximum(width, KERNEL_FLOOR / number)
    low = np.where(chosen, y, np.inf).min(axis=1) - 8 * width
    high = np.minimum(np.where(chosen, y, -np.inf).max(axis=1) + 8 * width, np.log(horizon))
    # Eight Gauss-Legendre points on every two bandwidths leave nothing to be desired.
    panels = int(np.clip(np.ceil(((high - low) / (2 * width)).max()), 1, 400))
    nodes, weights = np.polynomial.legendre.leggauss(8)
    share = (np.arange(panels)[:, None] + 0.5 + 0.5 * nodes).ravel() / panels
    points = low[:, None] + (high - low)[:, None] * share
    steps = (high - low)[:, None] * np.tile(0.5 * weights, panels) / panels
    density = np.zeros(points.shape)
    for centre, use in zip(y.T[..., None], chosen.T[..., None], strict=True):
        for at in (centre, 2 * np.log(horizon)[:, None] - centre):
            z = (points - at) / width[:, None]
            density += np.where(use, np.exp(-0.5 * np.minimum(z * z, 1400.0)), 0.0)
    density /= np.sqrt(2 * np.pi) * (width * count)[:, None]
    predicted = rtd.log_pdf(np.exp(points)) + points
    integrand = scipy.special.xlogy(density, density) - density * np.maximum(predicted, -1e300)
    return np.asarray((integrand * steps).sum(axis=1))


def _published_kld(rtd: RuntimeDistribution, runs: _Runs, scale: float) -> Array:
    result = np.full(len(rtd), np.nan)
    predicted = rtd.pdf(_GRID * scale) * scale
    for i, (seconds, present) in enumerate(zip(runs.seconds, runs.present, strict=True)):
        times = seconds[present] / scale
        if times.size < 2 or np.ptp(times) <= 1e-12 * times.max():
            continue
        density = scipy.stats.gaussian_kde(times)(_GRID)
        result[i] = _STEP * (density * (np.log(density + _EPSILON) - np.log(predicted[i] + _EPSILON))).sum()
    return result


# -- distances between distribution functions ------------------------------------------------------------------------


def ks(rtd: RuntimeDistribution, runtimes: Any, finished: Any = None, *, published: bool = False) -> Array:
    r"""Kolmogorov-Smirnov distance :math:`\sup_{t \le h} |F(t) - F_{runs}(t)|`, both sides of every jump.

    With `published=True`, and kernels on the whole line as prediction (the published Bayes DistNet), the two-sample
    distance between the runs and the kernels' centres; else the one-sample distance over the finished runs.
    """
    runs = _runs(rtd, runtimes, finished)
    if published:
        runs = runs.only_finished()
        if rtd.family == "normal":
            return _two_sample_ks(runs, np.asarray(rtd.components.parameters()["loc"]))
    horizon = runs.horizon
    times, rank = runs.upto(horizon), np.arange(runs.seconds.shape[1])
    # Beyond the last run of an instance, and for runs past the horizon, there is no jump.
    jumps = (rank < (runs.finished & (runs.seconds <= horizon[:, None])).sum(axis=1)[:, None]) & np.isfinite(times)
    count = np.maximum(runs.count, 1.0)[:, None]
    cdf = rtd.cdf(np.where(jumps, times, 1.0))
    distance = np.maximum(np.abs(cdf - rank / count), np.abs(cdf - (rank + 1) / count))
    distance = np.where(jumps, distance, 0.0).max(axis=1, initial=0.0)
    at_end = np.abs(rtd.cdf(horizon[:, None])[:, 0] - jumps.sum(axis=1) / count[:, 0])
    return np.where(runs.count > 0, np.maximum(distance, at_end), np.nan)


def _two_sample_ks(runs: _Runs, centres: Array) -> Array:
    result = np.full(len(centres), np.nan)
    for i, (seconds, present, centre) in enumerate(zip(runs.seconds, runs.present, centres, strict=True)):
        if present.any():
            first, second = np.sort(seconds[present]), np.sort(centre)
            both = np.concatenate([first, second])
            shares = (np.searchsorted(sample, both, side="right") / sample.size for sample in (first, second))
            result[i] = np.abs(np.subtract(*shares)).max()
    return result


def mass(rtd: RuntimeDistribution, runtimes: Any, finished: Any = None) -> Array:
    """Predicted probability outside [0, 1.5 x the longest run]; 0 where a run was cut off, as more is not known then.

    Example:
        >>> from bayes_distnet.families import Exponential
        >>> mass(RuntimeDistribution(Exponential([1.0])), [[0.5, 2.0]]).round(4)       # exp(-3)
        array([0.0498])
    """
    runs = _runs(rtd, runtimes, finished)
    outside = rtd.cdf(0.0) + rtd.sf(1.5 * runs.largest[:, None])[:, 0]
    outside = np.where(np.isfinite(runs.horizon), 0.0, outside)
    return np.where(runs.count > 0, outside, np.nan)


def crps(rtd: RuntimeDistribution, runtimes: Any, finished: Any = None) -> Array:
    r"""Continuous ranked probability score in seconds: mean over runs of :math:`\int_0^h (F(x) - 1\{t \le x\})^2 dx`.

    Without cut-off runs this is :math:`E|T - t| - \frac12 E|T - T'|`, and is computed that way: from E[min(T, t)] and
    the mean of the faster of two independent runs. Infinite where the prediction's tail is so heavy that the latter is.
    """
    runs = _runs(rtd, runtimes, finished)
    horizon = runs.horizon
    times = np.minimum(runs.seconds, horizon[:, None])
    faster = rtd.minimum_of(2).restricted_mean(horizon[:, None])
    with np.errstate(invalid="ignore"):
        return runs.average(np.maximum(times - 2 * rtd.restricted_mean(times) + faster, 0.0))


def wasserstein(rtd: RuntimeDistribution, runtimes: Any, finished: Any = None) -> Array:
    r"""Wasserstein distance in seconds, :math:`\int_0^h |F(x) - F_{runs}(x)|\,dx`; infinite with the predicted mean.

    Between two runs, the share finished is constant and F crosses it at most once, at a quantile of the prediction; the
    integrals up to there and from there on are differences of E[min(T, x)].
    """
    runs = _runs(rtd, runtimes, finished)
    horizon, count = runs.horizon, np.maximum(runs.count, 1.0)[:, None]
    finite = np.minimum(horizon, np.where(np.isfinite(horizon), np.inf, runs.largest))
    stops = runs.upto(finite)
    low, high = np.hstack([np.zeros((len(rtd), 1)), stops]), np.hstack([stops, finite[:, None]])
    share = np.minimum(np.arange(low.shape[1]) / count, 1.0)
    # Crossing points: where F is still below the share at the left end and above it at the right end.
    crossing = low.copy()
    left, right = rtd.cdf(low), rtd.cdf(high)
    crossing[right <= share] = high[right <= share]
    rows, columns = np.nonzero((left < share) & (right > share))
    crossing[rows, columns] = solve(rtd._mixture, rows, np.log1p(-share[rows, columns]))
    crossing = np.clip(crossing, low, high)

    below = rtd.restricted_mean(np.hstack([low, crossing, finite[:, None]]))
    width = low.shape[1]
    at_low, at_crossing, at_high = below[:, :width], below[:, width:-1], np.hstack([below[:, 1:width], below[:, -1:]])
    pieces = 2 * at_crossing - at_low - at_high - (1 - share) * (2 * crossing - low - high)
    total = np.maximum(pieces, 0.0).sum(axis=1)
    unlimited = np.isinf(horizon)
    if unlimited.any():
        total[unlimited] += rtd[unlimited].mean() - below[unlimited, -1]
    return np.where(runs.count > 0, total, np.nan)


# -- calibration -----------------------------------------------------------------------------------------------------


def pit(rtd: RuntimeDistribution, runtimes: Any, finished: Any = None, *, seed: int = 0) -> Array:
    """Probability integral transform: the matrix (n, k) of F(t), uniform on [0, 1] if the predictions are right.

    All that is known of a run cut off at c is that its F(t) lies above F(c): it gets a uniform draw from there. NaN
    where there is no run.
    """
    runs = _runs(rtd, runtimes, finished)
    cdf = rtd.cdf(runs.seconds)
    drawn = cdf + np.random.default_rng(check_seed("seed", seed)).random(cdf.shape) * (1 - cdf)
    return np.where(runs.present, np.where(runs.finished, cdf, drawn), np.nan)


def coverage(rtd: RuntimeDistribution, runtimes: Any, finished: Any = None, *, level: float = 0.9) -> Array:
    """Share of the runs inside the central interval of that level; about `level` if the predictions are right.

    A run cut off at c counts by the probability of being inside, given that it lasts longer than c.
    """
    level = check_level(level)
    runs = _runs(rtd, runtimes, finished)
    cdf, low, high = rtd.cdf(runs.seconds), 0.5 - 0.5 * level, 0.5 + 0.5 * level
    rest = np.maximum(1 - cdf, 1e-300)
    inside = np.where(runs.finished, (cdf >= low) & (cdf <= high), np.maximum(high - np.maximum(low, cdf), 0.0) / rest)
    return runs.average(inside)


def calibration(transforms: NDArray[np.float64]) -> float:
    r"""Mean :math:`|P(F(t) \le p) - p|` over p: how far predicted probabilities are from the shares that came true.

    Takes what `pit` returns, of as many instances as possible. 0 is best; 0.5 if all runs lie past one end.

    Example:
        >>> round(calibration(np.array([0.1, 0.3, 0.5, 0.7, 0.9])), 3)
        0.05
    """
    known = np.sort(transforms[~np.isnan(transforms)])
    levels = (np.arange(200) + 0.5) / 200
    share = np.searchsorted(known, levels, side="right") / max(known.size, 1)
    return float(np.abs(share - levels).mean()) if known.size else np.nan


#: Scores by name, for tables; all but `coverage` are better when lower.
SCORES: dict[str, Callable[..., Array]] = {
    "nllh": nllh,
    "kld": kld,
    "ks": ks,
    "mass": mass,
    "crps": crps,
    "wasserstein": wasserstein,
    "coverage": coverage,
}
