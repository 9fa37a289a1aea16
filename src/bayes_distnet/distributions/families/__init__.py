"""Families of runtime distributions: one file each, and the registry that names them."""

from bayes_distnet.distributions.families.base import Family
from bayes_distnet.distributions.families.exponential import Exponential
from bayes_distnet.distributions.families.gamma import Gamma
from bayes_distnet.distributions.families.inverse_gaussian import InverseGaussian
from bayes_distnet.distributions.families.loglogistic import LogLogistic
from bayes_distnet.distributions.families.lognormal import LogNormal
from bayes_distnet.distributions.families.normal import Normal
from bayes_distnet.distributions.families.weibull import Weibull
from bayes_distnet.errors import SettingError

__all__ = [
    "FAMILIES",
    "Exponential",
    "Family",
    "Gamma",
    "InverseGaussian",
    "LogLogistic",
    "LogNormal",
    "Normal",
    "Weibull",
    "get_family",
]

FAMILIES: dict[str, type[Family]] = {
    family.name: family for family in (LogNormal, InverseGaussian, Exponential, Weibull, Gamma, LogLogistic)
}


def get_family(family: str | type[Family]) -> type[Family]:
    """Return a family by its name; a family class is returned as it is.

    >>> get_family("weibull").__name__
    'Weibull'
    """
    if isinstance(family, type) and issubclass(family, Family):
        return family
    if isinstance(family, str) and family in FAMILIES:
        return FAMILIES[family]
    raise SettingError(f"Unknown family {family!r}; use one of {', '.join(map(repr, FAMILIES))}.")
