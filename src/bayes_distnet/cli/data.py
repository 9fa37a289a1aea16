"""Commands that read and write tables of runs: import, convert."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from bayes_distnet.cli.arguments import command, number, print_table
from bayes_distnet.cli.paths import read_path, written_path
from bayes_distnet.errors import SettingError


def add_import(commands: Any) -> None:
    """Add `import`."""
    parser = command(
        commands,
        "import",
        "read published runs: an ASlib scenario or the DistNet archive",
        "The result is a folder with runs, features and feature costs as Parquet. A folder of the DistNet archive\n"
        "must keep its name, which determines solver and cutoff: only then do reports show the paper's numbers, too.",
        "  bayes-distnet import aslib SAT18-EXP --out sat18\n"
        "  bayes-distnet import distnet clasp-3.0.4-p8_rand_factoring --out factoring",
    )
    parser.add_argument("kind", choices=("aslib", "distnet"), help="form of the published data")
    parser.add_argument("source", type=read_path, help="the folder as published")
    parser.add_argument("--out", type=written_path, required=True, metavar="FOLDER", help="folder to write")
    parser.add_argument(
        "--cutoff",
        type=number,
        help="with distnet: cutoff of the runs in seconds; default: that of the archive's folder",
    )
    parser.set_defaults(run=_import)


def _import(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.importers.aslib import import_aslib
    from bayes_distnet.data.importers.distnet import import_distnet

    if parsed.kind == "distnet":
        data = import_distnet(parsed.source, cutoff=parsed.cutoff)
    elif parsed.cutoff is not None:
        raise SettingError("--cutoff goes with distnet; an ASlib scenario has its own cutoff.")
    else:
        data = import_aslib(parsed.source)
    data.save(parsed.out)
    for note in data.notes:
        print(f"note: {note}", file=sys.stderr)
    print_table(data.runs.summary())
    print(f"{data.features.shape[1]} features of {len(data)} instances; all in {parsed.out}")


def add_convert(commands: Any) -> None:
    """Add `convert`."""
    parser = command(
        commands,
        "convert",
        "copy a run table between SQLite, Parquet and CSV",
        "The end of the name determines the form: .sqlite, .parquet, .csv or .csv.gz. Every run is checked.",
        "  bayes-distnet convert runs.sqlite runs.parquet\n  bayes-distnet convert runs.csv runs.sqlite",
    )
    parser.add_argument("source", type=read_path, help="file of runs")
    parser.add_argument("target", type=written_path, help="file to write, or store to add to")
    parser.set_defaults(run=_convert)


def _convert(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import read_runs, write_runs

    runs = read_runs(parsed.source)
    written = write_runs(runs, parsed.target)
    present = f"; {len(runs) - written} were present already" if written < len(runs) else ""
    print(f"{written} runs written to {parsed.target}{present}")
