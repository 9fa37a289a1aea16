from .published import published as published
from .results import Results as Results
from .run import run_experiment as run_experiment
