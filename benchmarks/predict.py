"""Speed and memory of prediction.

python benchmarks/predict.py
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bayes_distnet import BayesDistNet, HybridDistNet, RuntimeDistribution, make_runs
from bayes_distnet.distributions.families import LogNormal

REPEATS = 5


def seconds(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    rng = np.random.default_rng(0)
    rows, draws, points = 500, 64, 1000
    rtd = RuntimeDistribution(LogNormal(rng.normal(size=(rows, draws)), rng.uniform(0.2, 1.5, (rows, draws))))
    times = np.geomspace(1e-2, 1e2, points)
    z = rng.normal(size=(rows, draws, points))
    took = seconds(lambda: rtd.cdf(times))
    floor = seconds(lambda: np.tanh(z))
    print(
        f"cdf at {draws} draws x {points:,} times: {rows / took:,.0f} rows/s, "
        f"{took / floor:.2f} x one tanh of as many numbers"
    )
    data = make_runs(300, 8, 90, random_state=1)
    many = make_runs(10_000, 1, 90, random_state=2).features
    for model in (BayesDistNet(), HybridDistNet()):
        model.fit(data.features, data.seconds)
        before = peak_megabytes()
        took = seconds(lambda m=model: m.predict(many))
        rtd = model.predict_distribution(many)
        print(
            f"{type(model).__name__}: medians of {len(many):,} instances in {took:.2f} s, "
            f"band() {seconds(rtd.band) / seconds(rtd.median):.1f} x the time of median(); "
            f"peak memory {peak_megabytes():.0f} MB, {before:.0f} MB of it before"
        )


if __name__ == "__main__":
    main()
