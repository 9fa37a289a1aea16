"""The registry of selectors: models of this package and peers that choose solvers, in the order of tables.

To add a peer, write `decide/selection/peers/NAME.py` and one line here. It then takes part in `bayes-distnet experiment
selection`, on the same folds as all others.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from bayes_distnet.errors import SettingError, not_installed
from bayes_distnet.models.registry import Role
from bayes_distnet.registry import Registry, load

if TYPE_CHECKING:
    from bayes_distnet.decide.selection.procedures import Selector


@dataclass(frozen=True)
class SelectorEntry:
    """A selector that takes part in experiments.

    Parameters
    ----------
    key : str
        Short name, as on the command line.
    label : str
        Name in tables and figures.
    role : Role
        Model or peer.
    source : str
        "package.module:Class" of a `Selector` that takes `random_state`.
    settings : mapping
        Further arguments of the class.
    needs : str or None
        Module of another package that must be installed.
    default : bool
        Whether it takes part unless selectors are named.
    quick : bool
        Whether it takes part in quick experiments, too.
    parallel : bool
        Whether it makes plans for several cores.
    """

    key: str
    label: str
    role: Role
    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs: str | None = None
    default: bool = True
    quick: bool = True
    parallel: bool = False

    #: As of a model in experiments: no choice of a family, no limit.
    families: ClassVar[bool] = False
    is_limit: ClassVar[bool] = False

    @property
    def installed(self) -> bool:
        """Whether the package it needs is there."""
        return self.needs is None or importlib.util.find_spec(self.needs.partition(".")[0]) is not None

    def build(self, family: str = "", random_state: int = 0) -> Selector:
        """Return the selector, not fitted yet; it takes no family."""
        selector: Selector = load(self.source)(**self.settings, random_state=random_state)
        return selector


_PEERS = "bayes_distnet.decide.selection.peers"


def _cheap(key: str, name: str) -> SelectorEntry:
    """Return a peer on the cheapest group of features; only where it is asked for, since few data sets have groups."""
    source, settings = f"{_PEERS}.cheap:CheapFeatures", {"selector": key}
    label = f"{name}, cheapest features"
    return SelectorEntry(f"{key}-cheap", label, Role.PEER, source, settings, default=False, quick=False)


def _asf(kind: str, name: str, *, default: bool = True) -> SelectorEntry:
    source, settings = f"{_PEERS}.asf:AsfSelector", {"kind": kind}
    return SelectorEntry(f"asf-{kind}", f"asf {name}", Role.PEER, source, settings, "asf", default, quick=False)


#: All selectors, in the order of tables.
SELECTORS: Registry[SelectorEntry] = Registry(
    "selector",
    [
        SelectorEntry(
            "portfolio",
            "PortfolioModel",
            Role.MODEL,
            "bayes_distnet.decide.selection.portfolio_selector:PortfolioSelector",
            parallel=True,
        ),
        SelectorEntry(
            "portfolio-forest",
            "PortfolioModel of forests",
            Role.MODEL,
            "bayes_distnet.decide.selection.portfolio_selector:PortfolioSelector",
            {"base": "forest"},
            default=False,  # forests are fitted six times to predict unseen training instances
            parallel=True,
        ),
        SelectorEntry("satzilla", "SATzilla'11", Role.PEER, f"{_PEERS}.satzilla:SATzilla11", parallel=True),
        SelectorEntry("sunny", "SUNNY", Role.PEER, f"{_PEERS}.sunny:SUNNY"),
        SelectorEntry("argosmart", "ArgoSmArT", Role.PEER, f"{_PEERS}.argosmart:ArgoSmArT"),
        SelectorEntry("ridge", "Ridge on log PAR10", Role.PEER, f"{_PEERS}.regression:RidgeSelector", parallel=True),
        SelectorEntry(
            "par10-forest", "Forest on PAR10", Role.PEER, f"{_PEERS}.regression:ForestSelector", parallel=True
        ),
        SelectorEntry(
            "log-forest", "Forest on log PAR10", Role.PEER, f"{_PEERS}.regression:ForestSelector", {"log": True}
        ),
        SelectorEntry("run2survive", "Run2Survive's rule", Role.PEER, f"{_PEERS}.run2survive:Run2Survive", quick=False),
        _asf("classifier", "PairwiseClassifier"),
        _asf("performance", "PerformanceModel"),
        _asf("regressor", "PairwiseRegressor", default=False),  # minutes per fold with many solvers
        _cheap("satzilla", "SATzilla'11"),
        _cheap("sunny", "SUNNY"),
        _cheap("argosmart", "ArgoSmArT"),
        _cheap("ridge", "Ridge on log PAR10"),
        _cheap("par10-forest", "Forest on PAR10"),
        _cheap("log-forest", "Forest on log PAR10"),
        _cheap("asf-classifier", "asf PairwiseClassifier"),
    ],
)


def find_selector(text: str) -> SelectorEntry:
    """Find a selector.

    Parameters
    ----------
    text : str
        A key of `SELECTORS`, or "package.module:attribute" of a `SelectorEntry`.

    Returns
    -------
    SelectorEntry
        The entry, whose package is installed.

    Raises
    ------
    SettingError
        An unknown name, or a package that is not installed.

    Examples
    --------
    >>> find_selector("sunny").label
    'SUNNY'
    """
    if isinstance(text, str) and ":" in text:
        try:
            entry = load(text)
        except (ImportError, AttributeError, ValueError) as error:
            raise SettingError(f"selector {text!r}: cannot load it: {error}.") from error
        if not isinstance(entry, SelectorEntry):
            raise SettingError(f"selector {text!r}: expected a SelectorEntry; found {entry!r:.100}.")
    else:
        entry = SELECTORS.find(text, "; or a SelectorEntry of your own as module:attribute")
    if not entry.installed:
        raise not_installed(str(entry.needs), extra="peers" if text in SELECTORS else None)
    return entry
