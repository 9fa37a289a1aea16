"""Commands about one model: fit, predict, evaluate."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import (
    DATA_HELP,
    command,
    in_words,
    listed,
    name_of,
    open_data,
    print_json,
    takes_features,
)
from bayes_distnet.errors import BayesDistNetError, FeatureError, SettingError
from bayes_distnet.models.registry import MODELS, RECOMMENDED, Role
from bayes_distnet.scoring.registry import SCORES

if TYPE_CHECKING:
    import pandas as pd

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
        "  bayes-distnet fit sat-portfolio --solver kissat --model bayes --family weibull --out model --force\n"
        "  bayes-distnet fit sat-portfolio --portfolio --out portfolio      # all solvers, for run and advise",
    )
    parser.add_argument("data", metavar="DATA", help=DATA_HELP)
    takes_features(parser)
    parser.add_argument("--portfolio", action="store_true", help="learn all solvers together, to choose between them")
    parser.add_argument(
        "--costs", type=Path, metavar="FILE", help="with --portfolio: table that features --costs wrote"
    )
    parser.add_argument(
        "--objective", metavar="NAME", help="with --portfolio: time, par10 or par2 is made small; default: par10"
    )
    parser.add_argument(
        "--overhead",
        type=float,
        metavar="SECONDS",
        default=1.0,
        help="with --portfolio: cost of loading the model, charged with the features; default: 1",
    )
    models = [entry.key for entry in MODELS.values() if entry.role is Role.MODEL]
    parser.add_argument(
        "--model",
        choices=models,
        default=RECOMMENDED,
        metavar="NAME",
        help=f"{', '.join(models)}; default: {RECOMMENDED}, the recommended one",
    )
    parser.add_argument("--family", metavar="NAME", help="of the predicted distributions; default: lognormal")
    _takes_holdout(parser, "leave out this fraction of the instances, e.g. 0.2")
    parser.add_argument("--cores", type=int, default=-1, help="threads of forests; default: all cores")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="folder to write the model to")
    parser.add_argument("--force", action="store_true", help="replace the model in that folder")
    parser.set_defaults(run=_fit)


def _takes_holdout(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--holdout", type=float, metavar="FRACTION", help=what)
    parser.add_argument("--seed", type=int, default=0, help="of the model and of the instances held out; default: 0")


def _fit(parsed: argparse.Namespace) -> None:
    from bayes_distnet.models.library import check_writable, train

    check_writable(parsed.out, overwrite=parsed.force)  # before the data are read
    if parsed.portfolio:
        return _fit_portfolio(parsed)
    for option in ("costs", "objective"):
        if getattr(parsed, option) is not None:
            raise SettingError(f"--{option} goes with --portfolio, which chooses between solvers.")
    model = train(
        open_data(parsed.data, parsed.features, parsed.solver),
        parsed.model,
        family=parsed.family,
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
    print(f"{type(model).__name__} learnt in {record.seconds:.1f} s from {learnt_from}{rest}")
    print(f"model in {parsed.out}")


def _fit_portfolio(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import read_by_instance
    from bayes_distnet.decide.portfolio.training import train_portfolio

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


def add_predict(commands: Any) -> None:
    """Add `predict`."""
    unsure = [entry.key for entry in MODELS.values() if entry.role is Role.MODEL and not entry.draws]
    parser = command(
        commands,
        "predict",
        "predict runtime distributions from features, with a saved model",
        "One row per instance: mean, median and quantiles of the runtime in seconds; low and high, the band of the\n"
        "instance's own median; unsure, the fraction of the variance of log time that is ignorance about the\n"
        "instance, not the solver's luck. These three are empty for models that cannot separate the two:\n"
        f"{', '.join(unsure)}. The last column, familiar, compares the instance with the training\n"
        "data: familiar, unusual or outside. A note on stderr reports how many are not familiar, and why.",
        "  bayes-distnet predict model features.parquet\n"
        "  bayes-distnet predict model features.csv --within 10,60 --quantiles 0.5,0.99 --out predicted.csv\n"
        "  bayes-distnet predict model features.csv --elapsed 120      # they ran 120 s already: the time left\n"
        "  bayes-distnet predict model features.csv --seen runs.sqlite   # after a few runs of the same instances\n"
        "  bayes-distnet predict model - < features.csv | head -3\n"
        "  bayes-distnet predict model features.csv --json | jq .median",
    )
    _takes_model(parser)
    parser.add_argument(
        "features", metavar="FEATURES", help="Parquet or CSV with a column instance; - for CSV on stdin"
    )
    parser.add_argument(
        "--quantiles",
        type=listed(float),
        default=[0.1, 0.25, 0.75, 0.9],
        metavar="P,P,...",
        help="columns q10, q25, ...; default: 0.1,0.25,0.75,0.9",
    )
    parser.add_argument(
        "--within",
        type=listed(float),
        default=[],
        metavar="SECONDS,...",
        help="columns within_SECONDS: probability of finishing within that time",
    )
    _takes_what_has_been_seen(parser)
    parser.add_argument("--band", type=float, default=0.9, metavar="LEVEL", help="of low and high; default: 0.9")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--out", type=Path, metavar="FILE", help=".csv, .csv.gz or .parquet; default: CSV to stdout")
    form.add_argument("--json", action="store_true", help="one line of JSON per instance, to stdout")
    parser.set_defaults(run=_predict)


def _takes_what_has_been_seen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--elapsed",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="time that the runs have been going: all columns are then about the time left",
    )
    parser.add_argument(
        "--seen",
        type=Path,
        metavar="RUNS",
        help="runs of these instances that have been made already (hybrid and bayes learn from them)",
    )


def _takes_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="folder that `fit` or a model's save wrote")


def _predict(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.open import read_features
    from bayes_distnet.data.tables import check_can_write, read_runs, write_frame
    from bayes_distnet.models.familiarity import unfamiliar_note
    from bayes_distnet.models.library import load_model
    from bayes_distnet.models.predictions import aligned, predictions

    if parsed.out is not None:
        check_can_write(parsed.out)
    model = load_model(parsed.model)
    features = _features_on_stdin() if parsed.features == "-" else read_features(Path(parsed.features))
    table = predictions(
        model,
        features,
        quantiles=parsed.quantiles,
        within=parsed.within,
        elapsed=parsed.elapsed,
        band=parsed.band,
        seen=None if parsed.seen is None else read_runs(parsed.seen),
    )
    table = table.map(_six_digits)
    if note := unfamiliar_note(model.familiarity(aligned(features, model))):
        print(f"note: {note}", file=sys.stderr)
    if parsed.out is not None:
        write_frame(table, parsed.out)
        print(f"predictions for {len(table)} instances in {parsed.out}")
    elif parsed.json:
        for row in table.reset_index().to_dict("records"):
            print_json(row)
    else:
        table.to_csv(sys.stdout)


def _six_digits(value: float | str) -> float | str:
    return value if isinstance(value, str) else float(f"{value:.6g}")


def _features_on_stdin() -> pd.DataFrame:
    import tempfile

    from bayes_distnet.data.open import read_features

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "features.csv"
        file.write_bytes(sys.stdin.buffer.read())
        try:
            return read_features(file)
        except BayesDistNetError as error:
            raise type(error)(str(error).replace(str(file), "standard input")) from error


def add_evaluate(commands: Any) -> None:
    """Add `evaluate`."""
    shown = [score for score in SCORES.values() if score.evaluated]
    parser = command(
        commands,
        "evaluate",
        "score a saved model on runs of instances it has not seen",
        "Scores are means over instances:\n"
        + "\n".join(f"  {score.key:<9} {_in_one_line(score.definition)}" for score in shown)
        + "\nInstances that the model was trained on show nothing about new ones: hold some out. With the --holdout\n"
        "and --seed that `fit` was given, exactly the instances left out are taken. Instances that are not familiar,\n"
        "compared with the training data, are also scored apart.",
        "  bayes-distnet fit clasp-factoring --holdout 0.2 --out model\n"
        "  bayes-distnet evaluate model clasp-factoring --holdout 0.2\n"
        "  bayes-distnet evaluate model new.sqlite --features new.parquet --by-instance scores.csv\n"
        "  bayes-distnet evaluate model clasp-factoring --holdout 0.2 --json | jq .scores.nllh",
    )
    _takes_model(parser)
    parser.add_argument("data", metavar="DATA", help=DATA_HELP)
    takes_features(parser)
    _takes_holdout(parser, "take only the instances that `fit` left out with this fraction and seed")
    parser.add_argument("--by-instance", type=Path, metavar="FILE", help="one row per instance: .csv or .parquet")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.set_defaults(run=_evaluate)


def _in_one_line(definition: str) -> str:
    """Return the first sentence of a definition."""
    return definition.split(". ")[0].rstrip(".")


def _evaluate(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import check_can_write, write_frame
    from bayes_distnet.models.library import load_model
    from bayes_distnet.models.predictions import aligned
    from bayes_distnet.scoring.evaluation import by_familiarity, evaluate

    if parsed.by_instance is not None:
        check_can_write(parsed.by_instance)
    model = load_model(parsed.model)
    data = open_data(parsed.data, parsed.features, parsed.solver)
    if parsed.holdout is not None:
        data = data.split(parsed.holdout, random_state=parsed.seed)[1]
    record = getattr(model, "training_record_", None)
    seen = None if record is None else record.count_seen(data.features.index)
    if seen:
        print(
            f"warning: the model was trained on {seen} of these {len(data)} instances: the scores are too good. "
            "Hold some out with --holdout, here and in fit.",
            file=sys.stderr,
        )
    scores = evaluate(model, data)
    familiar = model.familiarity(aligned(data.features, model))["verdict"]
    if parsed.by_instance is not None:
        write_frame(scores.assign(familiar=familiar).rename_axis("instance"), parsed.by_instance)
    apart = by_familiarity(scores, familiar)
    means, kind, observed = scores.mean(), type(model).__name__, data.runs.observed()
    censored, solver = int((~observed.finished).sum()), data.solvers[0]
    if parsed.json:
        about = {"solver": solver, "instances": len(data), "runs": len(observed), "cut_off": censored}
        verdicts = {"familiarity": apart.to_dict("index")}
        facts = {"model": kind, "data": name_of(parsed.data), **about, "seen": seen}
        print_json(facts | {"scores": means.to_dict()} | verdicts)
    else:
        print(f"{kind} on {in_words(len(data), len(observed), censored, solver)}, mean over instances:")
        print(means.to_frame().T.to_string(index=False, float_format="{:.4f}".format))
        if len(apart) > 1 or "familiar" not in apart.index:
            print("by familiarity:")
            print(apart.reset_index().to_string(index=False, float_format="{:.4f}".format))
