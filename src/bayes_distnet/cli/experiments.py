"""Commands that compare models: experiment, report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from bayes_distnet.cli.arguments import (
    DATA_HELP,
    at_most,
    command,
    cores,
    listed,
    name_of,
    number,
    open_data,
    print_json,
    print_table,
    takes_features,
    whole,
    words,
)
from bayes_distnet.cli.paths import read_source, written_path
from bayes_distnet.decide.selection.registry import SELECTORS
from bayes_distnet.errors import ResultsError, SettingError
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.models.registry import MODELS

if TYPE_CHECKING:
    import pandas as pd

    from bayes_distnet.experiments.results import Results

SHOWN_SHIFTS = (-8, -4, 0, 4, 8)
SHOWN_SCORES = 4  # of a table of policies; --json and the report have all
ALL = tuple(key for key, entry in EXPERIMENTS.items() if not entry.decides)  # experiments of `all`: those of the paper


def add_experiment(commands: Any) -> None:
    """Add `experiment`."""
    parser = command(
        commands,
        "experiment",
        "the paper's experiments and decisions on any data: models on the same folds",
        "\n".join(f"{entry.key}: {entry.summary}" for entry in EXPERIMENTS.values())
        + "\nJobs in the folder are not repeated: after Ctrl-C or a crash, the same command continues.",
        "  bayes-distnet experiment low-samples --data clasp-factoring --quick --out out/rough\n"
        "  bayes-distnet experiment all --data lpg-zenotravel --out out/lpg\n"
        "  bayes-distnet experiment censoring --data runs.sqlite --features features.parquet --cutoffs random \\\n"
        "      --models hybrid,bayes,forest,ngboost --censored 0,40,80 --out out/mine\n"
        "  bayes-distnet experiment low-samples --models hybrid,mine.py:MyModel --runs 1,4 --seeds 1 --out out/clasp\n"
        "  bayes-distnet experiment restarts --data clasp-factoring --out out/clasp --json\n"
        "  bayes-distnet experiment selection --data sat-portfolio --out out/sat --json\n"
        "  bayes-distnet experiment all --preset paper --cluster tcp://10.0.0.1:8786 --out out/paper",
    )
    parser.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        choices=(*EXPERIMENTS, "all"),
        help=f"{', '.join(EXPERIMENTS)}, or all: {', '.join(ALL)}",
    )
    parser.add_argument(
        "--data", type=read_source, default="clasp-factoring", help=f"{DATA_HELP}; default: clasp-factoring"
    )
    takes_features(parser)
    parser.add_argument(
        "--out", type=written_path, required=True, metavar="FOLDER", help="results; one folder per data set"
    )
    parser.add_argument(
        "--models",
        type=words,
        metavar="A,B,...",
        help=f"{', '.join(MODELS)}, or your own model as module:attribute or file.py:attribute; in selection and "
        f"portfolio {', '.join(SELECTORS)}; default: all installed "
        f"except {' and '.join(e.key for e in MODELS.values() if e.published)}; in uncertainty the networks",
    )
    parser.add_argument(
        "--families",
        type=words,
        metavar="A,B,...",
        help="default: lognormal,inverse-gaussian; with --quick and in uncertainty lognormal",
    )
    _takes_conditions(parser)
    _takes_execution(parser)
    parser.set_defaults(run=_experiment)


def _takes_conditions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runs",
        type=listed(whole),
        metavar="N,N,...",
        help="runs per instance; default: 1,2,4,8,16 in low-samples, else 8",
    )
    parser.add_argument(
        "--censored",
        type=listed(number),
        metavar="P,P,...",
        help="per cent of the runs; default in censoring: 0,20,40,60,80",
    )
    parser.add_argument(
        "--cutoffs",
        choices=("global", "instance", "random"),
        default="global",
        help="one for all runs, one per instance or one per run; default: global",
    )


def _takes_execution(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folds",
        type=at_most(10_000),
        metavar="N",
        help="deal instances out to N folds at random; default: the folds of the data set if it has some, else 10",
    )
    parser.add_argument("--only-folds", type=at_most(10_000), metavar="N", help="do at most N of the folds")
    parser.add_argument(
        "--seeds",
        type=at_most(10_000),
        help="number of repetitions; default: 3, with --preset 5, with --quick and in uncertainty 1",
    )
    parser.add_argument(
        "--preset",
        choices=("paper",),
        help="the published splits; models by default: distnet-paper, bayes-paper, marginal and both limits",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="two folds, one seed, one family, three levels, without bayes-runtimes and models of other packages: "
        "a rough answer in less than two minutes",
    )
    parser.add_argument(
        "--redo", action="store_true", help="repeat jobs that the folder has, for instance after a change of code"
    )
    parser.add_argument("--cores", type=cores, help="default: all")
    parser.add_argument("--cluster", metavar="ADDRESS", help="Dask scheduler tcp://..., or local to start one here")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("--json", action="store_true", help="print one JSON object per policy, for decisions only")
    parser.add_argument("--no-report", action="store_true", help="write results only; `report` makes the report later")


def _experiment(parsed: argparse.Namespace) -> None:
    from bayes_distnet.experiments.run import run_experiments

    if not parsed.no_report:
        from bayes_distnet.report.write import check_can_report

        check_can_report()  # before hours of work, not after
    names = ALL if "all" in parsed.names else tuple(dict.fromkeys(parsed.names))
    if parsed.json and (others := [name for name in names if not EXPERIMENTS[name].decides]):
        raise SettingError(f"--json: {others[0]} has no policies; only experiments on decisions have.")
    several = {EXPERIMENTS[name].selects for name in names}
    if len(several) > 1:
        raise SettingError("experiments on one solver and on several do not go together; give one command each.")
    results = run_experiments(
        names,
        open_data(parsed.data, parsed.features, parsed.solver, several=several.pop()),
        parsed.out,
        name=name_of(parsed.data),
        models=parsed.models,
        families=parsed.families,
        runs=parsed.runs,
        censored=_fractions(parsed.censored),
        cutoffs=parsed.cutoffs,
        folds=parsed.folds,
        only_folds=parsed.only_folds,
        seeds=parsed.seeds,
        preset=parsed.preset,
        quick=parsed.quick,
        redo=parsed.redo,
        cores=parsed.cores,
        cluster=parsed.cluster,
        progress=not parsed.quiet,
    )
    for name in names:
        _print_overview(results, name, as_json=parsed.json)
    if failed := len(results.failures):
        text = f"jobs failed: {results.failures['error'].iloc[0]}"
        if results.empty:
            raise ResultsError(f"{parsed.out}: all {failed} {text}")
        print(f"warning: {failed} {text}", file=sys.stderr)
    said = sys.stderr if parsed.json else sys.stdout
    if parsed.no_report:
        print(f"results in {parsed.out}", file=said)
    else:
        _print_report(parsed.out, said)


def _fractions(per_cent: list[float] | None) -> list[float] | None:
    if per_cent is None:
        return None
    if any(not 0 <= level < 100 for level in per_cent):
        raise SettingError(f"--censored {','.join(f'{level:g}' for level in per_cent)}: expected per cent below 100.")
    if any(0 < level < 1 for level in per_cent):
        raise SettingError(
            f"--censored {','.join(f'{level:g}' for level in per_cent)}: these are per cent; give 20 for a fifth."
        )
    return [level / 100 for level in per_cent]


def _print_overview(results: Results, experiment: str, *, as_json: bool) -> None:
    """Print the main result: the likelihood under every condition, the growth of the spread, or scores of policies."""
    if EXPERIMENTS[experiment].decides:
        _print_policies(results, experiment, as_json=as_json)
        return
    axis = EXPERIMENTS[experiment].axis
    if axis is None:
        _print_spreads(results)
        return
    from bayes_distnet.experiments.statistics import slices
    from bayes_distnet.report.tables import overview

    table = results.of(experiment)
    table = table[table["score"] == "nllh"]
    if table.empty:
        return
    for what, rows in slices(table, axis).items():
        means = overview(rows, axis, "nllh").mean
        print(f"{experiment}{f', {what}' if what else ''}: negative log likelihood, less is better")
        print_table(means.loc[means.mean(axis=1).sort_values().index], float_format=_short)


def _print_policies(results: Results, experiment: str, *, as_json: bool) -> None:
    from bayes_distnet.experiments.decisions import summary_of

    table = summary_of(results, experiment)
    if as_json:
        for row in table.to_dict("records"):
            print_json(row)
    elif len(table):
        print(f"{experiment}: policies on unseen instances, ± standard errors over instances")
        print_table(_with_errors(table).iloc[:, : 2 + SHOWN_SCORES], index=False, float_format=_short)


def _with_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns of errors are written beside the values."""
    shown = table.copy()
    for name in table.columns:
        if f"{name}_error" in table:
            errors = shown.pop(f"{name}_error")
            shown[name] = [f"{_short(v)} ± {_short(e)}" for v, e in zip(table[name], errors, strict=True)]
    return shown


def _short(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 1e4 else f"{value:.2g}"


def _print_spreads(results: Results) -> None:
    from bayes_distnet.report.spreads import comparable_shifts, spreads

    if results.shifts.empty:
        return
    print("uncertainty: upper over lower quartile (median over instances) by shift of the features in deviations")
    shown = comparable_shifts(results.shifts)
    shown = shown[shown["shift"].isin(SHOWN_SHIFTS)]
    print_table(spreads(shown), float_format="{:.2f}".format)


def add_report(commands: Any) -> None:
    """Add `report`."""
    parser = command(
        commands,
        "report",
        "make tables, figures and the HTML report from results",
        "FOLDER holds results of `experiment`, finished or not. Writes tables/, figures/ and report.html into it.",
        "  bayes-distnet report out/lpg",
    )
    parser.add_argument("folder", type=written_path, metavar="FOLDER", help="results of `experiment`")
    parser.set_defaults(run=_report)


def _report(parsed: argparse.Namespace) -> None:
    _print_report(parsed.folder, sys.stdout)


def _print_report(folder: Path, where: TextIO) -> None:
    from bayes_distnet.report.write import write_report

    print(f"report in {write_report(folder)}", file=where)
