from .collect.collector import collect_runs as collect_runs
from .collect.executor import Executor as Executor
from .collect.executor import Outcome as Outcome
from .collect.executor import execute as execute
from .collect.instances.registry import generate_instances as generate_instances
from .collect.solvers.base import Solver as Solver
from .collect.solvers.command import from_command as from_command
from .collect.solvers.registry import find_solver as find_solver
from .data.dataset import Dataset as Dataset
from .data.importers.aslib import import_aslib as import_aslib
from .data.importers.distnet import import_distnet as import_distnet
from .data.observations import ZeroRuntimeWarning as ZeroRuntimeWarning
from .data.run_table import RunTable as RunTable
from .data.shipped.load import load_dataset as load_dataset
from .data.store import Store as Store
from .data.synthetic import make_runs as make_runs
from .data.tables import read_runs as read_runs
from .data.tables import write_runs as write_runs
from .distributions.families import (
    Exponential as Exponential,
)
from .distributions.families import (
    Gamma as Gamma,
)
from .distributions.families import (
    InverseGaussian as InverseGaussian,
)
from .distributions.families import (
    LogLogistic as LogLogistic,
)
from .distributions.families import (
    LogNormal as LogNormal,
)
from .distributions.families import (
    Weibull as Weibull,
)
from .distributions.runtime_distribution import RuntimeDistribution as RuntimeDistribution
from .errors import (
    BayesDistNetError as BayesDistNetError,
)
from .errors import (
    CollectError as CollectError,
)
from .errors import (
    FeatureError as FeatureError,
)
from .errors import (
    ModelFileError as ModelFileError,
)
from .errors import (
    ResultsError as ResultsError,
)
from .errors import (
    RuntimeDataError as RuntimeDataError,
)
from .errors import (
    SettingError as SettingError,
)
from .errors import (
    StoreError as StoreError,
)
from .experiments.results import Results as Results
from .experiments.run import run_experiment as run_experiment
from .features.table import extract_features as extract_features
from .models.bayes import BayesDistNet as BayesDistNet
from .models.distnet import DistNet as DistNet
from .models.hybrid import HybridDistNet as HybridDistNet
from .models.library import load_model as load_model
from .models.marginal import Marginal as Marginal
from .models.nearest import KNearest as KNearest
from .models.random_forest import RandomForest as RandomForest
from .models.registry import ModelEntry as ModelEntry
from .models.ridge import Ridge as Ridge
from .scoring.family_choice import best_family as best_family

__version__: str
