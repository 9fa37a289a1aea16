"""Families of runtime distributions: one file each, and the registry that names them.

To add a family, write one file with a frozen dataclass that derives from `Family`, and add the class to `FAMILIES`:

- class attributes `name` (as settings and files spell it), `label` (as tables and reports show it), `parameter_names`,
  `time_parameters` (the parameters in seconds) and, unless it is 2, `n_raw` (raw network outputs per component);
- its mathematics: `log_prob`, `log_sf`, `mean`, `variance`, `log_mean_beyond`, `_log_quantile`, and the class methods
  `from_raw` and `from_samples`.

Models, mixtures, scores and tables then take the family by its name.
"""

from bayes_distnet.distributions.families.base import Family
from bayes_distnet.distributions.families.exponential import Exponential
from bayes_distnet.distributions.families.gamma import Gamma
from bayes_distnet.distributions.families.inverse_gaussian import InverseGaussian
from bayes_distnet.distributions.families.loglogistic import LogLogistic
from bayes_distnet.distributions.families.lognormal import LogNormal
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
    "Weibull",
    "get_family",
]

#: Families by name, in the order in which tables show them.
FAMILIES: dict[str, type[Family]] = {
    family.name: family for family in (LogNormal, InverseGaussian, Exponential, Weibull, Gamma, LogLogistic)
}


def get_family(family: str | type[Family]) -> type[Family]:
    """Return a family by its name; a family class is returned as it is.

    Parameters
    ----------
    family : str or type
        A name such as "lognormal", or a subclass of `Family`.

    Returns
    -------
    type
        The class of the family.

    Raises
    ------
    SettingError
        If no family has this name.

    Examples
    --------
    >>> get_family("weibull").__name__
    'Weibull'
    """
    if isinstance(family, type) and issubclass(family, Family):
        return family
    if isinstance(family, str) and family in FAMILIES:
        return FAMILIES[family]
    raise SettingError(f"Unknown family {family!r}; use one of {', '.join(map(repr, FAMILIES))}.")
