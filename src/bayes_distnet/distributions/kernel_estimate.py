r"""KernelEstimate: the predictive density of the published Bayes DistNet, Gaussian kernels over predicted runtimes.

With :math:`S(t) = \frac1S \sum_j \Phi((c_j - t) / width)` over the centres :math:`c_j`, a row has the survival function
:math:`(S(start + x) / S(start))^{copies}`: closed under waiting (`start`) and minima of independent copies (`copies`).
Kernels live in linear time, so a part of the probability lies below 0 s until the first `given_alive`.
"""

from __future__ import annotations

from typing import NoReturn, Self

import numpy as np
import scipy.special
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.blocks import blocks
from bayes_distnet.distributions.kernels import Kernels
from bayes_distnet.distributions.numeric import integrate
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.special.elementary import HALF_LOG_2PI, log_sum_exp
from bayes_distnet.distributions.ticks import log_tick_density
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_numbers

# Ends of integrals, in kernel widths from the outermost centres: the probability beyond is about 1e-23.
_REACH = 10.0
# Log survival at the upper end of integrals over the time left.
_DEEP = -46.0
# Length of an integral's first pieces in kernel widths, and the most of them before only the kernels are covered.
_PIECE, _MANY_PIECES = 3.0, 64
# Ends of pieces around each centre, in kernel widths.
_AROUND = np.array([-10.0, -6.0, -3.0, 0.0, 3.0, 6.0, 10.0])


class KernelEstimate(PredictedRuntimes):
    """Gaussian kernel estimate of the runtime distribution of n instances, from S predicted runtimes per instance.

    Its centres are runtimes, not distributions: their spread is the prediction itself, so that `band`, `epistemic` and
    `aleatoric` have no meaning here.

    Parameters
    ----------
    centres : array-like
        (n, S) predicted runtimes in seconds.
    width : array-like
        Standard deviation of the kernels in seconds, a scalar, (n,) or (n, 1); positive.

    Raises
    ------
    SettingError
        If centres or widths are not numbers, not finite or of another shape.

    Examples
    --------
    >>> rtd = KernelEstimate(centres=[[1.0, 2.0, 6.0]], width=0.5)
    >>> rtd
    KernelEstimate(1 rows x 3 kernel components, median 2.03 to 2.03 s)
    >>> rtd.mean(), rtd.cdf(0.0).round(4)               # some probability lies below 0 s
    (array([3.]), array([0.0076]))
    >>> rtd.given_alive(3.0).median().round(3)
    array([2.986])
    """

    def __init__(self, centres: ArrayLike, width: ArrayLike) -> None:
        self._kernels = _check_kernels(centres, width)
        self._start: FloatArray | None = None  # (n,) seconds survived; None on the whole line
        self._copies = 1.0

    def _of(self, kernels: Kernels, start: FloatArray | None, copies: float) -> Self:
        new = type(self).__new__(type(self))
        new._kernels, new._start, new._copies = kernels, start, copies
        return new

    # -- its parts ---------------------------------------------------------------------------------------------

    @property
    def family(self) -> str:
        """The word "kernel"."""
        return "kernel"

    @property
    def n_components(self) -> int:
        """S, the number of kernels per row."""
        return self._kernels.count

    @property
    def samples(self) -> FloatArray:
        """(n, S) centres of the kernels, the predicted runtimes."""
        return self._kernels.centres.copy()

    @property
    def width(self) -> FloatArray:
        """(n,) standard deviation of the kernels in seconds."""
        return self._kernels.width[:, 0].copy()

    @property
    def weights(self) -> FloatArray:
        """(n, S) weights of the kernels (given that the run is alive, after `given_alive`); rows sum to one."""
        if self._start is None:
            return np.full(self._kernels.centres.shape, 1.0 / self.n_components)
        log_alive = scipy.special.log_ndtr(-self._kernels.standardised(self._start[:, None])[:, 0])
        return np.asarray(np.exp(log_alive - log_sum_exp(log_alive)[:, None]))

    def __len__(self) -> int:
        return len(self._kernels)

    def _take(self, rows: IndexArray | slice) -> Self:
        start = None if self._start is None else self._start[rows]
        return self._of(self._kernels.take(rows), start, self._copies)

    # -- values ------------------------------------------------------------------------------------------------

    @property
    def _lowest(self) -> float:
        return -np.inf if self._start is None else 0.0

    @property
    def _offset(self) -> FloatArray:
        """(n, 1) times at which the clock starts."""
        return np.zeros((len(self), 1)) if self._start is None else self._start[:, None]

    @property
    def _log_alive(self) -> FloatArray:
        """(n, 1) log survival of the kernels at the start."""
        return np.zeros((len(self), 1)) if self._start is None else self._kernels.log_sf(self._start[:, None])

    def _log_sf(self, times: FloatArray) -> FloatArray:
        log_sf = self._kernels.log_sf(self._offset + times) - self._log_alive
        return np.asarray(self._copies * np.minimum(log_sf, 0.0))

    def _log_pdf(self, times: FloatArray) -> FloatArray:
        density = self._kernels.log_pdf(self._offset + times) - self._log_alive
        if self._copies == 1:
            return np.asarray(density)
        return np.asarray(density + np.log(self._copies) + (1 - 1 / self._copies) * self._log_sf(times))

    def _solve(self, rows: IndexArray, log_sf: FloatArray) -> FloatArray:
        result = np.empty(rows.size)
        with np.errstate(all="ignore"):
            for block in blocks(rows.size, self.n_components):
                part = self._take(rows[block])
                level = part._log_alive[:, 0] + log_sf[block] / self._copies
                result[block] = part._kernels.isf(level) - part._offset[:, 0]
        return result if self._start is None else np.maximum(result, 0.0)

    def mean(self) -> FloatArray:
        """(n,) expected runtime; a closed form, after `given_alive` or `minimum_of` an integral, good to 1e-9."""
        if self._is_plain:
            return np.asarray(self._kernels.centres.mean(axis=1))
        low, high = self._ends()
        return low + self._integrals(low, high[:, None])[:, 0]

    def variance(self) -> FloatArray:
        """(n,) variance in s²; as accurate as `mean`."""
        if self._is_plain:
            return np.asarray(self._kernels.width[:, 0] ** 2 + self._kernels.centres.var(axis=1))
        (low, high), mean = self._ends(), self.mean()
        return self._integrals(low, np.stack([mean, high], axis=1), mean)[:, 1]

    def _restricted_mean(self, times: FloatArray) -> FloatArray:
        if self._is_plain:
            # min(T, t) = t - (t - T)+ = T - (T - t)+ with E[(Z - z)+] = phi(z) - z Phi(-z); the smaller one is exact.
            z, centres = self._kernels.standardised(times), self._kernels.centres[:, None, :]
            excess = np.exp(-0.5 * z * z - HALF_LOG_2PI) - np.abs(z) * scipy.special.ndtr(-np.abs(z))
            parts = np.where(z < 0, times[..., None], centres) - self._kernels.width[:, None, :] * excess
            return np.asarray(parts.mean(axis=2))
        low, high = self._ends()
        stops = np.clip(times, low[:, None], high[:, None])
        return np.minimum(times, low[:, None]) + self._integrals(low, stops)

    def _sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        uniform = rng.random((len(self), size))
        if not self._is_plain:
            return self.quantile(uniform)
        picks = np.minimum((uniform * self.n_components).astype(np.intp), self.n_components - 1)
        centres = np.take_along_axis(self._kernels.centres, picks, axis=1)
        return np.asarray(centres + self._kernels.width * rng.standard_normal((len(self), size)))

    # -- integrals over the survival function --------------------------------------------------------------------

    @property
    def _is_plain(self) -> bool:
        return self._start is None and self._copies == 1

    def _ends(self) -> tuple[FloatArray, FloatArray]:
        """(n,) ends between which the survival function falls from 1 to 0."""
        width, last = self._kernels.width[:, 0], self._kernels.last
        if self._start is None:
            return self._kernels.first - _REACH * width, last + _REACH * width
        # From z widths above the last centre on, survival falls faster than exp(-z u - u^2 / 2) in widths u.
        z = (self._start - last) / width
        reach = -2 * _DEEP / (np.sqrt(np.maximum(z, 0.0) ** 2 - 2 * _DEEP) + np.maximum(z, 0.0)) - np.minimum(z, 0.0)
        return np.zeros(len(self)), width * reach

    def _integrals(self, low: FloatArray, stops: FloatArray, centre: FloatArray | None = None) -> FloatArray:
        """(n, m) integrals of SF from low (n,) to the stops (n, m), not below it.

        With a centre (n,), of 2 |x - centre| times the probability of being farther away on that side.
        """
        pieces = np.clip(self._pieces(), low[:, None], stops.max(axis=1, keepdims=True))
        edges = np.concatenate([low[:, None], stops, pieces], axis=1)
        order = np.argsort(edges, axis=1, kind="stable")
        edges = np.take_along_axis(edges, order, axis=1)

        def evaluate(rows: IndexArray, x: FloatArray) -> FloatArray:
            result = np.empty(x.shape)
            with np.errstate(all="ignore"):
                for block in blocks(rows.size, x.shape[1] * self.n_components):
                    log_sf = self._take(rows[block])._log_sf(x[block])
                    result[block] = np.exp(log_sf)
                    if centre is not None:
                        away = x[block] - centre[rows[block], None]
                        result[block] = 2 * away * np.where(away < 0, np.expm1(log_sf), result[block])
            return result

        owner = np.repeat(np.arange(len(self)), edges.shape[1] - 1)
        parts = integrate(evaluate, owner, edges[:, :-1].ravel(), edges[:, 1:].ravel(), self._rtol())
        total = np.pad(np.cumsum(parts.reshape(len(self), edges.shape[1] - 1), axis=1), ((0, 0), (1, 0)))
        # The stops are entries 1 to m of the edges before they were sorted.
        place = np.argsort(order, axis=1)[:, 1 : 1 + stops.shape[1]]
        return np.take_along_axis(total, place, axis=1)

    def _rtol(self) -> FloatArray:
        """(n,) relative accuracy of integrals, 1e-11 unless the rounding of times and log survival is coarser."""
        width, start = self._kernels.width[:, 0], self._offset[:, 0]
        far = np.maximum(np.abs(self._kernels.first), np.abs(self._kernels.last)) + start
        steepness = np.maximum((start - self._kernels.last) / width, 1.0) / width
        noise = self._copies * np.finfo(np.float64).eps * (far * steepness - self._log_alive[:, 0])
        return np.clip(100 * noise, 1e-11, 1e-2)

    def _pieces(self) -> FloatArray:
        """(n, k) ends of pieces that are short where the kernels are."""
        centres, width = self._kernels.centres, self._kernels.width
        low, high = self._kernels.first[:, None] - _REACH * width, self._kernels.last[:, None] + _REACH * width
        count = int(np.ceil(((high - low) / (_PIECE * width)).max(initial=1.0)))
        if count <= _MANY_PIECES:
            edges = low + (high - low) * np.linspace(0.0, 1.0, count + 1)
        else:
            edges = (centres[..., None] + width[..., None] * _AROUND).reshape(
                len(self), centres.shape[1] * _AROUND.size
            )
        return np.asarray(edges - self._offset)

    # -- other distributions made from it ------------------------------------------------------------------------

    def _given_alive(self, waited: FloatArray) -> Self:
        return self._of(self._kernels, self._offset[:, 0] + waited, self._copies)

    def minimum_of(self, k: int, *, independent: bool = False) -> Self:
        """Return the distribution of the fastest of k independent parallel copies.

        Parameters
        ----------
        k : int
            Number of copies, at least 1.
        independent : bool, default False
            Must be True: a kernel estimate has no draws of distributions that copies could share.

        Returns
        -------
        KernelEstimate
            One row per row of this one.
        """
        check_at_least("k", k, 1)
        if not independent:
            self._refuse("minimum_of() without independent=True")
        return self._of(self._kernels, self._start, self._copies * float(k))

    # -- disagreement of draws, which a kernel estimate does not have ------------------------------------------------

    def _band(
        self, ends: tuple[float, float], q: float, times: FloatArray | None, mean: bool
    ) -> tuple[FloatArray, FloatArray]:
        self._refuse("band()")

    def epistemic(self) -> FloatArray:
        """Raise a `SettingError`: a kernel estimate has no draws of distributions to compare."""
        self._refuse("epistemic()")

    def aleatoric(self) -> FloatArray:
        """Raise a `SettingError`: a kernel estimate has no draws of distributions to compare."""
        self._refuse("aleatoric()")

    @property
    def splits(self) -> bool:
        """False: predicted runtimes hold ignorance and luck in one."""
        return False

    def unsure_share(self) -> FloatArray:
        """Raise a `SettingError`: a kernel estimate has no draws of distributions to compare."""
        self._refuse("unsure_share()")

    def log_joint(
        self, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float | None = None
    ) -> FloatArray:
        """(n,) log density of all runs (n, k), which count as independent: nothing is known of what they share."""
        density = self.log_pdf(seconds) if tick is None else log_tick_density(self, seconds, tick)
        each = np.where(finished, density, self.log_sf(seconds))
        return np.asarray(np.where(present, each, 0.0).sum(axis=1))

    def _refuse(self, method: str) -> NoReturn:
        raise SettingError(
            f"{method} needs draws of distributions. The draws of a kernel estimate are runtimes: "
            f"their spread is the prediction itself"
        )


def _check_kernels(centres: ArrayLike, width: ArrayLike) -> Kernels:
    array = check_numbers("centres", centres)
    if array.ndim != 2 or array.shape[1] == 0:
        raise SettingError(f"centres have shape {array.shape}; give (rows, kernels), with at least one kernel per row")
    n, widths = len(array), check_numbers("width", width)
    if widths.shape not in ((), (n,), (n, 1)):
        raise SettingError(f"width has shape {widths.shape}; for {n} rows give a scalar, ({n},) or ({n}, 1)")
    widths = np.broadcast_to(widths.reshape(-1, 1), (n, 1))
    bad = ~np.isfinite(array).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise SettingError(f"row {row}: centres hold {array[row][~np.isfinite(array[row])][0]}; they must be finite")
    bad = ~(np.isfinite(widths[:, 0]) & (widths[:, 0] > 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise SettingError(f"row {row}: width is {widths[row, 0]}; it must be finite and positive")
    return Kernels(array, widths)
