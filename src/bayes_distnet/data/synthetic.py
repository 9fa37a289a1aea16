"""Generated runs whose true distribution is known: for tests, demonstrations and benchmarks.

Instances have features. Location and spread of log runtime are smooth functions of a few of them, the other features
are noise, and part of the difficulty is in no feature at all, as it is with real solvers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import SOLVED
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_seed, is_number

SOLVER = "synthetic"


def make_runs(
    n_instances: int = 300,
    n_runs: int = 8,
    n_features: int = 20,
    *,
    unexplained: float = 0.3,
    humps: bool = False,
    random_state: int = 0,
) -> Dataset:
    """Generate runs of a solver on random instances.

    Parameters
    ----------
    n_instances : int, default 300
        Number of instances.
    n_runs : int, default 8
        Number of runs per instance.
    n_features : int, default 20
        Number of features; at most four of them influence the runtime.
    unexplained : float, default 0.3
        Standard deviation of the part of an instance's log runtime that depends on no feature.
    humps : bool, default False
        Whether, on some instances, a lucky run is twenty times as fast as the others, so that their runtime
        distribution has two humps.
    random_state : int, default 0
        Seed that determines features and runs.

    Returns
    -------
    Dataset
        Runs of the solver "synthetic" with seeds 1 to `n_runs`, all solved and without a cutoff (`Dataset.cut_off`
        cuts some off); `truth` is the distribution from which they were drawn.

    Examples
    --------
    >>> data = make_runs(n_instances=5, n_runs=3, random_state=1)
    >>> data
    <Dataset: 5 instances, 20 features, 15 runs of synthetic>
    >>> data.seconds.shape, len(data.truth)
    ((5, 3), 5)
    """
    for name, value in (("n_instances", n_instances), ("n_runs", n_runs), ("n_features", n_features)):
        check_at_least(name, value, 1)
    if not is_number(unexplained) or not 0 <= unexplained < np.inf:
        raise SettingError(f"unexplained={unexplained!r}: expected a deviation, a finite number of at least 0.")
    rng = np.random.default_rng(check_seed("random_state", random_state))
    z = rng.normal(size=(n_instances, n_features))
    truth = _truth(z, unexplained * rng.normal(size=n_instances), humps)
    seconds = truth.sample(n_runs, random_state=int(rng.integers(2**31)))
    features = _features(z)
    return Dataset(_run_table(features.index, seconds), features, truth=truth)


def _truth(z: FloatArray, unexplained: FloatArray, humps: bool) -> RuntimeDistribution:
    signal = np.zeros((len(z), 4))
    signal[:, : min(4, z.shape[1])] = z[:, :4]
    a, b, c, d = signal.T
    loc = 1.0 + 1.2 * a + 0.8 * np.tanh(2 * b) + 0.5 * a * c + unexplained
    scale = 0.5 * np.exp(0.4 * np.tanh(d))
    lucky = 1 / (1 + np.exp(-2 * c)) * 0.5 if humps else np.zeros(len(z))
    return RuntimeDistribution(
        LogNormal(np.stack([loc, loc - np.log(20)], axis=1), np.stack([scale, scale], axis=1)),
        np.stack([1 - lucky, lucky], axis=1),
    )


def _features(z: FloatArray) -> pd.DataFrame:
    """Return skewed features on many scales, as real ones are: not the numbers that generate the runs."""
    n_instances, n_features = z.shape
    return pd.DataFrame(
        np.where(np.arange(n_features) % 2 == 0, np.exp(2 * z), z * 100),
        index=pd.Index([f"instance-{i:05d}" for i in range(n_instances)], name="instance"),
        columns=[f"feature_{j:03d}" for j in range(n_features)],
    )


def _run_table(instances: pd.Index, seconds: FloatArray) -> RunTable:
    n_instances, n_runs = seconds.shape
    frame = pd.DataFrame(
        {
            "instance": np.repeat(instances.to_numpy(), n_runs),
            "solver": SOLVER,
            "seed": np.tile(np.arange(1, n_runs + 1), n_instances),
            "seconds": seconds.ravel(),
            "status": SOLVED,
        }
    )
    return RunTable.from_frame(frame)
