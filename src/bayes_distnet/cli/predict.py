"""The command that predicts with a saved model: predict."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import command, cores, listed, number, print_json, takes_model, words
from bayes_distnet.cli.paths import read_path, read_source, written_path
from bayes_distnet.cli.tables import print_notes
from bayes_distnet.errors import SettingError
from bayes_distnet.models.registry import MODELS, Role
from bayes_distnet.validation import check_level

if TYPE_CHECKING:
    import pandas as pd

    from bayes_distnet.models.predict_table import TablePredictor
    from bayes_distnet.models.prediction_columns import PredictionColumns


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
        "data: familiar, unusual or outside. A note on stderr reports how many are not familiar, and why.\n"
        "Tables are read, predicted and written block by block: their length does not matter.",
        "  bayes-distnet predict model features.parquet\n"
        "  bayes-distnet predict model jobs.csv --columns median,q90,within:3600,band --out predictions.parquet\n"
        "  bayes-distnet predict model running.csv --elapsed-column age      # the time left of each\n"
        "  bayes-distnet predict model new/*.cnf                             # features are computed first\n"
        "  bayes-distnet predict model features.csv --within 10,60 --quantiles 0.5,0.99 --out predicted.csv\n"
        "  bayes-distnet predict model features.csv --bounds 0.9         # a model that was fitted with --bounds\n"
        "  bayes-distnet predict model features.csv --seen runs.sqlite   # after a few runs of the same instances\n"
        "  bayes-distnet predict model - < features.csv | head -3\n"
        "  bayes-distnet predict model features.csv --json | jq .median",
    )
    takes_model(parser)
    parser.add_argument(
        "features",
        nargs="+",
        type=read_source,
        metavar="INPUT",
        help="a table (Parquet or CSV; - for CSV on stdin), or instance files and folders",
    )
    _takes_columns(parser)
    _takes_what_has_been_seen(parser)
    parser.add_argument("--cores", type=cores, help="with instance files: files at once; default: all cores")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--out", type=written_path, metavar="FILE", help=".csv, .csv.gz or .parquet; default: CSV to stdout"
    )
    form.add_argument("--json", action="store_true", help="one line of JSON per instance, to stdout")
    parser.set_defaults(run=_predict)


def _takes_columns(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--columns",
        type=words,
        metavar="NAME,...",
        help="columns wanted: mean, median, q90 (any quantile), within:60 (any seconds), band, unsure, bounds, "
        "familiar, spread, ignorance, luck, out_of_range, trust (for several of these)",
    )
    parser.add_argument(
        "--quantiles", type=listed(number), metavar="P,P,...", help="columns q10, q25, ...; default: 0.1,0.25,0.75,0.9"
    )
    parser.add_argument(
        "--within",
        type=listed(number),
        metavar="SECONDS,...",
        help="columns within_SECONDS: probability of finishing within that time",
    )
    parser.add_argument("--band", type=number, default=0.9, metavar="LEVEL", help="of low and high; default: 0.9")
    parser.add_argument(
        "--bounds",
        type=number,
        metavar="LEVEL",
        help="columns lower and upper: with this probability a run takes at least, and at most, that long "
        "(models of fit --bounds)",
    )
    parser.add_argument(
        "--cutoff-column",
        metavar="COLUMN",
        help="with --bounds: column of the cutoff of each row, if cutoffs are a function of the features",
    )


def _takes_what_has_been_seen(parser: argparse.ArgumentParser) -> None:
    waited = parser.add_mutually_exclusive_group()
    waited.add_argument(
        "--elapsed",
        type=number,
        default=0.0,
        metavar="SECONDS",
        help="time that the runs have been going: all columns are then about the time left",
    )
    waited.add_argument(
        "--elapsed-column", metavar="COLUMN", help="column of the time that each run has been going; empty means 0"
    )
    parser.add_argument(
        "--seen",
        type=read_path,
        metavar="RUNS",
        help="runs of these instances that have been made already (hybrid and bayes learn from them)",
    )


def _predict(parsed: argparse.Namespace) -> None:
    from bayes_distnet.data.tables import check_can_write, read_runs
    from bayes_distnet.data.write_batches import write_blocks
    from bayes_distnet.models.library import load_model
    from bayes_distnet.models.predict_table import TablePredictor

    if parsed.out is not None:
        check_can_write(parsed.out)
    asked = _columns(parsed) if parsed.bounds is None else _columns(parsed).with_bounds()
    if parsed.cutoff_column is not None and not asked.bounds:
        raise SettingError("--cutoff-column goes with --bounds.")
    predictor = TablePredictor(
        load_model(parsed.model),
        asked,
        parsed.elapsed,
        parsed.elapsed_column,
        parsed.band,
        None if parsed.seen is None else read_runs(parsed.seen),
        None if parsed.bounds is None else check_level(parsed.bounds, "--bounds"),
        parsed.cutoff_column,
    )
    tables = _predicted(parsed, predictor)
    if parsed.out is not None:
        rows = write_blocks(tables, parsed.out)
        print_notes(predictor.notes)
        print(f"predictions for {rows} instances in {parsed.out}")
    else:
        (_print_lines if parsed.json else _print_csv)(tables)
        print_notes(predictor.notes)


def _columns(parsed: argparse.Namespace) -> PredictionColumns:
    from bayes_distnet.models.prediction_columns import QUANTILES, PredictionColumns

    if parsed.columns is None:
        return PredictionColumns.usual(parsed.quantiles or QUANTILES, parsed.within or ())
    for option in ("quantiles", "within"):
        if getattr(parsed, option) is not None:
            raise SettingError(f"--{option} beside --columns: name all columns there, e.g. --columns q90,within:60.")
    return PredictionColumns.parse(parsed.columns)


def _predicted(parsed: argparse.Namespace, predictor: TablePredictor) -> Iterator[pd.DataFrame]:
    from bayes_distnet.data.batches import TableSource
    from bayes_distnet.models.predict_instances import are_instances, files_of, instance_blocks
    from bayes_distnet.models.predict_table import with_progress

    shown = not parsed.quiet
    if not are_instances(parsed.features):
        source = TableSource.named(parsed.features[0])
        blocks = source.blocks(text=predictor.text)
        return predictor.predict(with_progress(blocks, source.count(), shown), str(source))
    from joblib import cpu_count

    files = files_of(parsed.features)
    names = [str(name) for name in getattr(predictor.model, "feature_names_in_", ())]
    blocks = instance_blocks(files, names, parsed.cores or cpu_count())
    return predictor.predict(with_progress(blocks, len(files), shown), "features of these files")


def _print_csv(tables: Iterable[pd.DataFrame]) -> None:
    for at, table in enumerate(tables):
        table.to_csv(sys.stdout, header=not at)


def _print_lines(tables: Iterable[pd.DataFrame]) -> None:
    for table in tables:
        for row in table.reset_index().to_dict("records"):
            print_json(row)
