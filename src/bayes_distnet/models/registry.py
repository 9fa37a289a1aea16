"""Peers: the models that experiments compare, each by a short key; `find_peer` also takes a model of your own.

Models of other packages (NGBoost, XGBoost, lifelines, quantile-forest) are small adapters in files of their own, and
import their package when they are fitted. The limits have seen the test runs: they say what there is to gain.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from sklearn.base import clone

from bayes_distnet.arrays import BoolArray, FloatArray
from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.bayes import BayesDistNet
from bayes_distnet.models.distnet import DistNet
from bayes_distnet.models.hybrid import HybridDistNet
from bayes_distnet.models.limits import best_lognormal, empirical
from bayes_distnet.models.marginal import Marginal
from bayes_distnet.models.nearest import KNearest
from bayes_distnet.models.peers.comparison import not_installed
from bayes_distnet.models.peers.lifelines_aft import LogNormalAFT
from bayes_distnet.models.peers.ngboost import NGBoost
from bayes_distnet.models.peers.quantile_forest import QuantileForest
from bayes_distnet.models.peers.xgboost_aft import XGBoostAFT
from bayes_distnet.models.random_forest import RandomForest
from bayes_distnet.models.ridge import Ridge

__all__ = ["PEERS", "Peer", "find_peer"]


@dataclass(frozen=True)
class Peer:
    """A model that takes part in experiments.

    Args:
        name: as tables show it.
        make: (family, seed) -> an unfitted model; None for a limit.
        families: those it can be asked for; () if it has its own: then `make` ignores the family.
        needs: module that must be importable.
        limit: (seconds, finished) of the test runs, instances x runs -> the distribution; None for a model.
    """

    name: str
    make: Callable[[str, int], RuntimeEstimator] | None
    families: tuple[str, ...] = ()
    needs: str | None = None
    limit: Callable[[FloatArray, BoolArray], RuntimeDistribution] | None = None

    def __post_init__(self) -> None:
        if (self.make is None) == (self.limit is None):
            raise SettingError(f"peer {self.name!r}: give make (a model) or limit (from the test runs), one of them.")


def from_template(template: RuntimeEstimator, families: tuple[str, ...], family: str, seed: int) -> RuntimeEstimator:
    """Return an unfitted copy of a model with this seed, if it has one, and family, if it can be asked for some."""
    settings: dict[str, Any] = {"family": family} if families else {}
    if "random_state" in template.get_params(deep=False):
        settings["random_state"] = seed
    model: RuntimeEstimator = clone(template).set_params(**settings)
    return model


def _model(
    name: str,
    template: RuntimeEstimator,
    families: tuple[str, ...] = (),
    needs: str | None = None,
) -> Peer:
    return Peer(name, partial(from_template, template, families), families, needs)


def _limit(name: str, limit: Callable[[FloatArray, BoolArray], RuntimeDistribution]) -> Peer:
    return Peer(name, None, limit=limit)


PEERS: dict[str, Peer] = {
    "hybrid": _model("HybridDistNet", HybridDistNet(verbose=False)),
    "bayes": _model("BayesDistNet", BayesDistNet(verbose=False), tuple(FAMILIES)),
    "bayes-runtimes": _model(
        "BayesDistNet (runtimes)", BayesDistNet(output="runtimes", verbose=False), tuple(FAMILIES)
    ),
    "bayes-paper": _model("BayesDistNet (paper)", BayesDistNet(preset="paper", verbose=False), tuple(FAMILIES)),
    "distnet": _model("DistNet", DistNet(verbose=False), tuple(FAMILIES)),
    "distnet-paper": _model("DistNet (paper)", DistNet(preset="paper", verbose=False), tuple(FAMILIES)),
    "forest": _model("RandomForest", RandomForest()),
    "ridge": _model("Ridge", Ridge()),
    "knn": _model("KNearest", KNearest()),
    "marginal": _model("Marginal", Marginal(), tuple(FAMILIES)),
    "ngboost": _model("NGBoost", NGBoost(), needs="ngboost"),
    "xgboost": _model("XGBoost AFT", XGBoostAFT(), needs="xgboost"),
    "lifelines": _model("log-normal AFT", LogNormalAFT(), needs="lifelines"),
    "quantile-forest": _model("QuantileForest", QuantileForest(), needs="quantile_forest"),
    "limit-lognormal": _limit("limit: lognormal", best_lognormal),
    "limit-empirical": _limit("limit: empirical", empirical),
}


def find_peer(text: str) -> Peer:
    """Return a peer by its key, or one of your own: "package.module:attribute" or "folder/file.py:attribute".

    The attribute is a `Peer`, a model such as `MyModel(depth=3)`, or its class if that needs no arguments. A model's
    `random_state` is set for every seed of an experiment; its other settings stay. A file given here is run.

    >>> find_peer("ridge").name, find_peer("bayes_distnet.models.ridge:Ridge").name
    ('Ridge', 'Ridge')
    """
    if text in PEERS:
        peer = PEERS[text]
    elif isinstance(text, str) and ":" in text:
        place, _, attribute = text.rpartition(":")
        peer = _as_peer(_attribute(_module(place, text), attribute, text), text)
    else:
        raise SettingError(
            f"model {text!r}: expected one of {', '.join(PEERS)}; or a model of your own as module:attribute or "
            "file.py:attribute."
        )
    # The package alone: looking for a module inside it would import it.
    if peer.needs is not None and importlib.util.find_spec(peer.needs.partition(".")[0]) is None:
        raise not_installed(peer.needs, ours=text in PEERS)
    return peer


def _module(place: str, text: str) -> ModuleType:
    try:
        return _run(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (Exception, SystemExit) as error:  # whatever a stranger's module raises
        raise SettingError(f"model {text!r}: cannot load {place!r}: {type(error).__name__}: {error}.") from error


def _run(file: Path) -> ModuleType:
    # A name that hides no module: the file may well be called after the package it adapts.
    name = f"bayes_distnet_peer_{file.stem}"
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
    return isinstance(value, Peer) or _is_model(value)


def _is_model(value: Any) -> bool:
    return all(callable(getattr(value, name, None)) for name in ("fit", "predict_distribution", "get_params"))


def _as_peer(value: Any, text: str) -> Peer:
    if isinstance(value, Peer):
        return value
    if not _is_model(value):
        raise SettingError(
            f"model {text!r}: expected a Peer, or a model (a RuntimeEstimator) or its class; found {value!r:.100}."
        )
    if isinstance(value, type):
        try:
            value = value()
        except TypeError as error:
            raise SettingError(f"model {text!r}: {error}. Give a model, or defaults to its arguments.") from error
    return _model(text.rpartition(":")[2], value)
