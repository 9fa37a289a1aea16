"""Generated runs whose true distribution is known: for tests, demonstrations and benchmarks.

Instances have features; location and spread of log runtime are smooth functions of a few of them, the rest is noise,
and part of the difficulty is in no feature at all, as it is with real solvers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_part, check_seed, is_number


@dataclass(frozen=True)
class SyntheticRuns:
    """Features (one row an instance), seconds and finished flags (instances x runs), and the truth behind them."""

    features: pd.DataFrame
    seconds: FloatArray
    finished: BoolArray
    truth: RuntimeDistribution

    def cut_off(self, share: float) -> SyntheticRuns:
        """Return the same runs, cut off at one time so that about this share of them does not finish.

        Runs that are cut off already count towards the share: cutting off twice does not add up, the larger share
        is what is left unfinished.
        """
        if check_part(share, "share") == 0:
            return self
        cutoff = np.quantile(self.seconds, 1 - share)
        return SyntheticRuns(
            self.features, np.minimum(self.seconds, cutoff), self.finished & (self.seconds < cutoff), self.truth
        )

    def take(self, rows: IntArray) -> SyntheticRuns:
        """Return some of the instances."""
        return SyntheticRuns(self.features.iloc[rows], self.seconds[rows], self.finished[rows], self.truth[rows])


def make_runs(
    n_instances: int = 300,
    n_runs: int = 8,
    n_features: int = 20,
    *,
    unexplained: float = 0.3,
    humps: bool = False,
    random_state: int = 0,
) -> SyntheticRuns:
    """Generate runs of a solver on random instances.

    unexplained: deviation of the part of an instance's log runtime that no feature tells. humps: on some instances
    a lucky run is twenty times as fast as the others, so that the runtime distribution has two humps.

    >>> data = make_runs(n_instances=5, n_runs=3, random_state=1)
    >>> data.seconds.shape, data.features.shape
    ((5, 3), (5, 20))
    """
    for name, value in (("n_instances", n_instances), ("n_runs", n_runs), ("n_features", n_features)):
        check_at_least(name, value, 1)
    if not is_number(unexplained) or not 0 <= unexplained < np.inf:
        raise SettingError(f"unexplained={unexplained!r}: expected a deviation, a finite number of at least 0.")
    rng = np.random.default_rng(check_seed("random_state", random_state))
    z = rng.normal(size=(n_instances, n_features))
    signal = np.zeros((n_instances, 4))
    signal[:, : min(4, n_features)] = z[:, :4]
    a, b, c, d = signal.T
    loc = 1.0 + 1.2 * a + 0.8 * np.tanh(2 * b) + 0.5 * a * c + unexplained * rng.normal(size=n_instances)
    scale = 0.5 * np.exp(0.4 * np.tanh(d))
    lucky = 1 / (1 + np.exp(-2 * c)) * 0.5 if humps else np.zeros(n_instances)
    truth = RuntimeDistribution(
        LogNormal(np.stack([loc, loc - np.log(20)], axis=1), np.stack([scale, scale], axis=1)),
        np.stack([1 - lucky, lucky], axis=1),
    )
    # Real features are skewed and on many scales; what a model sees is not what generated the runs.
    skewed = np.where(np.arange(n_features) % 2 == 0, np.exp(2 * z), z * 100)
    features = pd.DataFrame(
        skewed,
        index=pd.Index([f"instance-{i:05d}" for i in range(n_instances)], name="instance"),
        columns=[f"feature_{j:03d}" for j in range(n_features)],
    )
    seconds = truth.sample(n_runs, random_state=int(rng.integers(2**31)))
    return SyntheticRuns(features, seconds, np.ones(seconds.shape, dtype=bool), truth)
