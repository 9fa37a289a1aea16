"""Predict the whole runtime distribution of a randomised solver from instance features, and say how sure it is.

The names below are the public face. They are imported when first used: `import bayes_distnet` alone is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import bayes_distnet.scores as scores
    from bayes_distnet.baselines import KNearest, Marginal, RandomForest, Ridge
    from bayes_distnet.collecting import collect
    from bayes_distnet.dataset import Dataset
    from bayes_distnet.datasets import load_dataset
    from bayes_distnet.distribution import RuntimeDistribution
    from bayes_distnet.errors import (
        BayesDistNetError,
        CollectError,
        FeatureError,
        ModelFileError,
        ResultsError,
        RuntimeDataError,
        SettingError,
        StoreError,
    )
    from bayes_distnet.estimators import BayesDistNet, DistNet
    from bayes_distnet.executing import Executor, Outcome, execute
    from bayes_distnet.experiments import run_experiment
    from bayes_distnet.families import Exponential, Gamma, InverseGaussian, LogLogistic, LogNormal, Weibull
    from bayes_distnet.features import extract
    from bayes_distnet.goodness import best_family
    from bayes_distnet.hybrid import HybridDistNet
    from bayes_distnet.importers import import_aslib, import_distnet
    from bayes_distnet.models import load_model
    from bayes_distnet.observations import ZeroRuntimeWarning
    from bayes_distnet.peers import Peer
    from bayes_distnet.results import Results
    from bayes_distnet.runs import RunTable
    from bayes_distnet.scenarios import generate
    from bayes_distnet.solvers import Solver, find_solver, from_command
    from bayes_distnet.store import Store
    from bayes_distnet.synthetic import make_runs
    from bayes_distnet.tables import read_runs, write_runs

__version__ = "0.1.0"

_HOMES = {
    "BayesDistNet": "estimators",
    "BayesDistNetError": "errors",
    "CollectError": "errors",
    "Dataset": "dataset",
    "DistNet": "estimators",
    "Executor": "executing",
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
    "Outcome": "executing",
    "Peer": "peers",
    "RandomForest": "baselines",
    "Results": "results",
    "ResultsError": "errors",
    "Ridge": "baselines",
    "RunTable": "runs",
    "RuntimeDataError": "errors",
    "RuntimeDistribution": "distribution",
    "SettingError": "errors",
    "Solver": "solvers",
    "Store": "store",
    "StoreError": "errors",
    "Weibull": "families",
    "ZeroRuntimeWarning": "observations",
    "best_family": "goodness",
    "collect": "collecting",
    "execute": "executing",
    "extract": "features",
    "find_solver": "solvers",
    "from_command": "solvers",
    "generate": "scenarios",
    "import_aslib": "importers",
    "import_distnet": "importers",
    "load_dataset": "datasets",
    "load_model": "models",
    "make_runs": "synthetic",
    "read_runs": "tables",
    "run_experiment": "experiments",
    "scores": "scores",
    "write_runs": "tables",
}

__all__ = [
    "BayesDistNet",
    "BayesDistNetError",
    "CollectError",
    "Dataset",
    "DistNet",
    "Executor",
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
    "Outcome",
    "Peer",
    "RandomForest",
    "Results",
    "ResultsError",
    "Ridge",
    "RunTable",
    "RuntimeDataError",
    "RuntimeDistribution",
    "SettingError",
    "Solver",
    "Store",
    "StoreError",
    "Weibull",
    "ZeroRuntimeWarning",
    "__version__",
    "best_family",
    "collect",
    "execute",
    "extract",
    "find_solver",
    "from_command",
    "generate",
    "import_aslib",
    "import_distnet",
    "load_dataset",
    "load_model",
    "make_runs",
    "read_runs",
    "run_experiment",
    "scores",
    "write_runs",
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
