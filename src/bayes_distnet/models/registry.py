"""The registry of models: everything that can be fitted, compared or reported, in the order of tables.

To add a model, write its file and one line here. It then appears in `bayes-distnet fit --help`, `experiment --models`,
tables and reports.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bayes_distnet.errors import SettingError, not_installed
from bayes_distnet.registry import Registry, load

if TYPE_CHECKING:
    from bayes_distnet.arrays import BoolArray, FloatArray
    from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
    from bayes_distnet.models.base import RuntimeEstimator


class Role(StrEnum):
    """The part that an entry plays in a comparison."""

    MODEL = "model"
    """A model of this package: it can be fitted, saved and loaded."""
    PEER = "peer"
    """A model of another package or of a user: it is compared on the same splits."""
    LIMIT = "limit"
    """No model: it has seen the test runs, and shows how much there is to gain."""


@dataclass(frozen=True)
class ModelEntry:
    """A model that takes part in experiments.

    Parameters
    ----------
    key : str
        Short name, as on the command line.
    label : str
        Name in tables and figures.
    role : Role
        Model, peer or limit.
    source : str
        "package.module:Class" of an estimator, or "package.module:function" of a limit.
    settings : mapping
        Arguments of the class.
    families : bool or tuple of str
        Families that can be chosen, by the parameter `family` of the class: none, all (True), or these.
    needs : str or None
        Module of another package that must be installed.
    main : bool
        Whether experiments are about this model: it is drawn in a colour of its own.
    quick : bool
        Whether it takes part in quick experiments.
    published : bool
        Whether it has the settings of the published runs: it takes part only where they are asked for.
    draws : bool
        Whether its predictions have draws that disagree, so that it expresses how sure it is.
    variant_of : str or None
        Key of the model whose colour it shares.
    against : str or None
        Key of the DistNet that a Bayes DistNet is set against, as in the paper.
    make : callable or None
        (family, random_state) -> unfitted model, in place of a source: for models of users.
    limit : callable or None
        (seconds, finished) of the test runs -> distribution, in place of a source: for limits of users.
    """

    key: str
    label: str
    role: Role = Role.PEER
    source: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    families: bool | tuple[str, ...] = False
    needs: str | None = None
    main: bool = False
    quick: bool = False
    published: bool = False
    draws: bool = False
    variant_of: str | None = None
    against: str | None = None
    make: Callable[[str, int], RuntimeEstimator] | None = None
    limit: Callable[[FloatArray, BoolArray], RuntimeDistribution] | None = None

    def __post_init__(self) -> None:
        given = [bool(self.source), self.make is not None, self.limit is not None]
        if sum(given) != 1:
            raise SettingError(f"model {self.label!r}: give one of source, make (a model) and limit (from test runs).")
        if (self.limit is not None) and self.role is not Role.LIMIT:
            object.__setattr__(self, "role", Role.LIMIT)

    @property
    def is_limit(self) -> bool:
        """Whether the entry has seen the test runs."""
        return self.role is Role.LIMIT

    def takes(self, family: str) -> bool:
        """Whether this family can be chosen."""
        return family in self.families if isinstance(self.families, tuple) else self.families

    @property
    def installed(self) -> bool:
        """Whether the package it needs is there."""
        # The package alone: a search for a module inside it would import it.
        return self.needs is None or importlib.util.find_spec(self.needs.partition(".")[0]) is not None

    def build(self, family: str = "lognormal", random_state: int = 0) -> RuntimeEstimator:
        """Return an unfitted model with this family, if it can be chosen, and this random state, if it has one."""
        if self.is_limit:
            raise SettingError(f"{self.label}: a limit, not a model that can be fitted.")
        if self.make is not None:
            return self.make(family, random_state)
        model: RuntimeEstimator = load(self.source)(**self.settings)
        chosen: dict[str, Any] = {"family": family} if self.families else {}
        if "random_state" in model.get_params(deep=False):
            chosen["random_state"] = random_state
        return model.set_params(**chosen) if chosen else model

    def limit_of(self, seconds: FloatArray, finished: BoolArray) -> RuntimeDistribution:
        """Return the distribution that a limit makes of test runs, instances x runs."""
        function = self.limit or load(self.source)
        rtd: RuntimeDistribution = function(seconds, finished)
        return rtd


_OWN, _PEERS = "bayes_distnet.models", "bayes_distnet.models.peers"
_PAPER = {"preset": "paper"}

#: All models, in the order of tables: the networks, the baselines, the peers, the limits.
MODELS: Registry[ModelEntry] = Registry(
    "model",
    [
        ModelEntry(
            "hybrid", "HybridDistNet", Role.MODEL, f"{_OWN}.hybrid:HybridDistNet", main=True, quick=True, draws=True
        ),
        ModelEntry(
            "bayes",
            "BayesDistNet",
            Role.MODEL,
            f"{_OWN}.bayes:BayesDistNet",
            families=True,
            main=True,
            quick=True,
            draws=True,
            against="distnet",
        ),
        ModelEntry(
            "bayes-parameters",
            "BayesDistNet (parameters)",
            Role.MODEL,
            f"{_OWN}.bayes:BayesDistNet",
            {"output": "parameters"},
            families=True,
            draws=True,
            against="distnet",
        ),
        ModelEntry(
            "bayes-runtimes",
            "BayesDistNet (runtimes)",
            Role.MODEL,
            f"{_OWN}.bayes:BayesDistNet",
            {"output": "runtimes"},
            families=True,
            main=True,
            draws=True,
            against="distnet",
        ),
        ModelEntry(
            "bayes-paper",
            "BayesDistNet (paper)",
            Role.MODEL,
            f"{_OWN}.bayes:BayesDistNet",
            _PAPER,
            families=True,
            published=True,
            variant_of="bayes",
            against="distnet-paper",
        ),
        ModelEntry("distnet", "DistNet", Role.MODEL, f"{_OWN}.distnet:DistNet", families=True, main=True, quick=True),
        ModelEntry(
            "distnet-paper",
            "DistNet (paper)",
            Role.MODEL,
            f"{_OWN}.distnet:DistNet",
            _PAPER,
            families=True,
            published=True,
            variant_of="distnet",
        ),
        ModelEntry("forest", "RandomForest", Role.MODEL, f"{_OWN}.random_forest:RandomForest", quick=True),
        ModelEntry("ridge", "Ridge", Role.MODEL, f"{_OWN}.ridge:Ridge", quick=True),
        ModelEntry("knn", "KNearest", Role.MODEL, f"{_OWN}.nearest:KNearest", quick=True),
        ModelEntry("marginal", "Marginal", Role.MODEL, f"{_OWN}.marginal:Marginal", families=True, quick=True),
        ModelEntry("ngboost", "NGBoost", Role.PEER, f"{_PEERS}.ngboost:NGBoost", needs="ngboost"),
        ModelEntry("xgboost", "XGBoost AFT", Role.PEER, f"{_PEERS}.xgboost_aft:XGBoostAFT", needs="xgboost"),
        ModelEntry("lifelines", "log-normal AFT", Role.PEER, f"{_PEERS}.lifelines_aft:LogNormalAFT", needs="lifelines"),
        ModelEntry(
            "quantile-forest",
            "QuantileForest",
            Role.PEER,
            f"{_PEERS}.quantile_forest:QuantileForest",
            needs="quantile_forest",
        ),
        ModelEntry("limit-lognormal", "limit: lognormal", Role.LIMIT, f"{_OWN}.limits:best_lognormal", quick=True),
        ModelEntry("limit-empirical", "limit: empirical", Role.LIMIT, f"{_OWN}.limits:empirical", quick=True),
    ],
)

#: The model to start with.
RECOMMENDED = "hybrid"
#: The model that ignores the features: a model that is worse has learnt nothing.
BASE = "marginal"


def by_label(label: str) -> ModelEntry | None:
    """Return the registered model that tables call by this name; None for a model of a user."""
    return next((entry for entry in MODELS.values() if entry.label == label), None)


def find_model(text: str) -> ModelEntry:
    """Return a model by its key, or one of your own.

    Parameters
    ----------
    text : str
        A key of `MODELS`; or "package.module:attribute" or "folder/file.py:attribute". The attribute is a
        `ModelEntry`, a model such as `MyModel(depth=3)`, or its class if that needs no arguments. The `random_state`
        of a model is set for every seed of an experiment; its other settings stay. A file given here is run.

    Returns
    -------
    ModelEntry
        The entry, whose package is installed.

    Raises
    ------
    SettingError
        An unknown name, a file or module that cannot be loaded, or a package that is not installed.

    Examples
    --------
    >>> find_model("ridge").label, find_model("bayes_distnet.models.ridge:Ridge").label
    ('Ridge', 'Ridge')
    """
    if isinstance(text, str) and ":" in text and text not in MODELS:
        place, _, attribute = text.rpartition(":")
        entry = _as_entry(_attribute(_module(place, text), attribute, text), text)
    else:
        entry = MODELS.find(text, "; or a model of your own as module:attribute or file.py:attribute")
    if not entry.installed:
        raise not_installed(str(entry.needs), extra="peers" if text in MODELS else None)
    return entry


def _module(place: str, text: str) -> ModuleType:
    try:
        return _run(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (Exception, SystemExit) as error:  # a stranger's module may raise anything
        raise SettingError(f"model {text!r}: cannot load {place!r}: {type(error).__name__}: {error}.") from error


def _run(file: Path) -> ModuleType:
    # The name hides no module: the file may well be called after the package it adapts.
    name = f"bayes_distnet_model_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise FileNotFoundError("no such file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def _attribute(module: ModuleType, attribute: str, text: str) -> Any:
    if not hasattr(module, attribute):
        models = [name for name, value in vars(module).items() if not name.startswith("_") and _is_own(value, module)]
        there = f"; there: {', '.join(models)}" if models else ""
        raise SettingError(f"model {text!r}: it has no {attribute!r}{there}.")
    return getattr(module, attribute)


def _is_own(value: Any, module: ModuleType) -> bool:
    if isinstance(value, type):
        return _is_model(value) and value.__module__ == module.__name__
    return isinstance(value, ModelEntry) or _is_model(value)


def _is_model(value: Any) -> bool:
    return all(callable(getattr(value, name, None)) for name in ("fit", "predict_distribution", "get_params"))


def _as_entry(value: Any, text: str) -> ModelEntry:
    if isinstance(value, ModelEntry):
        return value
    if not _is_model(value):
        raise SettingError(
            f"model {text!r}: expected a ModelEntry, or a model (a RuntimeEstimator) or its class; "
            f"found {value!r:.100}."
        )
    if isinstance(value, type):
        try:
            value = value()
        except TypeError as error:
            raise SettingError(f"model {text!r}: {error}. Give a model, or defaults to its arguments.") from error
    name = text.rpartition(":")[2]
    return ModelEntry(name, name, make=_Template(value))


@dataclass(frozen=True)
class _Template:
    """Makes copies of a user's model, each with a random state of its own."""

    model: Any

    def __call__(self, family: str, random_state: int) -> RuntimeEstimator:
        from sklearn.base import clone

        copy: RuntimeEstimator = clone(self.model)
        if "random_state" in copy.get_params(deep=False):
            copy.set_params(random_state=random_state)
        return copy
