"""How the cost of a fit and of a prediction grows: slopes of log CPU time against log size, over two decades.

    python benchmarks/growth.py [--quick]

A slope of 1 means that twice the size takes twice the time. The first fit of every size, which compiles, is not
counted. The largest sizes take a few minutes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from clock import cpu_seconds, quick

from bayes_distnet import HybridDistNet, make_runs
from bayes_distnet.models.base import fit_runs

#: Instances, runs and features that stay as they are while one of them grows.
USUAL = {"instances": 200, "runs": 4, "features": 20}
GROWTH = {"instances": (100, 1000, 10_000), "runs": (1, 10, 100), "features": (3, 30, 300)}
DRAWS = (1, 10, 100)
QUICK_GROWTH = {"instances": (20, 40)}  # every other size would compile a program of its own
PREDICTED = 2000


def slopes(sizes: tuple[int, ...], seconds: list[float]) -> str:
    steps = np.diff(np.log(seconds)) / np.diff(np.log(sizes))
    shown = ", ".join(f"{size:,}: {took:.2f} s" for size, took in zip(sizes, seconds, strict=True))
    return f"{shown}; slopes {', '.join(f'{step:.2f}' for step in steps)}"


def costs(instances: int, runs: int, features: int, rows: int, **settings: Any) -> tuple[float, float]:
    """Return CPU seconds of a second fit, and of the medians of some rows."""
    data = make_runs(instances, runs, features, random_state=1)
    x, model = np.asarray(data.features), HybridDistNet(**settings)

    def fit() -> Any:
        return fit_runs(model, x, data.seconds, data.finished)

    fit()
    took = cpu_seconds(fit)
    many = np.asarray(make_runs(rows, 1, features, random_state=2).features)
    return took, cpu_seconds(lambda: model.predict(many), 3)


def main() -> None:
    small = quick(__doc__)
    settings: dict[str, Any] = {"max_iter": 50, "n_estimators": 5} if small else {}
    rows = 50 if small else PREDICTED
    for name, sizes in (QUICK_GROWTH if small else GROWTH).items():
        both = [costs(**(USUAL | {name: size}), rows=rows, **settings) for size in sizes]
        print(f"fit by {name}: {slopes(sizes, [fit for fit, _ in both])}")
        print(f"predict {rows:,} rows by {name} of the fit: {slopes(sizes, [predict for _, predict in both])}")
    draws = DRAWS[:2] if small else DRAWS
    usual = USUAL | {"instances": 40} if small else USUAL
    both = [costs(**usual, rows=rows, n_draws=count, **settings) for count in draws]
    print(f"predict {rows:,} rows by weight draws: {slopes(draws, [predict for _, predict in both])}")


if __name__ == "__main__":
    main()
