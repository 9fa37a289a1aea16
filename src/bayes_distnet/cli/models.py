"""Commands about one model: fit, predict, evaluate."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import (
    DATA_HELP,
    command,
    describe,
    in_words,
    listed,
    name_of,
    print_json,
    read_data,
    read_features,
    takes_features,
)
from bayes_distnet.errors import BayesDistNetError, SettingError

if TYPE_CHECKING:
    import pandas as pd

    from bayes_distnet.models.base import RuntimeEstimator

MODELS = (
    "hybrid",
    "bayes",
    "bayes-runtimes",
    "bayes-paper",
    "distnet",
    "distnet-paper",
    "forest",
    "ridge",
    "knn",
    "marginal",
)
FAMILY = "lognormal"


def add_fit(commands: Any) -> None:
    """Add `fit`."""
    parser = command(
        commands,
        "fit",
        "learn a model from runs and features",
        "Runs that were cut off are learnt as cut off. With --holdout, that share of the instances is left out, the\n"
        "same ones for the same seed: `evaluate` with the same two options scores the model on exactly those.",
        "  bayes-distnet fit clasp-factoring --out model\n"
        "  bayes-distnet fit clasp-factoring --holdout 0.2 --out model\n"
        "  bayes-distnet fit runs.sqlite --features features.parquet --solver clasp --out model\n"
        "  bayes-distnet fit sat-portfolio --solver kissat --model bayes --family weibull --out model --force",
    )
    parser.add_argument("data", metavar="DATA", help=DATA_HELP)
    takes_features(parser)
    parser.add_argument("--model", choices=MODELS, default=MODELS[0], help=f"default: {MODELS[0]}, the best known")
    parser.add_argument("--family", metavar="NAME", help=f"of the predicted distributions; default: {FAMILY}")
    _takes_holdout(parser, "leave out this share of the instances, e.g. 0.2")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write the model")
    parser.add_argument("--force", action="store_true", help="replace the model that is there")
    parser.set_defaults(run=_fit)


def _takes_holdout(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--holdout", type=float, metavar="SHARE", help=what)
    parser.add_argument("--seed", type=int, default=0, help="of the model and of what is held out; default: 0")


def _fit(parsed: argparse.Namespace) -> None:
    from bayes_distnet import __version__
    from bayes_distnet.models.library import Learnt, check_free, learn, save_model

    check_free(parsed.out, force=parsed.force)
    model = _unfitted(parsed.model, parsed.family, parsed.seed)
    data = read_data(parsed.data, parsed.features, parsed.solver)
    train = data if parsed.holdout is None else data.split(_share(parsed.holdout), random_state=parsed.seed)[0]
    started = time.perf_counter()
    learn(model, train)
    seconds = time.perf_counter() - started
    about, held_out = describe(train), len(data) - len(train)
    learnt = Learnt(
        data=name_of(parsed.data),
        **about,
        held_out=held_out,
        seconds=round(seconds, 2),
        version=__version__,
        names=tuple(map(str, train.features.index)),
    )
    save_model(model, parsed.out, learnt, force=parsed.force)
    rest = f"; {held_out} instances held out" if held_out else ""
    print(f"{type(model).__name__} learnt in {seconds:.1f} s from {in_words(about)}{rest}")
    print(f"model in {parsed.out}")


def _unfitted(key: str, family: str | None, seed: int) -> RuntimeEstimator:
    from bayes_distnet.distributions.families import get_family
    from bayes_distnet.models.registry import MODELS as ENTRIES

    peer = ENTRIES[key]
    if family is not None:
        get_family(family)
        if not peer.families:
            raise SettingError(f"--family {family}: {peer.label} has a form of its own; leave --family out.")
    model = peer.build(family or FAMILY, seed)
    if "verbose" in model.get_params():
        model.set_params(verbose=None)  # a bar if this is a terminal; in experiments there is none
    return model


def _share(holdout: float) -> float:
    if not 0 < holdout < 1:
        raise SettingError(f"--holdout {holdout:g}: expected a share between 0 and 1, such as 0.2.")
    return holdout


def add_predict(commands: Any) -> None:
    """Add `predict`."""
    parser = command(
        commands,
        "predict",
        "predict runtime distributions from features, with a saved model",
        "One row an instance: mean, median and quantiles of the runtime in seconds; low and high, between which the\n"
        "median lies as far as the model knows; epistemic, the share of the variance that is the model's not knowing.\n"
        "The last three are empty for models that do not say how sure they are: distnet, distnet-paper, forest,\n"
        "ridge, knn and marginal.",
        "  bayes-distnet predict model features.parquet\n"
        "  bayes-distnet predict model features.csv --within 10,60 --quantiles 0.5,0.99 --out predicted.csv\n"
        "  bayes-distnet predict model features.csv --alive 120        # they ran 120 s already: what is left?\n"
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
        help="columns within_SECONDS: chance of finishing within so many seconds",
    )
    parser.add_argument(
        "--alive",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="given that it ran so long: all columns tell what is left",
    )
    parser.add_argument("--band", type=float, default=0.9, metavar="LEVEL", help="of low and high; default: 0.9")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--out", type=Path, metavar="FILE", help=".csv, .csv.gz or .parquet; default: CSV to stdout")
    form.add_argument("--json", action="store_true", help="a line of JSON an instance, to stdout")
    parser.set_defaults(run=_predict)


def _takes_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="folder that `fit` or a model's save wrote")


def _predict(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import check_can_write, write_frame
    from bayes_distnet.models.library import load_model
    from bayes_distnet.models.predictions import predictions

    if parsed.out is not None:
        check_can_write(parsed.out)
    model = load_model(parsed.model)
    features = _features_on_stdin() if parsed.features == "-" else read_features(Path(parsed.features))
    table = predictions(
        model,
        features,
        quantiles=parsed.quantiles,
        within=parsed.within,
        alive=parsed.alive,
        band=parsed.band,
    )
    table = table.map(_six_digits)
    if parsed.out is not None:
        write_frame(table, parsed.out)
        print(f"predictions for {len(table)} instances in {parsed.out}")
    elif parsed.json:
        for row in table.reset_index().to_dict("records"):
            print_json(row)
    else:
        table.to_csv(sys.stdout)


def _six_digits(value: float) -> float:
    return float(f"{value:.6g}")


def _features_on_stdin() -> pd.DataFrame:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "features.csv"
        file.write_bytes(sys.stdin.buffer.read())
        try:
            return read_features(file)
        except BayesDistNetError as error:
            raise type(error)(str(error).replace(str(file), "standard input")) from error


def add_evaluate(commands: Any) -> None:
    """Add `evaluate`."""
    parser = command(
        commands,
        "evaluate",
        "score a saved model on runs of instances it has not seen",
        "Scores are means over instances: nllh, kld, ks and crps (less is better), coverage (the share of runs inside\n"
        "the central 90 % interval: 0.9 is right), and mass (the probability outside 0 to 1.5 times the longest run:\n"
        "a right prediction has some there, so neither less nor more is better by itself). Instances the model has\n"
        "learnt from tell nothing about new ones: hold some out. Give --holdout and --seed as to `fit`, and exactly\n"
        "the instances left out are taken.",
        "  bayes-distnet fit clasp-factoring --holdout 0.2 --out model\n"
        "  bayes-distnet evaluate model clasp-factoring --holdout 0.2\n"
        "  bayes-distnet evaluate model new.sqlite --features new.parquet --by-instance scores.csv\n"
        "  bayes-distnet evaluate model clasp-factoring --holdout 0.2 --json | jq .scores.nllh",
    )
    _takes_model(parser)
    parser.add_argument("data", metavar="DATA", help=DATA_HELP)
    takes_features(parser)
    _takes_holdout(parser, "take only the instances that `fit` left out with this share and seed")
    parser.add_argument("--by-instance", type=Path, metavar="FILE", help="one row an instance: .csv or .parquet")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.set_defaults(run=_evaluate)


def _evaluate(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import check_can_write, write_frame
    from bayes_distnet.models.library import load_model, read_learnt
    from bayes_distnet.scoring.evaluation import evaluate

    if parsed.by_instance is not None:
        check_can_write(parsed.by_instance)
    model = load_model(parsed.model)
    data = read_data(parsed.data, parsed.features, parsed.solver)
    if parsed.holdout is not None:
        data = data.split(_share(parsed.holdout), random_state=parsed.seed)[1]
    learnt = read_learnt(parsed.model)
    seen = None if learnt is None else learnt.seen(data.features.index)
    if seen:
        print(
            f"warning: the model has learnt from {seen} of these {len(data)} instances: the scores flatter it. "
            "Hold some out with --holdout, here and in fit.",
            file=sys.stderr,
        )
    scores = evaluate(model, data)
    if parsed.by_instance is not None:
        write_frame(scores.rename_axis("instance"), parsed.by_instance)
    means, about = scores.mean(), describe(data)
    if parsed.json:
        kind = type(model).__name__
        print_json({"model": kind, "data": name_of(parsed.data), **about, "seen": seen, "scores": means.to_dict()})
    else:
        print(f"{type(model).__name__} on {in_words(about)}, mean over instances:")
        print(means.to_frame().T.to_string(index=False, float_format="{:.4f}".format))
