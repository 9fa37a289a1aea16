"""The main job on generated runs: fit, compare, draw. `python -m bayes_distnet.demo [folder]`."""

from __future__ import annotations

import sys
from pathlib import Path

from bayes_distnet import (
    BayesDistNet,
    DistNet,
    HybridDistNet,
    KNearest,
    Marginal,
    RandomForest,
    Ridge,
    make_runs,
)
from bayes_distnet.experiments import compare, summary
from bayes_distnet.synthetic import SyntheticRuns


def run_demo(folder: Path) -> None:
    """Compare all models on 200 generated instances, cut off and not, and save three figures."""
    models = {
        "HybridDistNet": HybridDistNet(),
        "BayesDistNet": BayesDistNet(),
        "DistNet": DistNet(),
        "RandomForest": RandomForest(),
        "Ridge": Ridge(),
        "KNearest": KNearest(),
        "Marginal": Marginal(),
    }
    data = make_runs(n_instances=250, n_runs=40, n_features=30, humps=True, seed=1)
    for cut_off in (0.0, 0.6):
        print(f"\n200 instances x 2 runs to learn from, {cut_off:.0%} of them cut off; 50 unseen instances x 40 runs:")
        results = compare(
            models,
            data.features,
            data.seconds,
            runs=2,
            cut_off=cut_off,
            only_folds=1,
            scores=("nllh", "ks", "crps", "coverage"),
            progress=lambda text: print(f"  {text:<40}", end="\r", file=sys.stderr, flush=True),
        )
        print(summary(results).round(3).to_string())
    print("\nnllh, ks, crps: less is better. coverage: share of runs inside the central 90 % interval.")
    _draw(data, folder)
    print(f"Figures: {folder}/distribution.png, shift.png, training.png")


def _draw(data: SyntheticRuns, folder: Path) -> None:
    from bayes_distnet.plots import plot_distribution, plot_history, plot_shift, save, shifted

    folder.mkdir(parents=True, exist_ok=True)
    known = data.features.iloc[:-1]
    seconds = data.seconds[:-1, :2]
    fitted = {m.__class__.__name__: m.fit(known, seconds) for m in (DistNet(), BayesDistNet(), HybridDistNet())}
    bayes = fitted["BayesDistNet"]
    new = data.features.iloc[[-1]]
    save(plot_distribution(bayes.predict_distribution(new), runs=data.seconds[-1]), folder / "distribution.png")
    moved = shifted(data.features, -1)
    answers = {name: model.predict_distribution(moved) for name, model in fitted.items()}
    save(plot_shift(answers), folder / "shift.png")
    save(plot_history(bayes.history_), folder / "training.png")


if __name__ == "__main__":
    run_demo(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
