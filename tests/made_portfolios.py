"""Made-up portfolios with known answers."""

import numpy as np
import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable


def two_specialists(n=120, runs=1, cutoff=50.0, seed=0, spread=0.5, extra=()):
    """Solver "left" needs 1 s where x < 0 and 30 s where x > 0, "right" the other way round; "noise" tells nothing."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, n)
    names = [f"i{number}" for number in range(n)]
    features = pd.DataFrame({"x": x, "noise": rng.normal(size=n)}, index=names)
    rows = []
    for solver, sign in (("left", 1.0), ("right", -1.0)):
        middle = np.where(sign * x < 0, 0.0, np.log(30.0))
        for run in range(runs):
            seconds = np.exp(middle + spread * rng.normal(size=n))
            rows.append(table(names, solver, run, seconds, cutoff))
    rows += [table(names, solver, 0, np.full(n, seconds), cutoff) for solver, seconds in extra]
    return Dataset(RunTable.from_frame(pd.concat(rows)), features)


def table(names, solver, seed, seconds, cutoff):
    late = seconds > cutoff
    return pd.DataFrame(
        {
            "instance": names,
            "solver": solver,
            "seed": seed,
            "seconds": np.where(late, cutoff, seconds),
            "status": np.where(late, "timeout", "solved"),
            "cutoff": cutoff,
        }
    )
