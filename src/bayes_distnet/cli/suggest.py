"""The command that says where to spend the next runs: suggest."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import command, number, print_json, takes_model, whole
from bayes_distnet.cli.paths import read_path, written_path

if TYPE_CHECKING:
    from pathlib import Path

    from bayes_distnet.decide.suggestions.suggestion import Suggestion
    from bayes_distnet.models.base import RuntimeEstimator

SHOWN = 10  # rows of a table that is printed


def add_suggest(commands: Any) -> None:
    """Add `suggest`."""
    parser = command(
        commands,
        "suggest",
        "suggest the next runs: instances, seeds and cutoffs",
        "Chooses runs by the expected fall of the log score of the targets for their cost. Writes a table with the\n"
        "columns instance, seeds (number of new runs), cutoff, seconds (expected cost) and gain, which collect --plan\n"
        "takes. Instances that the model was trained on are known from its record, or from --runs.",
        "  bayes-distnet suggest model candidates.csv --budget 3600 --cutoff 60 --out plan.csv\n"
        "  bayes-distnet collect instances --solver clasp --plan plan.csv --store runs.sqlite\n"
        "  bayes-distnet suggest model candidates.csv --budget 600 --runs runs.sqlite --seeds 3 --out plan.csv\n"
        "  bayes-distnet suggest model candidates.csv --budget 600 --targets benchmark.csv --json",
    )
    takes_model(parser)
    parser.add_argument(
        "candidates",
        type=read_path,
        metavar="CANDIDATES",
        help="features of the instances that may be run (CSV, Parquet)",
    )
    parser.add_argument("--budget", type=number, required=True, metavar="SECONDS", help="CPU seconds of all runs")
    parser.add_argument(
        "--cutoff", type=number, metavar="SECONDS", help="largest cutoff; default: the quantile 0.97 of each prediction"
    )
    parser.add_argument(
        "--seeds", type=whole, default=1, metavar="N", help="most runs per instance, with those so far; default: 1"
    )
    parser.add_argument(
        "--targets", type=read_path, metavar="FILE", help="features of instances to predict well; default: candidates"
    )
    parser.add_argument(
        "--runs", type=read_path, metavar="FILE", help="runs that the model has learnt from, to count them per instance"
    )
    parser.add_argument(
        "--out", type=written_path, metavar="FILE", help=".csv, .csv.gz or .parquet for collect --plan, or .json"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.set_defaults(run=_suggest)


def _suggest(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.open import read_features
    from bayes_distnet.data.tables import check_can_write
    from bayes_distnet.decide.suggestions.suggest import suggest
    from bayes_distnet.models.library import load_model

    if parsed.out is not None and parsed.out.suffix != ".json":
        check_can_write(parsed.out)
    model = load_model(parsed.model)
    plan = suggest(
        model,
        read_features(parsed.candidates),
        budget=parsed.budget,
        cutoff=parsed.cutoff,
        targets=None if parsed.targets is None else read_features(parsed.targets),
        seeds=parsed.seeds,
        seen=None if parsed.runs is None else _counted(parsed.runs, model),
    )
    if parsed.out is not None:
        plan.save(parsed.out)
    if parsed.json:
        print_json(plan.as_dict())
    else:
        print(_as_text(plan, parsed.out))


def _counted(path: Path, model: RuntimeEstimator) -> dict[str, int]:
    """Return the number of observed runs per instance, of the solver that the model is about."""
    from bayes_distnet.data.tables import read_runs

    runs, record = read_runs(path), getattr(model, "training_record_", None)
    if record is not None and len(set(runs.solvers())) > 1:
        runs = runs.of(record.solver)
    return dict(Counter(map(str, runs.observed().instance)))


def _as_text(plan: Suggestion, out: Path | None) -> str:
    shown = plan.table.head(SHOWN).to_string(index=False, float_format="{:.3g}".format)
    more = f"\n... {len(plan) - SHOWN} more instances" if len(plan) > SHOWN else ""
    where = "" if out is None else f"\nplan in {out}"
    return f"{shown}{more}\n{plan.why}.{where}"
