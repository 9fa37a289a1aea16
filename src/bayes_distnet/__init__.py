"""Predict the whole runtime distribution of a randomised solver from instance features, and say how sure it is.

The names below are the public face. They are imported when first used: `import bayes_distnet` alone is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import bayes_distnet.scores as scores
    from bayes_distnet.baselines import KNearest, Marginal, RandomForest, Ridge
    from bayes_distnet.distribution import RuntimeDistribution
    from bayes_distnet.errors import (
        BayesDistNetError,
        FeatureError,
        ModelFileError,
        RuntimeDataError,
        SettingError,
    )
    from bayes_distnet.estimators import BayesDistNet, DistNet
    from bayes_distnet.families import (
        Exponential,
        Gamma,
        InverseGaussian,
        LogLogistic,
        LogNormal,
        Weibull,
    )
    from bayes_distnet.goodness import best_family
    from bayes_distnet.hybrid import HybridDistNet
    from bayes_distnet.runs import RunTable, ZeroRuntimeWarning
    from bayes_distnet.synthetic import make_runs

__version__ = "0.1.0"

_HOMES = {
    "BayesDistNet": "estimators",
    "BayesDistNetError": "errors",
    "DistNet": "estimators",
    "Exponential": "families",
    "FeatureError": "errors",
    "Gamma": "families",
    "HybridDistNet": "hybrid",
    "InverseGaussian": "families",
    "KNearest": "baselines",
    "LogLogistic": "families",
    "LogNormal": "families",
    "Marginal": "baselines",
    "ModelFileError": "errors",
    "RandomForest": "baselines",
    "Ridge": "baselines",
    "RunTable": "runs",
    "RuntimeDataError": "errors",
    "RuntimeDistribution": "distribution",
    "SettingError": "errors",
    "Weibull": "families",
    "ZeroRuntimeWarning": "runs",
    "best_family": "goodness",
    "make_runs": "synthetic",
    "scores": "scores",
}

__all__ = [
    "BayesDistNet",
    "BayesDistNetError",
    "DistNet",
    "Exponential",
    "FeatureError",
    "Gamma",
    "HybridDistNet",
    "InverseGaussian",
    "KNearest",
    "LogLogistic",
    "LogNormal",
    "Marginal",
    "ModelFileError",
    "RandomForest",
    "Ridge",
    "RunTable",
    "RuntimeDataError",
    "RuntimeDistribution",
    "SettingError",
    "Weibull",
    "ZeroRuntimeWarning",
    "__version__",
    "best_family",
    "make_runs",
    "scores",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bayes_distnet' has no attribute {name!r}")
    module = importlib.import_module(f"bayes_distnet.{_HOMES[name]}")
    value = module if _HOMES[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
