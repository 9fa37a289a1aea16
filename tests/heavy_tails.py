"""Generated runs with heavy tails: restarts pay, and the best cutoff depends on the features."""

import numpy as np
import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable


def heavy_tails(n_instances=48, n_runs=24, limit=30.0, random_state=0):
    rng = np.random.default_rng(random_state)
    x = rng.normal(size=(n_instances, 3))
    scale = np.exp(-2.0 + x[:, :1])
    lucky = rng.random((n_instances, n_runs)) < 0.4
    noise = rng.normal(size=lucky.shape)
    seconds = scale * np.where(lucky, np.exp(0.3 * noise), 20.0 * np.exp(noise))
    names = [f"i{k:02d}" for k in range(n_instances)]
    frame = pd.DataFrame(
        {
            "instance": np.repeat(names, n_runs),
            "seed": np.tile(np.arange(n_runs), n_instances),
            "seconds": np.minimum(seconds, limit).ravel(),
            "status": np.where(seconds.ravel() > limit, "timeout", "solved"),
        }
    )
    return Dataset(RunTable.from_frame(frame), pd.DataFrame(x, index=names, columns=list("abc")))
