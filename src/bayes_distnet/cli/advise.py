"""The command that answers questions about one instance, and runs nothing: advise."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import command, cores, number, objective, print_json, row_of
from bayes_distnet.cli.paths import read_path
from bayes_distnet.errors import SettingError

if TYPE_CHECKING:
    from bayes_distnet.decide.running.consultation import Consultation, SolverOutlook

TABLES = (".csv", ".csv.gz", ".parquet")


def add_advise(commands: Any) -> None:
    """Add `advise`."""
    parser = command(
        commands,
        "advise",
        "advise on one instance: solver, cutoff, copies, go on or stop",
        "Runs no solver, except in the features of an instance file. With --elapsed: whether to continue, to restart\n"
        "or to switch, with the expected cost of each.",
        "  bayes-distnet advise problem.cnf --model portfolio\n"
        "  bayes-distnet advise problem.cnf --model portfolio --deadline 300 --cores 4\n"
        "  bayes-distnet advise problem.cnf --model portfolio --elapsed 40 --running clasp\n"
        "  bayes-distnet advise features.csv --row problem.cnf --model model --elapsed 40 --json",
    )
    parser.add_argument("instance", type=read_path, metavar="INSTANCE", help="instance file, or a table of features")
    parser.add_argument("--model", type=read_path, required=True, metavar="FOLDER", help="folder that `fit` wrote")
    parser.add_argument("--row", metavar="NAME", help="with a table of features: the instance; default: its only row")
    parser.add_argument(
        "--elapsed", type=number, metavar="SECONDS", help="time that a solver has run without an answer"
    )
    parser.add_argument(
        "--running", metavar="SOLVER", help="with --elapsed: that solver; default: the one the model would choose"
    )
    parser.add_argument("--deadline", type=number, metavar="SECONDS", help="time from the start in which to answer")
    parser.add_argument("--cores", type=cores, default=1, help="number of cores; default: 1")
    parser.add_argument(
        "--objective", type=objective, metavar="NAME", help="time, par10, par2, deadline; default: see docs/running.md"
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.set_defaults(run=_advise)


def _advise(parsed: argparse.Namespace) -> None:
    from bayes_distnet.decide.running.consultation import consult

    if parsed.running is not None and parsed.elapsed is None:
        raise SettingError("--running goes with --elapsed, the seconds that the solver has run.")
    name, features = _features(parsed.instance, parsed.row)
    answers = consult(
        parsed.model,
        features,
        instance=name,
        elapsed=parsed.elapsed,
        running=parsed.running,
        deadline=parsed.deadline,
        cores=parsed.cores,
        objective=parsed.objective,
    )
    if parsed.json:
        print_json(answers.as_dict())
    else:
        print(_as_text(answers, parsed.deadline))


def _features(path: Path, row: str | None) -> tuple[str, Mapping[str, float]]:
    """Return the name and the features of an instance: a file, or a row of a table."""
    if not path.name.endswith(TABLES):
        from bayes_distnet.features.registry import feature_set_of

        if row is not None:
            raise SettingError("--row goes with a table of features.")
        if not path.is_file():
            raise SettingError(f"instance {path}: no such file.")
        return path.name, feature_set_of(path).compute(path).values
    if row is None:
        from bayes_distnet.data.open import read_features

        names = read_features(path).index
        if len(names) > 1:
            raise SettingError(f"{path}: {len(names)} rows; choose one with --row, such as --row {names[0]}.")
        row = str(names[0])
    return row, row_of(path, row)


def _as_text(answers: Consultation, deadline: float | None) -> str:
    lines = [answers.instance, "", *_table(answers.outlooks, deadline)]
    lines += ["", f"Run on {answers.cores} core{'s' if answers.cores > 1 else ''}: {answers.schedule.why}"]
    for outlook in answers.outlooks:
        lines.append(f"Restarts of {outlook.solver}: {outlook.restarts}")
    if answers.advice is not None:
        why = answers.advice.why
        lines += ["", f"{why[0].upper()}{why[1:]}"]
    return "\n".join(lines)


def _table(outlooks: Sequence[SolverOutlook], deadline: float | None) -> list[str]:
    """Return a line per solver, below a line with the names of the columns."""
    rows = [["solver", "median", "90 % band of it", "9 of 10 by", "two copies"]]
    if deadline is not None:
        rows[0].append(f"within {deadline:g} s")
    for one in outlooks:
        band = f"{_seconds(one.low)} to {_seconds(one.high)}"
        chance = [] if one.within is None else [f"{one.within:.0%}"]
        rows.append([one.solver, _seconds(one.median), band, _seconds(one.q90), _seconds(one.two_copies), *chance])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = [name in ("solver", "90 % band of it") for name in rows[0]]
    return [
        "  "
        + "   ".join(
            f"{cell:<{width}}" if flush else f"{cell:>{width}}"
            for cell, width, flush in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in rows
    ]


def _seconds(value: float) -> str:
    return "never" if math.isinf(value) else f"{value:.3g} s"
