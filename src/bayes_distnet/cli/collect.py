"""Commands that make training sets: generate, collect, features, import, convert."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bayes_distnet.cli.arguments import command, counts, print_json
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import check_at_least, check_positive


def add_generate(commands: Any) -> None:
    """Add `generate`."""
    parser = command(
        commands,
        "generate",
        "write random instances of a problem to files",
        "The same seed writes the same bytes.",
        "  bayes-distnet generate factoring 20 --out instances\n"
        "  bayes-distnet generate zenotravel 50 --seed 7 --out problems",
    )
    parser.add_argument("kind", help="factoring, zenotravel, sat-mix, random-ksat, colouring, quasigroup")
    parser.add_argument("count", type=int, help="how many")
    parser.add_argument("--out", type=Path, required=True, help="where to write them; made if need be")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.set_defaults(run=_generate)


def _generate(parsed: argparse.Namespace) -> None:
    from bayes_distnet.collect.instances.registry import generate_instances

    files = generate_instances(parsed.kind, parsed.count, random_state=parsed.seed, folder=parsed.out)
    print(f"{len(files)} instances in {parsed.out}: {files[0].name} to {files[-1].name}")


def add_collect(commands: Any) -> None:
    """Add `collect`."""
    parser = command(
        commands,
        "collect",
        "run solvers on instances with many seeds, and store every run",
        "Runs that are in the store already are not done again: after Ctrl-C, a crash or a power cut, the same\n"
        "command goes on where it was. Several collectors may share one store. Seconds are CPU seconds.",
        "  bayes-distnet collect instances/*.cnf --solver clasp --seeds 100 --cutoff 10 --store runs.sqlite\n"
        "  bayes-distnet collect instances --solver clasp --solver kissat --seeds 20 --cutoff 60 --store runs.sqlite\n"
        "  bayes-distnet collect instances --command 'mysolver --seed {seed} {instance}' --answer '^solved' \\\n"
        "      --seeds 10 --cutoff 60 --store runs.sqlite\n"
        "  bayes-distnet collect instances --solver clasp --seeds 10 --cutoff 60 --store runs.sqlite \\\n"
        "      --cluster tcp://10.0.0.1:8786",
    )
    _takes_instances(parser)
    parser.add_argument("--solver", action="append", default=[], help="clasp, kissat, glucose or lpg; may be repeated")
    parser.add_argument(
        "--command",
        dest="line",
        metavar="LINE",
        help="any other solver: a command line with {instance}, {seed}, {cutoff} and {folder}; no shell runs it",
    )
    parser.add_argument(
        "--answer",
        metavar="REGEX",
        help="with --command: what its output has when it solved; default: a line s SATISFIABLE or s UNSATISFIABLE",
    )
    parser.add_argument("--name", help="with --command: what to call it; default: the program's name")
    parser.add_argument("--seeds", required=True, metavar="N or A-B", help="how many (1 to N), or which (A to B)")
    parser.add_argument("--cutoff", type=float, required=True, help="CPU seconds a run may take")
    parser.add_argument("--cutoffs", type=Path, metavar="CSV", help="columns instance, cutoff: for single instances")
    parser.add_argument("--wall", type=float, metavar="SECONDS", help="by the clock; default: twice the cutoff + 10")
    parser.add_argument("--memory", type=float, metavar="GIB", default=4.0, help="resident memory; default: 4")
    parser.add_argument("--store", type=Path, required=True, metavar="FILE", help="SQLite file; made if need be")
    parser.add_argument("--cores", type=int, help="how many runs at once, one a core; default: all cores")
    parser.add_argument("--cluster", metavar="ADDRESS", help="Dask scheduler tcp://..., or local to start one here")
    parser.add_argument("--repeat", type=int, metavar="N", help="do N runs again here; say how far the times differ")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.set_defaults(run=_collect)


def _takes_instances(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "instances", nargs="+", type=Path, metavar="INSTANCE", help="a file, or a folder (all files but domain.pddl)"
    )


def _files(given: Sequence[Path]) -> list[Path]:
    """Return the instance files among what was given; a folder stands for its files."""
    files: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.is_file() and p.name != "domain.pddl" and p.name[0] != ".")
            if not inside:
                raise SettingError(f"{path}: a folder without files.")
            files += inside
        else:
            files.append(path)
    return files


def _collect(parsed: argparse.Namespace) -> None:
    from bayes_distnet.collect.collector import collect_runs
    from bayes_distnet.collect.repeat import relative_difference, repeat_runs
    from bayes_distnet.collect.solvers.command import from_command
    from bayes_distnet.collect.solvers.registry import find_solver
    from bayes_distnet.data.tables import read_frame

    check_positive("--memory", parsed.memory)
    if parsed.repeat is not None:
        check_at_least("--repeat", parsed.repeat, 1)
        if parsed.cluster:
            raise SettingError("--repeat times runs on this machine: it does not go with --cluster.")
    solvers = [find_solver(name) for name in parsed.solver]
    if parsed.line is not None:
        given = {"name": parsed.name, "answer": parsed.answer}
        solvers.append(from_command(parsed.line, **{key: value for key, value in given.items() if value is not None}))
    elif parsed.answer or parsed.name:
        raise SettingError("--answer and --name go with --command.")
    if not solvers:
        raise SettingError("no solver: give --solver or --command.")
    cutoffs = None
    if parsed.cutoffs is not None:
        frame = read_frame(parsed.cutoffs)
        if not {"instance", "cutoff"} <= set(frame.columns):
            raise SettingError(f"{parsed.cutoffs}: expected columns instance and cutoff, found {list(frame.columns)}.")
        cutoffs = dict(zip(frame["instance"], frame["cutoff"], strict=True))
    files = _files(parsed.instances)
    runs = collect_runs(
        solvers,
        files,
        _seeds(parsed.seeds),
        store=parsed.store,
        cutoff=parsed.cutoff,
        cutoffs=cutoffs,
        wall_limit=parsed.wall,
        memory_limit=int(parsed.memory * 2**30),
        cores=parsed.cores,
        cluster=parsed.cluster,
        progress=not parsed.quiet,
    )
    if parsed.json:
        print_json({"store": str(parsed.store), **counts(runs)})
    else:
        print(runs.summary().to_string())
    if parsed.repeat:
        again = repeat_runs(
            solvers,
            files,
            parsed.repeat,
            store=parsed.store,
            memory_limit=int(parsed.memory * 2**30),
            cores=parsed.cores,
            progress=not parsed.quiet,
        )
        difference = relative_difference(again).median()
        said = f"{len(again)} runs again with the same seeds: CPU seconds differ by {difference:.1%} (median)."
        print(said, file=sys.stderr if parsed.json else sys.stdout)


def _seeds(text: str) -> int | Sequence[int]:
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise SettingError(f"--seeds {text}: expected a number such as 20, or a range such as 21-40.")
    return range(int(first), int(last) + 1) if dash else int(first)


def add_features(commands: Any) -> None:
    """Add `features`."""
    parser = command(
        commands,
        "features",
        "compute features of CNF or PDDL files",
        "CNF: structure and short probing runs. PDDL: objects, goals and a relaxed plan; the domain is the file\n"
        "domain.pddl beside the problem. What they cost, in CPU seconds, goes to a table of its own.",
        "  bayes-distnet features instances --out features.parquet\n"
        "  bayes-distnet features a.cnf b.cnf --out features.csv --costs costs.csv",
    )
    _takes_instances(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=".parquet, .csv or .csv.gz")
    parser.add_argument("--costs", type=Path, metavar="FILE", help="CPU seconds an instance")
    parser.add_argument("--seed", type=int, default=0, help="of the probing runs; default: 0")
    parser.add_argument("--time-limit", type=float, default=30.0, metavar="SECONDS", help="an instance; default: 30")
    parser.add_argument("--cores", type=int, default=1, help="how many files at once; default: 1")
    parser.add_argument("--skip-bad", action="store_true", help="a file that cannot be read gets a row without values")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.set_defaults(run=_features)


def _features(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import check_can_write, write_frame
    from bayes_distnet.features.table import extract

    for path in (parsed.out, parsed.costs):
        if path is not None:
            check_can_write(path)
    table = extract(
        _files(parsed.instances),
        random_state=parsed.seed,
        time_limit=parsed.time_limit,
        n_jobs=parsed.cores,
        on_error="nan" if parsed.skip_bad else "raise",
        progress=not parsed.quiet,
    )
    write_frame(table.features, parsed.out)
    if parsed.costs is not None:
        write_frame(table.cost.to_frame("seconds"), parsed.costs)
    for error in table.failures.values():
        print(f"no features: {error}", file=sys.stderr)
    cost = table.cost.median()
    print(f"{table.features.shape[1]} features of {len(table.features)} instances in {parsed.out}", end="")
    print(f"; {cost:.3f} CPU seconds an instance (median)")


def add_import(commands: Any) -> None:
    """Add `import`."""
    parser = command(
        commands,
        "import",
        "read published runs: an ASlib scenario or the DistNet archive",
        "The result is a folder with runs, features and feature costs as Parquet. A folder of the DistNet archive\n"
        "must keep its name, which tells solver and cutoff: else no report shows the paper's numbers beside yours.",
        "  bayes-distnet import aslib SAT18-EXP --out sat18\n"
        "  bayes-distnet import distnet clasp-3.0.4-p8_rand_factoring --out factoring",
    )
    parser.add_argument("kind", choices=("aslib", "distnet"))
    parser.add_argument("source", type=Path, help="the folder as published")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument(
        "--cutoff",
        type=float,
        help="with distnet: seconds the runs were allowed; default: those of the archive's folder",
    )
    parser.set_defaults(run=_import)


def _import(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.importers.aslib import import_aslib
    from bayes_distnet.data.importers.distnet import import_distnet

    if parsed.kind == "distnet":
        data = import_distnet(parsed.source, cutoff=parsed.cutoff)
    elif parsed.cutoff is not None:
        raise SettingError("--cutoff goes with distnet; an ASlib scenario says its cutoff itself.")
    else:
        data = import_aslib(parsed.source)
    data.save(parsed.out)
    for note in data.notes:
        print(f"note: {note}", file=sys.stderr)
    print(data.runs.summary().to_string())
    print(f"{data.features.shape[1]} features of {len(data)} instances; all in {parsed.out}")


def add_convert(commands: Any) -> None:
    """Add `convert`."""
    parser = command(
        commands,
        "convert",
        "copy a run table between SQLite, Parquet and CSV",
        "The form is told by the end of the name: .sqlite, .parquet, .csv or .csv.gz. Every run is checked.",
        "  bayes-distnet convert runs.sqlite runs.parquet\n  bayes-distnet convert runs.csv runs.sqlite",
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.set_defaults(run=_convert)


def _convert(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import read_runs, write_runs

    runs = read_runs(parsed.source)
    written = write_runs(runs, parsed.target)
    there = f"; {len(runs) - written} were there already" if written < len(runs) else ""
    print(f"{written} runs written to {parsed.target}{there}")
