"""The published preset against the default and against ignoring the features: `python benchmarks/published.py`."""

from __future__ import annotations

from bayes_distnet import BayesDistNet, DistNet, Marginal, make_runs
from bayes_distnet.comparing import compare, summary

MODELS = {
    "BayesDistNet(preset='paper')": BayesDistNet(preset="paper"),
    "DistNet(preset='paper')": DistNet(preset="paper"),
    "BayesDistNet()": BayesDistNet(),
    "Marginal()": Marginal(),
}


def main() -> None:
    data = make_runs(n_instances=500, n_runs=100, n_features=60, seed=5)
    for runs in (1, 8, 32):
        results = compare(MODELS, data.features, data.seconds, runs=runs, only_folds=1, scores=("nllh", "ks"))
        print(f"400 instances x {runs} runs:\n{summary(results).round(3).to_string()}\n", flush=True)


if __name__ == "__main__":
    main()
