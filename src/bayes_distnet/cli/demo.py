"""The command that shows the main job on runs that come with the package: demo."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from bayes_distnet.cli.arguments import command, print_table
from bayes_distnet.cli.paths import written_path

DATA = "clasp-factoring"
RUNS = 8
SHOWN = 5


def add_demo(commands: Any) -> None:
    """Add `demo`."""
    parser = command(
        commands,
        "demo",
        "the main job end to end, on runs that come with the package",
        "Fits models on clasp-factoring, compares them and writes a report; less than three minutes on two cores.",
        "  bayes-distnet demo\n  bayes-distnet demo --out somewhere",
    )
    parser.add_argument(
        "--out", type=written_path, default=Path("out/demo"), metavar="FOLDER", help="default: out/demo"
    )
    parser.set_defaults(run=_demo)


def _demo(parsed: argparse.Namespace) -> None:
    run_demo(parsed.out)


def run_demo(folder: Path, *, progress: bool = True) -> Path:
    """Fit the recommended model, compare it with its peers on two folds, and write a report.

    Parameters
    ----------
    folder : Path
        Folder for model, results and report.
    progress : bool, default True
        Whether progress bars are shown.

    Returns
    -------
    Path
        The report.
    """
    import pandas as pd

    from bayes_distnet.data.shipped.load import load_dataset
    from bayes_distnet.experiments.run import run_experiment
    from bayes_distnet.models.hybrid import HybridDistNet
    from bayes_distnet.report.write import check_can_report, write_report

    check_can_report()
    started = time.monotonic()
    data = load_dataset(DATA)
    train, test = data.split(test_size=0.2, random_state=0)
    print(f"{DATA}: {data!r}")
    print(
        f"\nHybridDistNet learns from {RUNS} runs of each of {len(train)} instances, and predicts {len(test)} new ones:"
    )
    model = HybridDistNet(n_jobs=-1, verbose=progress and sys.stderr.isatty()).fit(
        train.X, train.seconds[:, :RUNS], finished=train.finished[:, :RUNS]
    )
    rtd = model.predict_distribution(test.X)
    model.save(folder / "model")
    low, high = rtd.band(0.9)
    table = pd.DataFrame(
        {
            "predicted median [s]": rtd.median(),
            "90 % band of it [s]": [f"{a:.3g} to {b:.3g}" for a, b in zip(low, high, strict=True)],
            "9 of 10 runs by [s]": rtd.quantile(0.9),
            "true median [s]": pd.DataFrame(test.seconds).median(axis=1).to_numpy(),
            "true 9 of 10 by [s]": pd.DataFrame(test.seconds).quantile(0.9, axis=1).to_numpy(),
        },
        index=test.X.index,
    )
    print_table(table.head(SHOWN), float_format="{:.3g}".format)

    print("\nAll models on the same splits: 1 and 8 runs per instance; 8 runs, 60 % cut off; features moved away.")
    results = folder / "results"
    compare = partial(run_experiment, data=data, folder=results, name=DATA, quick=True, progress=progress)
    compare("low-samples", runs=(1, RUNS))
    compare("censoring", runs=(RUNS,), censored=(0.0, 0.6))
    found = compare("uncertainty", models=("distnet", "bayes", "hybrid"), only_folds=1)
    nllh = found.table[found.table["score"] == "nllh"]
    overview = nllh.pivot_table(index="model", columns=["runs", "censored"], values="value", aggfunc="mean")
    print("\nNegative log likelihood of unseen instances, less is better:")
    print_table(overview.sort_values(overview.columns[0]), float_format="{:.3f}".format)
    page = write_report(results)
    print(f"\nReport: {page}\nThe fitted model: {folder / 'model'} ({time.monotonic() - started:.0f} s in all)")
    return page
