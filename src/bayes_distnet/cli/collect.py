"""Commands that make runs: generate, collect."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import (
    at_most,
    command,
    cores,
    found_instances,
    number,
    print_json,
    print_table,
    takes_instances,
    whole,
)
from bayes_distnet.cli.paths import read_path, written_path
from bayes_distnet.collect.instances.registry import KINDS
from bayes_distnet.collect.solvers.registry import SOLVERS, find_solver
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_positive

if TYPE_CHECKING:
    from bayes_distnet.collect.solvers.base import Solver


def add_generate(commands: Any) -> None:
    """Add `generate`."""
    parser = command(
        commands,
        "generate",
        "write random instances of a problem to files",
        "The same seed writes the same bytes. Kinds:\n"
        + "\n".join(f"  {kind.key:<12} {kind.summary}" for kind in KINDS.values()),
        "  bayes-distnet generate factoring 20 --out instances\n"
        "  bayes-distnet generate zenotravel 50 --seed 7 --out problems",
    )
    parser.add_argument("kind", choices=tuple(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("count", type=at_most(1_000_000), metavar="COUNT", help="number of instances")
    parser.add_argument("--out", type=written_path, required=True, metavar="FOLDER", help="folder; created if missing")
    parser.add_argument("--seed", type=whole, default=0, help="default: 0")
    parser.set_defaults(run=_generate)


def _generate(parsed: argparse.Namespace) -> None:
    from bayes_distnet.collect.instances.registry import generate_instances

    files = generate_instances(parsed.kind, parsed.count, folder=parsed.out, random_state=parsed.seed)
    print(f"{len(files)} instances in {parsed.out}: {files[0].name} to {files[-1].name}")


def add_collect(commands: Any) -> None:
    """Add `collect`."""
    parser = command(
        commands,
        "collect",
        "run solvers on instances with many seeds, and store every run",
        "Runs that are in the store already are not repeated: after Ctrl-C, a crash or a power cut, the same\n"
        "command continues. Several collectors may share one store. Seconds are CPU seconds. Needs Linux.\n"
        "Solvers:\n" + "\n".join(f"  {solver.key:<8} {solver.summary}" for solver in SOLVERS.values()),
        "  bayes-distnet collect instances/*.cnf --solver clasp --seeds 100 --cutoff 10 --store runs.sqlite\n"
        "  bayes-distnet collect instances --solver clasp --solver kissat --seeds 20 --cutoff 60 --store runs.sqlite\n"
        "  bayes-distnet collect instances --command 'mysolver --seed {seed} {instance}' --answer '^solved' \\\n"
        "      --seeds 10 --cutoff 60 --store runs.sqlite\n"
        "  bayes-distnet collect instances --solver clasp --seeds 10 --cutoff 60 --store runs.sqlite \\\n"
        "      --cluster tcp://10.0.0.1:8786\n"
        "  bayes-distnet collect instances --solver clasp --plan plan.csv --store runs.sqlite   # see suggest",
    )
    takes_instances(parser)
    _takes_solvers(parser)
    parser.add_argument("--seeds", metavar="N or A-B", help="how many (1 to N), or which (A to B)")
    parser.add_argument("--cutoff", type=number, help="CPU seconds per run")
    parser.add_argument(
        "--cutoffs", type=read_path, metavar="CSV", help="columns instance, cutoff: for single instances"
    )
    parser.add_argument(
        "--plan",
        type=read_path,
        metavar="CSV",
        help="in place of --seeds and --cutoff: instance, seeds (how many new ones) and cutoff, as suggest writes them",
    )
    parser.add_argument("--wall", type=number, metavar="SECONDS", help="by the clock; default: twice the cutoff + 10")
    parser.add_argument("--memory", type=number, metavar="GIB", default=4.0, help="resident memory; default: 4")
    parser.add_argument(
        "--store", type=written_path, required=True, metavar="FILE", help="SQLite file; created if missing"
    )
    parser.add_argument("--cores", type=cores, help="number of runs at once, one per core; default: all cores")
    parser.add_argument("--cluster", metavar="ADDRESS", help="Dask scheduler tcp://..., or local to start one here")
    parser.add_argument("--repeat", type=whole, metavar="N", help="repeat N runs here and print how far times differ")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.set_defaults(run=_collect)


def _takes_solvers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--solver", action="append", default=[], metavar="NAME", help=f"{', '.join(SOLVERS)}; may be repeated"
    )
    parser.add_argument(
        "--command",
        dest="line",
        metavar="LINE",
        help="any other solver: a command line with {instance}, {seed}, {cutoff} and {folder}; no shell runs it",
    )
    parser.add_argument(
        "--answer",
        metavar="REGEX",
        help="with --command: pattern of an answer in its output; default: a line s SATISFIABLE or s UNSATISFIABLE, "
        "or exit code 10 or 20",
    )
    parser.add_argument("--name", help="with --command: name of the solver; default: the program's name")


def _collect(parsed: argparse.Namespace) -> None:
    from bayes_distnet.collect.collector import collect_further, collect_runs
    from bayes_distnet.collect.further import read_plan
    from bayes_distnet.collect.repeat import relative_difference, repeat_runs
    from bayes_distnet.data.store import check_store_name

    check_positive("--memory", parsed.memory)
    if parsed.repeat is not None:
        check_at_least("--repeat", parsed.repeat, 1)
        if parsed.cluster:
            raise SettingError("--repeat times runs on this machine: it does not go with --cluster.")
    common: dict[str, Any] = {
        "store": parsed.store,
        "memory_limit": int(parsed.memory * 2**30),
        "cores": parsed.cores,
        "progress": not parsed.quiet,
    }
    check_store_name(parsed.store)
    _check_grid_or_plan(parsed)
    solvers = _solvers(parsed)
    if parsed.plan is None:
        seeds, cutoffs = _seeds(parsed.seeds), None if parsed.cutoffs is None else _cutoffs(parsed.cutoffs)
        files = found_instances(parsed.instances, quiet=parsed.quiet)
        runs = collect_runs(
            solvers,
            files,
            seeds,
            cutoff=parsed.cutoff,
            cutoffs=cutoffs,
            wall_limit=parsed.wall,
            cluster=parsed.cluster,
            **common,
        )
    else:
        plan = read_plan(parsed.plan)
        files = found_instances(parsed.instances, quiet=parsed.quiet)
        runs = collect_further(solvers, files, plan, wall_limit=parsed.wall, cluster=parsed.cluster, **common)
    if parsed.json:
        print_json({"store": str(parsed.store), **runs.counts()})
    else:
        print_table(runs.summary())
    if parsed.repeat:
        again = repeat_runs(solvers, files, parsed.repeat, **common)
        difference = relative_difference(again).median()
        text = f"{len(again)} runs repeated with the same seeds: CPU seconds differ by {difference:.1%} (median)."
        print(text, file=sys.stderr if parsed.json else sys.stdout)


def _check_grid_or_plan(parsed: argparse.Namespace) -> None:
    """Raise a `SettingError` unless either seeds and a cutoff are given, or a plan that has both."""
    given = [f"--{name}" for name in ("seeds", "cutoff", "cutoffs") if getattr(parsed, name) is not None]
    if parsed.plan is not None and given:
        raise SettingError(f"{given[0]} beside --plan: the plan has seeds and cutoffs.")
    if parsed.plan is None and (missing := [name for name in ("--seeds", "--cutoff") if name not in given]):
        raise SettingError(f"{' and '.join(missing)}: missing; give both, or a --plan that suggest wrote.")


def _solvers(parsed: argparse.Namespace) -> list[Solver]:
    from bayes_distnet.collect.solvers.command import from_command

    solvers = [find_solver(name) for name in parsed.solver]
    if parsed.line is not None:
        given = {"name": parsed.name, "answer": parsed.answer}
        solvers.append(from_command(parsed.line, **{key: value for key, value in given.items() if value is not None}))
    elif parsed.answer or parsed.name:
        raise SettingError("--answer and --name go with --command.")
    if not solvers:
        raise SettingError("no solver: give --solver or --command.")
    return solvers


def _cutoffs(path: Path) -> dict[str, float]:
    from bayes_distnet.data.tables import read_frame

    frame = read_frame(path)
    if not {"instance", "cutoff"} <= set(frame.columns):
        raise SettingError(f"{path}: expected columns instance and cutoff, found {list(frame.columns)}.")
    return dict(zip(frame["instance"], frame["cutoff"], strict=True))


def _seeds(text: str) -> int | Sequence[int]:
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise SettingError(f"--seeds {text}: expected a number such as 20, or a range such as 21-40.")
    least, most = (int(first), int(last)) if dash else (1, int(first))
    if most >= 2**63 or most - least >= 1_000_000:
        raise SettingError(f"--seeds {text:.40}: expected at most a million seeds, of at most 64 bits.")
    return range(least, most + 1) if dash else most
