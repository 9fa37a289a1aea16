"""Replay of `suggest` on recorded runs: does it reach the score of random choice with fewer CPU seconds?

    python scripts/replay_suggest.py run --seeds 10-14      # results/suggest/curves.csv; 40 replays, about half an hour
    python scripts/replay_suggest.py write                  # results/suggest/ratios.csv and docs/suggest.png

Per data set and seed, a fifth of the instances is held out; all their recorded runs are scored. The other instances are
the pool. All strategies start with the same 20 random instances, one recorded run each. Then they spend up to given
budgets, and after each the model is fitted and scored. A run of T seconds under a cutoff c costs min(T, c) and is
censored if T > c. No strategy sees a run before it has paid for it, or anything of the held-out instances.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from bayes_distnet import Dataset, HybridDistNet, load_dataset
from bayes_distnet.decide import suggest
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import fit_runs

HOME = Path(__file__).parents[1]
TABLES, PICTURE = HOME / "results/suggest", HOME / "docs/suggest.png"
CURVES, RATIOS = TABLES / "curves.csv", TABLES / "ratios.csv"
CUTOFFS = {"clasp-factoring": 10.0, "lpg-zenotravel": 20.0}  # those of the collections
START = 20  # instances with a run at the start
BUDGETS = (5, 10, 20, 40, 80, 160)  # in mean costs of a run of the pool
REPORTED = (20, 40, 80, 160)
STRATEGIES = ("random", "random, 3 seeds", "cheapest", "suggest")
MOST_SEEDS = 5  # of an instance, when all instances of the pool have a run
ENOUGH = 0.1  # fraction of a budget that may stay unspent


class Replay:
    """The runs that a strategy has paid for.

    Parameters
    ----------
    data : Dataset
        Recorded runs.
    cutoff : float
        Cutoff of the recorded runs.
    seed : int
        Seed of the split, of the start and of the order of recorded runs.
    """

    def __init__(self, data: Dataset, cutoff: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(data))
        self.held_out, self.pool = np.split(rows, [len(data) // 5])
        self.data, self.cutoff = data, cutoff
        self.order = {int(row): rng.permutation(data.seconds.shape[1]) for row in self.pool}
        self.shuffled = [int(row) for row in rng.permutation(self.pool)]
        self.unit = float(data.seconds[self.pool].mean())
        self.runs: dict[int, list[tuple[float, bool]]] = {}
        self.spent = 0.0
        for row in self.shuffled[:START]:
            self.pay(row, cutoff)
        self.start, self.spent = self.spent, 0.0
        self.fit()

    def pay(self, row: int, cutoff: float) -> None:
        """Do the next recorded run of an instance."""
        mine = self.runs.setdefault(row, [])
        seconds = float(self.data.seconds[row, self.order[row][len(mine)]])
        mine.append((min(seconds, cutoff), seconds <= cutoff))
        self.spent += min(seconds, cutoff)

    def fit(self) -> None:
        """Learn from all runs so far."""
        rows = list(self.runs)
        shape = len(rows), max(map(len, self.runs.values()))
        seconds, finished = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
        for i, row in enumerate(rows):
            for j, (time_taken, ended) in enumerate(self.runs[row]):
                seconds[i, j], finished[i, j] = time_taken, ended
        self.model = fit_runs(HybridDistNet(verbose=False), self.data.features.iloc[rows], seconds, finished)

    def score(self) -> float:
        """Return the mean of -log density (per second) of all runs of held-out instances: nllh without a constant."""
        rtd = self.model.predict_distribution(self.data.features.iloc[self.held_out])
        return float(-rtd.log_pdf(self.data.seconds[self.held_out]).mean())

    # -- strategies ------------------------------------------------------------------------------------------------

    def spend(self, strategy: str, goal: float) -> None:
        """Pay for runs until a number of seconds is spent."""
        if strategy == "suggest":
            self.spend_as_suggested(goal)
            return
        new = [row for row in self.shuffled if row not in self.runs]
        if strategy == "cheapest" and new:
            costs = self.model.predict_distribution(self.data.features.iloc[new]).restricted_mean(self.cutoff)
            new = [new[i] for i in np.argsort(costs)]
        for row in new:
            for _ in range(3 if strategy == "random, 3 seeds" else 1):
                if self.spent >= goal:
                    return
                self.pay(row, self.cutoff)

    def spend_as_suggested(self, goal: float) -> None:
        """Pay for the suggested runs; further seeds of an instance only where new instances leave seconds over."""
        features = self.data.features.iloc[self.pool].set_axis(self.pool, axis=0)
        slice_of_budget = goal - self.spent
        for seeds in range(1, MOST_SEEDS + 1):
            left = goal - self.spent
            if left < ENOUGH * slice_of_budget:
                return
            seen = {row: len(runs) for row, runs in self.runs.items()}
            try:
                plan = suggest(self.model, features, budget=left, cutoff=self.cutoff, seeds=seeds, seen=seen)
            except SettingError:  # nothing is left that fits
                continue
            for row, count, cutoff in plan.table[["instance", "seeds", "cutoff"]].itertuples(index=False):
                for _ in range(count):
                    self.pay(row, cutoff)


def curve(name: str, strategy: str, seed: int) -> Iterator[dict[str, object]]:
    """Yield one record per budget."""
    replay = Replay(load_dataset(name), CUTOFFS[name], seed)
    for budget in (0, *BUDGETS):
        if budget and replay.spent < budget * replay.unit:
            replay.spend(strategy, budget * replay.unit)
            replay.fit()
        runs = [run for some in replay.runs.values() for run in some]
        yield {
            "data": name,
            "strategy": strategy,
            "seed": seed,
            "budget": budget,
            "unit": round(replay.unit, 6),
            "start": round(replay.start, 6),
            "spent": round(replay.spent, 6),
            "score": round(replay.score(), 5),
            "instances": len(replay.runs),
            "runs": len(runs),
            "censored": sum(not finished for _, finished in runs),
        }


def run(names: list[str], strategies: list[str], seeds: range) -> None:
    """Add missing curves to the table."""
    TABLES.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for name in names:
            for strategy in strategies:
                table = pd.read_csv(CURVES) if CURVES.is_file() else pd.DataFrame(columns=["data", "strategy", "seed"])
                if ((table["data"] == name) & (table["strategy"] == strategy) & (table["seed"] == seed)).any():
                    continue
                began = time.monotonic()
                new = pd.DataFrame(curve(name, strategy, seed))
                # Read again: another process may have added curves.
                old = [pd.read_csv(CURVES)] if CURVES.is_file() else []
                pd.concat([*old, new]).sort_values(["data", "strategy", "seed", "budget"]).to_csv(CURVES, index=False)
                print(f"{name}, {strategy}, seed {seed}: {time.monotonic() - began:.0f} s", flush=True)
                print(
                    new[["budget", "spent", "score", "instances", "runs", "censored"]].to_string(index=False),
                    flush=True,
                )


# -- tables and picture ------------------------------------------------------------------------------------------------

FINE = np.geomspace(1.0, BUDGETS[-1] * 1.02, 400)


def score_at(rows: pd.DataFrame) -> np.ndarray:
    """Scores of one replay at the budgets `FINE`, by linear interpolation over log budgets."""
    rows = rows.drop_duplicates("spent")
    return np.interp(np.log1p(FINE), np.log1p(rows["spent"] / rows["unit"]), rows["score"])


def first_at(scores: np.ndarray, aim: float) -> float:
    """Least budget from which on scores stay at or below an aim; infinity if they never do."""
    above = np.flatnonzero(scores > aim)
    if not above.size:
        return float(FINE[0])
    return float(FINE[above[-1] + 1]) if above[-1] + 1 < len(FINE) else np.inf


def ratios(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the seconds that each strategy needs for the score of random choice, as a fraction of its seconds."""
    records = []
    for name, mine in curves.groupby("data"):
        scores = {key: score_at(rows) for key, rows in mine.groupby(["strategy", "seed"])}
        seeds = sorted(set(mine["seed"]))
        start = float((mine["start"] / mine["unit"]).groupby(mine["seed"]).first().mean())
        for strategy in STRATEGIES[1:]:
            means = {one: np.mean([scores[one, seed] for seed in seeds], axis=0) for one in ("random", strategy)}
            for budget in REPORTED:
                aim = float(np.interp(budget, FINE, means["random"]))
                needed = first_at(means[strategy], aim)
                each = [
                    first_at(scores[strategy, seed], np.interp(budget, FINE, scores["random", seed])) for seed in seeds
                ]
                records.append(
                    {
                        "data": name,
                        "strategy": strategy,
                        "budget": budget,
                        "seconds": round(budget * float(mine["unit"].mean()), 2),
                        "random_score": round(aim, 4),
                        "score": round(float(np.interp(budget, FINE, means[strategy])), 4),
                        "ratio": round(needed / budget, 2),
                        "ratio_with_start": round((start + needed) / (start + budget), 2),
                        "ratio_per_seed": " ".join(f"{value / budget:.2f}" for value in each),
                    }
                )
    return pd.DataFrame(records)


def draw(curves: pd.DataFrame) -> None:
    """Draw mean scores against seconds, one panel per data set."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    from bayes_distnet.drawing import COLORS, new_axes

    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for panel, (name, mine) in zip(panels, curves.groupby("data"), strict=True):
        unit = float(mine["unit"].mean())
        for strategy, colour in zip(STRATEGIES, (COLORS[6], COLORS[3], COLORS[2], COLORS[1]), strict=True):
            each = [score_at(rows) for _, rows in mine[mine["strategy"] == strategy].groupby("seed")]
            far = np.searchsorted(FINE, BUDGETS[0])
            panel.plot(FINE[far:] * unit, np.mean(each, axis=0)[far:], color=colour, lw=1.8, label=strategy)
        new_axes(panel)
        panel.set_xscale("log")
        panel.set_title(str(name))
        panel.set_xlabel("CPU seconds after the start")
        ticks = [value for value in (0.3, 1, 3, 10, 30) if 5 * unit <= value <= 160 * unit]
        panel.set_xticks(ticks, [f"{value:g}" for value in ticks])
        panel.set_xticks([], minor=True)
    panels[0].set_ylabel("log score of a run, held-out instances")
    panels[0].legend(frameon=False)
    figure.savefig(PICTURE, dpi=110)


def main() -> None:
    """Run, or write tables and picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("run", "write"))
    parser.add_argument("--data", choices=tuple(CUTOFFS), action="append", help="default: both")
    parser.add_argument("--strategy", choices=STRATEGIES, action="append", help="default: all")
    parser.add_argument("--seeds", default="10-14", metavar="A-B")
    parsed = parser.parse_args()
    if parsed.action == "run":
        first, last = map(int, parsed.seeds.split("-"))
        run(parsed.data or list(CUTOFFS), parsed.strategy or list(STRATEGIES), range(first, last + 1))
        return
    curves = pd.read_csv(CURVES)
    table = ratios(curves)
    table.to_csv(RATIOS, index=False)
    draw(curves)
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
