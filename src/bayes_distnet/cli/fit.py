"""The command that learns a model: fit."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import (
    DATA_HELP,
    command,
    cores,
    in_words,
    name_of,
    number,
    open_data,
    takes_features,
    takes_holdout,
)
from bayes_distnet.cli.paths import read_path, read_source, written_path
from bayes_distnet.cli.tables import open_any, print_notes, takes_table
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.registry import MODELS, RECOMMENDED, Role

if TYPE_CHECKING:
    from bayes_distnet.decide.portfolio.model import PortfolioModel


def add_fit(commands: Any) -> None:
    """Add `fit`."""
    parser = command(
        commands,
        "fit",
        "learn a model from runs and features",
        "Runs that were cut off are learnt as censored. With --holdout, that fraction of the instances is left out,\n"
        "the same ones for the same seed: `evaluate` with the same two options scores the model on exactly those.",
        "  bayes-distnet fit clasp-factoring --out model\n"
        "  bayes-distnet fit clasp-factoring --holdout 0.2 --out model\n"
        "  bayes-distnet fit runs.sqlite --features features.parquet --solver clasp --out model\n"
        "  bayes-distnet fit jobs.csv --time elapsed --status state --finished-values COMPLETED,OK --out model\n"
        "  bayes-distnet fit sat-portfolio --solver kissat --model bayes --family weibull --out model --force\n"
        "  bayes-distnet fit clasp-factoring --bounds 0.2 --out model       # for predict --bounds 0.9\n"
        "  bayes-distnet fit sat-portfolio --portfolio --out portfolio      # all solvers, for run and advise",
    )
    parser.add_argument("data", type=read_source, metavar="DATA", help=DATA_HELP)
    takes_features(parser)
    takes_table(parser)
    _takes_portfolio(parser)
    models = [entry.key for entry in MODELS.values() if entry.role is Role.MODEL]
    parser.add_argument(
        "--model",
        choices=models,
        default=RECOMMENDED,
        metavar="NAME",
        help=f"{', '.join(models)}; default: {RECOMMENDED}, the recommended one",
    )
    parser.add_argument("--family", metavar="NAME", help="of the predicted distributions; default: lognormal")
    takes_holdout(parser, "leave out this fraction of the instances, e.g. 0.2")
    _takes_bounds(parser)
    parser.add_argument("--cores", type=cores, default=-1, help="threads of forests; default: all cores")
    parser.add_argument(
        "--out", type=written_path, required=True, metavar="FOLDER", help="folder to write the model to"
    )
    parser.add_argument("--force", action="store_true", help="replace the model in that folder")
    parser.set_defaults(run=_fit)


def _takes_portfolio(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--portfolio", action="store_true", help="learn all solvers together, to choose between them")
    parser.add_argument(
        "--costs", type=read_path, metavar="FILE", help="with --portfolio: table that features --costs wrote"
    )
    parser.add_argument(
        "--objective", metavar="NAME", help="with --portfolio: time, par10 or par2 is made small; default: par10"
    )
    parser.add_argument(
        "--overhead",
        type=number,
        metavar="SECONDS",
        default=1.0,
        help="with --portfolio: cost of loading the model, charged with the features; default: 1",
    )


def _takes_bounds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bounds",
        type=number,
        metavar="FRACTION",
        help="keep this fraction of the instances from the model to calibrate bounds, e.g. 0.2, for predict --bounds",
    )
    parser.add_argument(
        "--cutoffs",
        choices=("global", "features", "random"),
        help="with --bounds: how cutoffs were chosen: one for all runs (default), a known function of the features, or "
        "drawn without a look at instance or runtime; no bound holds if they depended on runtimes",
    )


def _fit(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.ticks import tick_note
    from bayes_distnet.models.library import check_writable, train
    from bayes_distnet.models.table_model import encoder_notes, kind_of

    check_writable(parsed.out, overwrite=parsed.force)  # before the data are read
    if parsed.portfolio:
        return _fit_portfolio(parsed)
    for option in ("costs", "objective"):
        if getattr(parsed, option) is not None:
            raise SettingError(f"--{option} goes with --portfolio, which chooses between solvers.")
    if parsed.cutoffs is not None and parsed.bounds is None:
        raise SettingError("--cutoffs goes with --bounds, which keeps instances to calibrate bounds.")
    model = train(
        open_any(parsed),
        parsed.model,
        family=parsed.family,
        holdout=parsed.holdout,
        random_state=parsed.seed,
        n_jobs=parsed.cores,
        out=parsed.out,
        overwrite=parsed.force,
        name=name_of(parsed.data),
        yardsticks=True,
        bounds=parsed.bounds,
        cutoffs=parsed.cutoffs or "global",
    )
    record = model.training_record_
    rest = f"; {record.held_out} instances held out" if record.held_out else ""
    rest = f"; {record.calibration} instances calibrate bounds{rest}" if record.calibration else rest
    learnt_from = in_words(record.instances, record.runs, record.censored, record.solver)
    print_notes(encoder_notes(model))
    print(f"{kind_of(model)} learnt in {record.seconds:.1f} s from {learnt_from}{rest}")
    if (tick := model.training_runs_.tick) is not None:
        print(tick_note(tick))
    print(f"model in {parsed.out}")


def _fit_portfolio(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import read_by_instance
    from bayes_distnet.decide.portfolio.training import train_portfolio

    if parsed.time is not None:
        raise SettingError("--time: a portfolio needs runs of several solvers and --features, not one table.")
    if parsed.bounds is not None or parsed.cutoffs is not None:
        raise SettingError("--bounds: a portfolio has no bounds; fit a model of one solver.")
    if parsed.family is not None:
        raise SettingError(f"--family {parsed.family}: a portfolio has the models' own families; leave it out.")
    costs = None if parsed.costs is None else read_by_instance(parsed.costs, FeatureError)
    if costs is not None and "seconds" not in costs:
        raise SettingError(f"{parsed.costs}: expected columns instance and seconds, found {list(costs.columns)}.")
    model = train_portfolio(
        open_data(parsed.data, parsed.features, parsed.solver, several=True),
        parsed.model,
        objective=parsed.objective or "par10",
        costs=costs,
        overhead=parsed.overhead,
        holdout=parsed.holdout,
        random_state=parsed.seed,
        n_jobs=parsed.cores,
        out=parsed.out,
        overwrite=parsed.force,
        name=name_of(parsed.data),
    )
    record = model.training_record_
    rest = f"; {record.held_out} instances held out" if record.held_out else ""
    learnt_from = in_words(record.instances, record.runs, record.censored, record.solver)
    print(f"PortfolioModel learnt in {record.seconds:.1f} s from {learnt_from}{rest}")
    for solver, reason in model.left_out_.items():
        print(f"left out: {solver}: {reason}")
    presolver = ", then ".join(map(str, model.presolver_))
    print(f"best single solver: {model.sbs_}; presolver: {presolver or 'none'}; {_use_of_features(model)}")
    print(f"model in {parsed.out}")


def _use_of_features(model: PortfolioModel) -> str:
    groups = "" if model.groups_ is None else f" ({', '.join(model.groups_)})"
    how = "features do not pay" if not model.uses_features_ else f"features{groups} pay"
    by = "" if not model.uses_features_ else ", quick choice by trees" if model.quick_ else ", choice by the model"
    return f"{how}{by}; a decision by features takes {model.feature_cost_:.2g} s"
