"""RuntimeDistribution: the prediction of every model, one mixture of runtime distributions per instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bayes_distnet.arrays import BoolArray, FloatArray, IndexArray
from bayes_distnet.distributions.as_arrays import StoredArrays, from_arrays, to_arrays
from bayes_distnet.distributions.blocks import grid_blocks
from bayes_distnet.distributions.checks import check_components, check_weights
from bayes_distnet.distributions.combining import pool, stack
from bayes_distnet.distributions.disagreement import log_joint, log_sf_given, share_between_draws
from bayes_distnet.distributions.draws import check_draws
from bayes_distnet.distributions.families import Family
from bayes_distnet.distributions.mixture import Mixture
from bayes_distnet.distributions.moments import (
    draw_moments,
    mixture_moment,
    restricted_mean,
    variance_of_means,
    weighted_sum,
)
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.distributions.quantiles import solve, weighted_quantiles
from bayes_distnet.distributions.sampling import sample
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least


class RuntimeDistribution(PredictedRuntimes):
    r"""The distribution of the runtime of n instances, in seconds; each row is a mixture of S components.

    A component is one weight draw of a Bayesian model, one tree of a forest; a model without such draws has S = 1.
    Several components may make up one draw: see `draws`. Row i has the survival function
    :math:`P(T_i > t) = \sum_j w_{ij}\, sf_{ij}(t)`. Arithmetic is float64 and in log space, so that deep tails neither
    underflow nor turn into NaN.

    Parameters
    ----------
    components : Family
        A family whose parameters broadcast to (n, S); (n,) means one component per row.
    weights : array-like, optional
        (S,) or (n, S), not negative; normalised to sum to one in each row. Equal by default.
    draws : array-like, optional
        (S,) or (n, S) whole numbers that name the draw of each component; by default each is its own. `band`,
        `epistemic`, `aleatoric` and `minimum_of` take components of one draw as its shape, not as disagreement.

    Raises
    ------
    SettingError
        If parameters, weights or draws are not numbers, or out of range; the message names the row.

    Examples
    --------
    >>> import numpy as np
    >>> from bayes_distnet.distributions.families import LogNormal
    >>> rtd = RuntimeDistribution(LogNormal(loc=np.log([[1.0, 4.0], [9.0, 9.0]]), scale=0.5))
    >>> rtd
    RuntimeDistribution(2 rows x 2 lognormal components, median 2 to 9 s)
    >>> rtd.median().round(6)
    array([2., 9.])
    >>> rtd.cdf([1.0, 2.0, 4.0]).shape
    (2, 3)
    >>> rtd[0].given_alive(10.0).median().round(3)     # of the time left after ten seconds
    array([1.585])
    """

    def __init__(self, components: Family, weights: ArrayLike | None = None, draws: ArrayLike | None = None) -> None:
        components, (n, size) = check_components(components)
        log_weights, labels = check_weights(weights, n, size), check_draws(draws, n, size)
        self._mixture = Mixture(components, log_weights, np.zeros(n), np.ones(n), np.ones(n), draws=labels)

    @classmethod
    def _of(cls, mixture: Mixture) -> Self:
        new = cls.__new__(cls)
        new._mixture = mixture
        return new

    # -- its parts ---------------------------------------------------------------------------------------------

    @property
    def components(self) -> Family:
        """The family, with parameters of shape (n, S)."""
        return self._mixture.components

    @property
    def family(self) -> str:
        """Name of the family."""
        return self.components.name

    @property
    def n_components(self) -> int:
        """S, the number of components per row."""
        return self._mixture.n_components

    @property
    def weights(self) -> FloatArray:
        """(n, S) weights of the components (given that the run is alive, after `given_alive`); rows sum to one."""
        return np.broadcast_to(self._mixture.weights, (len(self), self.n_components)).copy()

    @property
    def draws(self) -> IndexArray | None:
        """The draw of each component, numbered from 0, as the class takes it: (S,), (n, S), or None (each its own)."""
        if self._mixture.draws is None:
            return None
        labels = self._mixture.draws.labels
        return (labels[0] if len(labels) == 1 else labels).copy()

    def __len__(self) -> int:
        return len(self._mixture)

    def _take(self, rows: IndexArray | slice) -> Self:
        return self._of(self._mixture.take(rows))

    # -- values ------------------------------------------------------------------------------------------------

    @property
    def _lowest(self) -> float:
        return 0.0

    def _log_pdf(self, times: FloatArray) -> FloatArray:
        return self._mixture.log_pdf(times)

    def _log_sf(self, times: FloatArray) -> FloatArray:
        return self._mixture.log_sf(times)

    def _solve(self, rows: IndexArray, log_sf: FloatArray) -> FloatArray:
        return solve(self._mixture, rows, log_sf)

    def mean(self) -> FloatArray:
        """(n,) expected runtime; `inf` where a component with a weight has a tail too heavy to have one."""
        # A closed form; after `minimum_of` an integral, good to 1e-9 (1e-6 in mixtures of spikes and tails).
        return mixture_moment(self._mixture, 1)

    def variance(self) -> FloatArray:
        """(n,) variance in s², `inf` where infinite; `epistemic()` + `aleatoric()`."""
        return mixture_moment(self._mixture, 2)

    def _restricted_mean(self, times: FloatArray) -> FloatArray:
        return restricted_mean(self._mixture, times)

    def _sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        return sample(self._mixture, rng, size)

    # -- disagreement of the draws -------------------------------------------------------------------------------

    def _band(
        self, ends: tuple[float, float], q: float, times: FloatArray | None, mean: bool
    ) -> tuple[FloatArray, FloatArray]:
        self._need_draws("band")
        mixture = self._mixture
        if times is None:
            values = draw_moments(mixture, 1) if mean else self._of(mixture.split_draws()).quantile(q)
            return weighted_quantiles(values.reshape(len(self), mixture.n_draws), mixture.draw_weights, ends)
        low, high = np.empty((2, len(self), times.shape[1]))
        for rows, columns in grid_blocks(len(self), times.shape[1], self.n_components):
            part = mixture.take(rows)
            x = times[0, columns] if len(times) == 1 else np.repeat(times[rows, columns], part.n_draws, axis=0)
            each = self._of(part.split_draws())
            values = (each.restricted_mean(x) if mean else each.cdf(x)).reshape(len(part), part.n_draws, -1)
            low[rows, columns], high[rows, columns] = weighted_quantiles(
                values.swapaxes(1, 2), part.draw_weights[:, None], ends
            )
        return low, high

    def epistemic(self) -> FloatArray:
        """(n,) variance of the draws' means, in s²: the part that more data about the instances would remove."""
        self._need_draws("epistemic")
        return variance_of_means(self._mixture.draw_weights, draw_moments(self._mixture, 1))

    def aleatoric(self) -> FloatArray:
        """(n,) mean of the draws' variances, in s²: the luck of the run itself."""
        self._need_draws("aleatoric")
        return weighted_sum(self._mixture.draw_weights, draw_moments(self._mixture, 2))

    @property
    def splits(self) -> bool:
        """Whether there are draws that can disagree."""
        return self._mixture.n_draws > 1

    def unsure_share(self) -> FloatArray:
        """(n,) fraction of the variance of log time that lies between the draws; the rest is luck within each."""
        self._need_draws("unsure_share")
        return share_between_draws(self._mixture)

    def _log_sf_given(self, hardness: FloatArray, times: FloatArray) -> FloatArray:
        self._need_draws("log_sf_given")
        return log_sf_given(self._mixture, hardness, times)

    def log_joint(
        self, seconds: FloatArray, finished: BoolArray, present: BoolArray, tick: float | None = None
    ) -> FloatArray:
        """(n,) log density of all runs (n, k) of an instance together; where there is no run, any positive seconds."""
        self._need_draws("log_joint")
        return log_joint(self._mixture, seconds, finished, present, tick)

    def _need_draws(self, method: str) -> None:
        if np.any(self._mixture.power != 1):
            raise SettingError(
                f"{method}() compares draws, but the minimum of independent copies mixes them; use minimum_of(k)"
            )

    # -- other distributions made from it ------------------------------------------------------------------------

    def _given_alive(self, waited: FloatArray) -> Self:
        return self._of(self._mixture.condition(waited) if np.any(waited) else self._mixture)

    def minimum_of(self, k: int, *, independent: bool = False) -> Self:
        r"""Return the distribution of the fastest of k parallel copies.

        Copies run on the same instance: the model's ignorance about it is the same for all of them. So they share the
        draw, :math:`P(\min > t) = \sum_d w_d\, sf_d(t)^k`. Independent copies, :math:`P(\min > t) = P(T > t)^k`, would
        never be slower (Jensen): parallel copies protect against bad luck, not against a hard instance.

        Parameters
        ----------
        k : int
            Number of copies, at least 1.
        independent : bool, default False
            Whether the copies are independent in everything, as if each ran on another instance of this kind.

        Returns
        -------
        RuntimeDistribution
            One row per row of this one.

        Examples
        --------
        >>> import numpy as np
        >>> from bayes_distnet.distributions.families import Exponential
        >>> rtd = RuntimeDistribution(Exponential(scale=[[1.0, 100.0]]))      # an easy or a hard instance
        >>> rtd.minimum_of(8, independent=True).mean().round(2), rtd.minimum_of(8).mean().round(2)
        (array([0.34]), array([6.31]))
        """
        check_at_least("k", k, 1)
        mixture = self._mixture
        # With one component there is nothing to share, and copies of it keep the closed forms.
        if not independent or self.n_components == 1:
            return self._of(replace(mixture, copies=mixture.copies * float(k)))
        return self._of(replace(mixture, power=mixture.power * float(k)))

    @classmethod
    def concat(cls, parts: Sequence[Self]) -> Self:
        """Put rows of several distributions of one family below each other.

        Rows with fewer components than others are filled up with components of weight 0; rows keep their own draws.

        Parameters
        ----------
        parts : sequence of RuntimeDistribution
            At least one.

        Returns
        -------
        RuntimeDistribution
            As many rows as all parts together.
        """
        return cls._of(stack(_mixtures(parts)))

    @classmethod
    def mixture(cls, parts: Sequence[tuple[Self, ArrayLike]]) -> Self:
        """Pool distributions of one family row by row, each with a weight; their draws stay apart.

        Parameters
        ----------
        parts : sequence of pairs
            A distribution of n rows and its weight, a scalar or (n,); weights need not sum to one.

        Returns
        -------
        RuntimeDistribution
            n rows with the components of all parts.

        Examples
        --------
        >>> from bayes_distnet.distributions.families import Exponential
        >>> a, b = (RuntimeDistribution(Exponential(scale=[s])) for s in (1.0, 5.0))
        >>> RuntimeDistribution.mixture([(a, 3.0), (b, 1.0)]).mean()
        array([2.])
        """
        return cls._of(pool(_mixtures([rtd for rtd, _ in parts]), [weight for _, weight in parts]))

    # -- to and from arrays ------------------------------------------------------------------------------------

    def to_arrays(self) -> StoredArrays:
        """Return everything as plain arrays, and the family's name under "family"; see `from_arrays`."""
        return to_arrays(self._mixture)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, ArrayLike]) -> Self:
        """Rebuild the distribution that `to_arrays` was called on.

        Parameters
        ----------
        arrays : mapping
            The result of `to_arrays`.

        Returns
        -------
        RuntimeDistribution
            The same rows.
        """
        return cls._of(from_arrays(arrays))


def _mixtures(parts: Sequence[object]) -> list[Mixture]:
    mixtures = []
    for part in parts:
        if not isinstance(part, RuntimeDistribution):
            raise SettingError(f"expected RuntimeDistributions to put together, found {type(part).__name__}")
        mixtures.append(part._mixture)
    return mixtures
