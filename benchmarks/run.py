"""`bayes-distnet run` in the place of a single solver: total CPU seconds on new instances of three kinds.

    python benchmarks/run.py --work FOLDER
    python benchmarks/run.py --work OTHER --shipped

It generates instances of three kinds that take seconds, collects runs of two solvers on some of them, fits a portfolio,
and solves fifty others three times: with each solver alone, and with `run`, as three programs that are started from a
shell. The order is random, of instances and of the programs on each, so that all meet the same machine. If the script
is stopped, the same command continues.
With `--shipped` the portfolio is fitted to the shipped data set sat-portfolio, and the fifty instances are of the sizes
that `bayes-distnet generate` draws, most of which take milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bayes_distnet.collect.instances.colouring import colouring
from bayes_distnet.collect.instances.quasigroup import quasigroup
from bayes_distnet.collect.instances.random_ksat import random_ksat
from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.collect.solvers.registry import find_solver

SOLVERS = ("clasp", "kissat")
TRAINING, TEST = 45, 50  # instances; random states 7305 and 7308 are used by no shipped data set
CUTOFF = 10.0  # CPU seconds of training runs
LIMIT = 20  # CPU seconds of a solver that is run alone


def _random_3sat(rng: np.random.Generator) -> str:
    if rng.random() < 0.5:  # most have a solution
        return random_ksat(rng, 3, int(rng.integers(400, 600, endpoint=True)), rng.uniform(3.95, 4.1))
    return random_ksat(rng, 3, int(rng.integers(255, 275, endpoint=True)), rng.uniform(4.35, 4.45))  # most have none


def _quasigroup(rng: np.random.Generator) -> str:
    order = int(rng.integers(31, 36, endpoint=True))
    return quasigroup(rng, order, round(order**2 * rng.uniform(0.40, 0.44)))


def _colouring(rng: np.random.Generator) -> str:
    return colouring(rng, int(rng.integers(82, 89, endpoint=True)), 7, float(rng.uniform(0.5, 0.8)), 5)


SMALL = ("random-ksat", "quasigroup", "colouring")
KINDS: dict[str, Callable[[np.random.Generator], str]] = {
    "3sat": _random_3sat,
    "quasigroup": _quasigroup,
    "colouring": _colouring,
}


def generate(folder: Path, count: int, random_state: int) -> list[Path]:
    """Write instances of the three kinds in turn, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        path = folder / f"{kind}-{random_state}-{number:03d}.cnf"
        if not path.exists():
            path.write_text(KINDS[kind](np.random.default_rng([random_state, number])))
        paths.append(path)
    return paths


def generate_small(folder: Path, count: int, random_state: int) -> list[Path]:
    """Write instances of three kinds, of the sizes that the package draws."""
    paths = []
    for number, kind in enumerate(SMALL):
        share = count // len(SMALL) + (number < count % len(SMALL))
        paths += generate_instances(kind, share, folder=folder, random_state=random_state)
    return paths


def command(*words: object) -> list[str]:
    """Return the words that start a command of the package."""
    return [sys.executable, "-m", "bayes_distnet.cli", *map(str, words)]


def train(work: Path) -> Path:
    """Collect training runs, compute features and fit a portfolio, unless that is done."""
    generate(work / "training", TRAINING, 7305)
    runs, features, model = work / "runs.sqlite", work / "features.parquet", work / "model"
    solvers = [word for name in SOLVERS for word in ("--solver", name)]
    limits = ["--seeds", 1, "--cutoff", CUTOFF, "--cores", 1, "--store", runs, "--quiet"]
    subprocess.run(command("collect", work / "training", *solvers, *limits), check=True)
    if not features.exists():
        costs = ["--costs", work / "costs.parquet", "--quiet"]
        subprocess.run(command("features", work / "training", "--out", features, *costs), check=True)
    if not model.exists():
        given = ["--features", features, "--costs", work / "costs.parquet", "--overhead", round(loading(), 2)]
        given += ["--objective", "time", "--out", model]
        subprocess.run(command("fit", runs, "--portfolio", *given), check=True)
    return model


def loading() -> float:
    """Return the CPU seconds in which a new process loads what a portfolio needs."""
    words = [sys.executable, "-c", "import bayes_distnet.decide.portfolio.model; raise SystemExit(10)"]
    return statistics.median(cpu_seconds(words)[0] for _ in range(5))


def cpu_seconds(words: list[str], limit: int | None = None) -> tuple[float, float, str]:
    """Run a program; return its CPU seconds with all child processes, its wall-clock seconds, and its answer."""
    before, began = os.times(), time.perf_counter()
    limited = None if limit is None else lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limited)
    after, wall = os.times(), time.perf_counter() - began
    used = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode not in (10, 20) and limit is None:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return used, wall, next((line for line in done.stdout.splitlines() if line.startswith("s ")), "none")


def programs(path: Path, model: Path, seed: int) -> dict[str, list[str]]:
    """Return the command lines that are compared on an instance."""
    alone = {name: find_solver(name).command(path, seed=seed, cutoff=LIMIT, solution=True) for name in SOLVERS}
    solvers = [word for name in SOLVERS for word in ("--solver", name)]
    return {**alone, "run": command("run", path, "--model", model, "--seed", seed, *solvers)}


def measure(work: Path, model: Path, paths: list[Path]) -> list[dict[str, Any]]:
    """Solve every test instance by every program; return one record per run."""
    journal = work / "measured.jsonl"
    records = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    done = {(record["instance"], record["program"]) for record in records}
    order = random.Random(0)
    numbered = list(enumerate(paths, start=1))
    order.shuffle(numbered)
    jobs = [(path, n, name) for n, path in numbered for name in order.sample((*SOLVERS, "run"), len(SOLVERS) + 1)]
    for path, number, name in jobs:
        if (path.name, name) in done:
            continue
        seconds, wall, answer = cpu_seconds(programs(path, model, number)[name], None if name == "run" else LIMIT)
        records.append({"instance": path.name, "program": name, "seconds": seconds, "wall": wall, "answer": answer})
        with journal.open("a") as file:
            file.write(json.dumps(records[-1]) + "\n")
    return records


def summary(records: list[dict[str, Any]], kinds: Iterable[str]) -> str:
    """Return a table of total CPU seconds per kind and program."""
    lines = [f"{'kind':<12} {'instances':>9} " + " ".join(f"{name:>9}" for name in (*SOLVERS, "run", "oracle"))]
    for kind in (*kinds, "all"):
        own = [r for r in records if kind == "all" or r["instance"].startswith(kind)]
        names = sorted({r["instance"] for r in own})
        seconds = {(r["instance"], r["program"]): r["seconds"] for r in own}
        totals = [sum(seconds[name, program] for name in names) for program in (*SOLVERS, "run")]
        totals.append(sum(min(seconds[name, solver] for solver in SOLVERS) for name in names))
        lines.append(f"{kind:<12} {len(names):>9} " + " ".join(f"{total:>9.1f}" for total in totals))
    answers: dict[str, set[str]] = {}
    for r in records:
        answers.setdefault(r["instance"], set()).add(r["answer"])
    assert all(len(found - {"none"}) == 1 for found in answers.values()), "contradicting answers"
    for solver in SOLVERS:
        unsolved = sum(r["answer"] == "none" for r in records if r["program"] == solver)
        lines.append(f"{solver} alone was stopped after {LIMIT} s on {unsolved} instances")
    return "\n".join(lines)


def overhead(work: Path, model: Path) -> str:
    """Return the CPU seconds of a call that are not those of solvers and features, measured on one easy instance."""
    path = work / "easy.cnf"
    path.write_text("p cnf 2 2\n1 2 0\n-1 2 0\n")
    costs = [cpu_seconds(command("run", path, "--model", model))[0] for _ in range(5)]
    return f"a call on an instance of two clauses: {statistics.median(costs):.2f} CPU seconds"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for instances, runs and model")
    parser.add_argument("--shipped", action="store_true", help="small instances, and a portfolio of shipped runs")
    parsed = parser.parse_args()
    work: Path = parsed.work
    if parsed.shipped:
        model = work / "model"
        if not model.exists():
            subprocess.run(command("fit", "sat-portfolio", "--portfolio", "--out", model), check=True)
        print(summary(measure(work, model, generate_small(work / "test", TEST, 7307)), SMALL))
    else:
        model = train(work)
        print(summary(measure(work, model, generate(work / "test", TEST, 7308)), KINDS))
    print(overhead(work, model))


if __name__ == "__main__":
    main()
