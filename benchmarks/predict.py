"""Speed and memory of prediction, as ratios to yardsticks of the same run.

    python benchmarks/predict.py [--quick]

A cdf is compared with one tanh of as many numbers, predictions with NumPy reading and writing the bytes of their
components once. Times are CPU seconds of all threads.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from clock import cpu_seconds, peak_megabytes, quick, ratio

from bayes_distnet import BayesDistNet, HybridDistNet, RuntimeDistribution, make_runs
from bayes_distnet.arrays import FloatArray
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.models.base import RuntimeEstimator, fit_runs
from bayes_distnet.models.streaming import in_blocks

LEVELS = [0.5, 0.9]


def report_cdf(rows: int, repeats: int) -> None:
    rng = np.random.default_rng(0)
    draws, points = 64, 1000
    rtd = RuntimeDistribution(LogNormal(rng.normal(size=(rows, draws)), rng.uniform(0.2, 1.5, (rows, draws))))
    times, z = np.geomspace(1e-2, 1e2, points), rng.normal(size=(rows, draws, points))
    took, floor = ratio(lambda: rtd.cdf(times), lambda: np.tanh(z), repeats)
    print(
        f"cdf at {draws} draws x {points:,} times: {rows / took:,.0f} rows per CPU second, "
        f"{floor:.2f} x one tanh of as many numbers"
    )


def report_model(name: str, model: RuntimeEstimator, many: FloatArray, repeats: int) -> None:
    rtd = model.predict_distribution(many)
    held = np.ones((3, len(many), rtd.n_components))  # locations, scales and weights
    took, floor = ratio(lambda: model.predict(many), lambda: held + 1.0, repeats)
    steps = {
        "predict_distribution": lambda: model.predict_distribution(many),
        "median": rtd.median,
        "quantile(2)": lambda: rtd.quantile(LEVELS),
        "band": rtd.band,
        "unsure_share": rtd.unsure_share,
    }
    seconds = {step: cpu_seconds(work, repeats) for step, work in steps.items()}
    print(
        f"{name}: medians of {len(many):,} instances in {took:.2f} s, {floor:.0f} x reading and writing their "
        f"{rtd.n_components} components; band() {seconds['band'] / seconds['median']:.1f} x the time of median(); "
        + ", ".join(f"{step} {value:.2f} s" for step, value in seconds.items())
    )


def quantile_table(rtd: PredictedRuntimes) -> FloatArray:
    return rtd.quantile(LEVELS)


def report_stream(model: RuntimeEstimator, many: FloatArray, blocks: int) -> None:
    before, wall = peak_megabytes(), time.perf_counter()

    def work() -> Any:
        for _ in range(blocks):
            for _ in in_blocks(model, many, quantile_table, n_jobs=-1):
                pass

    took, rows = cpu_seconds(work), blocks * len(many)
    print(
        f"{type(model).__name__}: q50 and q90 of {rows:,} rows in blocks on all cores: {rows / took:,.0f} rows per CPU "
        f"second, {rows / (time.perf_counter() - wall):,.0f} per second of wall clock; "
        f"{peak_megabytes() - before:.0f} MB more at most than before"
    )


def report_memory(model: RuntimeEstimator, rows: int, columns: int) -> None:
    many = np.random.default_rng(3).normal(size=(rows, columns))
    before = peak_megabytes()
    took = cpu_seconds(lambda: model.predict_distribution(many).quantile(LEVELS))
    print(
        f"{type(model).__name__}: predict_distribution of {rows:,} rows at once and two quantiles: {took:.1f} s, "
        f"peak memory {peak_megabytes():.0f} MB, {before:.0f} MB of it before"
    )


def main() -> None:
    small = quick(__doc__)
    repeats, features = (1, 6) if small else (5, 90)
    report_cdf(20 if small else 500, repeats)
    data = make_runs(40 if small else 300, 8, features, random_state=1)
    many = np.asarray(make_runs(200 if small else 10_000, 1, features, random_state=2).features)
    size: dict[str, Any] = {"max_iter": 50} if small else {}
    for runs, share in ((data, "all runs finished"), (data.cut_off(0.3), "30 % cut off")):
        for model in (BayesDistNet(**size), HybridDistNet(**size)):
            fit_runs(model, np.asarray(runs.features), runs.seconds, runs.finished)
            report_model(f"{type(model).__name__}, {share}", model, many, repeats)
            report_stream(model, many, 1 if small else 10)
    report_memory(model, 500 if small else 50_000, features)


if __name__ == "__main__":
    main()
