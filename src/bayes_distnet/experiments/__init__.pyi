from .published import published as published
from .registry import EXPERIMENTS as EXPERIMENTS
from .registry import Experiment as Experiment
from .results import Results as Results
from .run import run_experiment as run_experiment
from .run import run_experiments as run_experiments
