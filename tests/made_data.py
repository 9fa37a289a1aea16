"""A small data set whose instances have names, shared by the tests."""

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.synthetic import make_runs


def made_data(n_instances=40, n_runs=10):
    """Runs that finished, and features; instances are called i00, i01, ..."""
    made = make_runs(n_instances=n_instances, n_runs=n_runs, n_features=4, random_state=0)
    names = [f"i{k:02d}" for k in range(n_instances)]
    runs = pd.DataFrame(made.seconds, index=names).rename_axis("instance").melt(ignore_index=False).reset_index()
    runs.columns = ["instance", "seed", "seconds"]
    return Dataset(RunTable.from_frame(runs.assign(status="solved")), made.features.set_axis(names))
