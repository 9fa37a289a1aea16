"""Links: from raw outputs of a network to a family of runtime distributions, for NumPy and JAX."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from bayes_distnet.arrays import Array
from bayes_distnet.distributions.families import Family
from bayes_distnet.distributions.special.dispatch import namespace


class Link(ABC):
    """How raw outputs become times; without state, so that it can be part of a compiled program's key."""

    @abstractmethod
    def parameters(self, kind: type[Family], raw: Array, center: float, spread: Array) -> Family:
        """Return the family whose parameters raw outputs (..., n_raw) stand for; `center` is the log of its unit."""

    @abstractmethod
    def runtimes(self, raw: Array, center: float, spread: Array) -> Array:
        """Return the runtimes that raw outputs stand for."""


@dataclass(frozen=True)
class StandardisedLink(Link):
    """Outputs are standardised log times: location and relative spread, or the log of a runtime."""

    def parameters(self, kind: type[Family], raw: Array, center: float, spread: Array) -> Family:
        """Return location and relative spread in log time as the family's parameters."""
        return kind.from_raw(raw, center, spread)

    def runtimes(self, raw: Array, center: float, spread: Array) -> Array:
        """Return exponentials."""
        return namespace(raw).exp(center + spread * raw)


@dataclass(frozen=True)
class PublishedLink(Link):
    """The links of the published runs: exponentials of parameters, softplus of runtimes, relative to exp(center)."""

    def parameters(self, kind: type[Family], raw: Array, center: float, spread: Array) -> Family:
        """Return exponentials as the family's parameters."""
        return kind.from_log_parameters(raw).scaled(math.exp(center))

    def runtimes(self, raw: Array, center: float, spread: Array) -> Array:
        """Return softplus values."""
        return namespace(raw).logaddexp(raw, 0.0) * math.exp(center)
