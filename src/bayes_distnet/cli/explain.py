"""The commands that explain a saved model: explain and importance."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import (
    DATA_HELP,
    command,
    cores,
    in_words,
    name_of,
    print_json,
    print_table,
    takes_features,
    takes_holdout,
    takes_model,
    whole,
    words,
)
from bayes_distnet.cli.evaluate import open_unseen
from bayes_distnet.cli.paths import read_path, read_source, written_path
from bayes_distnet.cli.tables import takes_table
from bayes_distnet.errors import SettingError

if TYPE_CHECKING:
    import pandas as pd

    from bayes_distnet.models.explanation.explanation import Explanation

MOST = 10  # instances that are explained if none is named
WAYS = ("correlated", "each", "computed")


def add_explain(commands: Any) -> None:
    """Add `explain`."""
    parser = command(
        commands,
        "explain",
        "show which features moved a prediction, and how far it can be trusted",
        "A prediction is compared with those for a background: training instances that the model keeps. Features of\n"
        "the instance replace those of the background one after the other, in many orders; the mean change is the\n"
        "contribution of a feature (its Shapley value). Contributions are factors: all of them multiplied lead from\n"
        "the background to the prediction. They are given for the median, for ignorance (ratio of the ends of the\n"
        "90 % band of the instance's median) and for luck (the same for runs of one instance). ± is the standard\n"
        f"error. Without --instance, the first {MOST} rows are explained.",
        "  bayes-distnet explain model features.csv --instance a.cnf --plot why.png\n"
        "  bayes-distnet explain model features.csv --groups each --quantities median --top 5\n"
        "  bayes-distnet explain model hard.cnf --background features.csv      # against other instances\n"
        "  bayes-distnet explain model features.csv --out contributions.csv\n"
        "  bayes-distnet explain model features.csv --instance a.cnf --json | jq .trust",
    )
    takes_model(parser)
    parser.add_argument(
        "features",
        nargs="+",
        type=read_source,
        metavar="INPUT",
        help="a table (Parquet or CSV; - for CSV on stdin), or instance files and folders",
    )
    parser.add_argument(
        "--instance", action="append", metavar="NAME", help="row to explain; can be given several times"
    )
    parser.add_argument(
        "--background",
        type=read_path,
        metavar="TABLE",
        help="instances to compare with; default: training instances",
    )
    _takes_groups(parser)
    parser.add_argument(
        "--quantities",
        type=words,
        metavar="NAME,...",
        help="some of median, ignorance, luck, spread; default: median,ignorance,luck, or median,spread",
    )
    parser.add_argument("--orders", type=whole, default=64, help="orders of features per instance; default: 64")
    parser.add_argument("--top", type=whole, default=10, help="groups of features shown; default: 10")
    parser.add_argument("--seed", type=whole, default=0, help="of the orders; default: 0")
    parser.add_argument("--cores", type=cores, default=1, help="with instance files: files at once; default: 1")
    parser.add_argument("--plot", type=written_path, metavar="FILE", help=".png, .svg or .pdf; of one instance")
    _takes_form(parser, "one row per contribution", "one line of JSON per instance")
    parser.set_defaults(run=_explain)


def add_importance(commands: Any) -> None:
    """Add `importance`."""
    parser = command(
        commands,
        "importance",
        "measure which features a saved model relies on",
        "The values of a group of features are dealt to the wrong instances, and the runs are scored again: increase\n"
        "is that of the negative log likelihood per run, ± its standard error over instances. Take instances that\n"
        "the model has not seen: with the --holdout and --seed that `fit` was given, those that it left out.",
        "  bayes-distnet fit clasp-factoring --holdout 0.2 --out model\n"
        "  bayes-distnet importance model clasp-factoring --holdout 0.2\n"
        "  bayes-distnet importance model clasp-factoring --holdout 0.2 --groups computed --plot importance.svg\n"
        "  bayes-distnet importance model new.sqlite --features new.parquet --json | jq .nllh",
    )
    takes_model(parser)
    parser.add_argument("data", type=read_source, metavar="DATA", help=DATA_HELP)
    takes_features(parser)
    takes_table(parser)
    takes_holdout(parser, "score the instances that `fit` left out with this fraction and seed")
    _takes_groups(parser)
    parser.add_argument("--repeats", type=whole, default=5, help="permutations per group; default: 5")
    parser.add_argument("--top", type=whole, default=15, help="groups of features shown; default: 15")
    parser.add_argument("--plot", type=written_path, metavar="FILE", help=".png, .svg or .pdf")
    _takes_form(parser, "all groups", "one line of JSON")
    parser.set_defaults(run=_importance)


def _takes_groups(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--groups",
        choices=WAYS,
        default=WAYS[0],
        help="features that count together: those that correlate (default), none, or those that are computed together",
    )


def _takes_form(parser: argparse.ArgumentParser, rows: str, lines: str) -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--out", type=written_path, metavar="FILE", help=f".csv, .csv.gz or .parquet: {rows}")
    form.add_argument("--json", action="store_true", help=lines)


def _explain(parsed: argparse.Namespace) -> None:
    from bayes_distnet.drawing import save_figure
    from bayes_distnet.models.explained_input import read_features_for
    from bayes_distnet.models.library import load_model

    _check_outputs(parsed)
    model = load_model(parsed.model)
    features, more = read_features_for(model, parsed.features, parsed.instance, most=_most(parsed), cores=parsed.cores)
    if parsed.plot is not None and (more or len(features) > 1):
        raise SettingError("--plot draws one instance; choose it with --instance.")
    known = None if parsed.background is None else read_features_for(model, [parsed.background])[0]
    found = model.explain(
        features,
        known,
        groups=parsed.groups,
        quantities=parsed.quantities,
        n_orders=parsed.orders,
        random_state=parsed.seed,
    )
    if more:
        print(f"note: the first {len(features)} instances; choose others with --instance", file=sys.stderr)
    if parsed.plot is not None:
        save_figure(found.figure(0, top=parsed.top), parsed.plot)
    if parsed.out is not None:
        from bayes_distnet.data.tables import write_frame

        write_frame(found.frame().set_index("instance"), parsed.out)
        print(f"contributions of {len(found.groups)} groups of features to {len(found)} predictions in {parsed.out}")
        return
    trust = model.trust(features)
    if parsed.json:
        for row in range(len(found)):
            print_json(_as_json(found, trust, row))
        return
    print("\n\n".join(_as_text(found, trust["words"].iloc[row], row, parsed.top) for row in range(len(found))))


def _most(parsed: argparse.Namespace) -> int | None:
    return None if parsed.instance or parsed.out is not None else MOST


def _as_text(found: Explanation, trust: str, row: int, top: int) -> str:
    shown = "\n".join(line.rstrip() for line in found.as_text(row, top=top).to_string().splitlines())
    return f"{found.features.index[row]}: {found.sentence(row)}\n{trust}\n{shown}"


def _as_json(found: Explanation, trust: pd.DataFrame, row: int) -> dict[str, Any]:
    import numpy as np

    names = found.quantities
    table = found.table(row, top=None)
    return {
        "instance": str(found.features.index[row]),
        "predicted": dict(zip(names, np.exp(found.predicted[row]).tolist(), strict=True)),
        "background": dict(zip(names, np.exp(found.base).tolist(), strict=True)),
        "trust": {**trust.iloc[row].to_dict(), "out_of_range": list(trust["out_of_range"].iloc[row])},
        "contributions": [
            {"features": list(found.groups[str(name)]), **values}
            for name, values in zip(table.index, table.to_dict("records"), strict=True)
        ],
    }


def _importance(parsed: argparse.Namespace) -> None:
    from bayes_distnet.drawing import save_figure
    from bayes_distnet.models.library import load_model
    from bayes_distnet.models.table_model import kind_of
    from bayes_distnet.scoring.feature_importance import importance

    _check_outputs(parsed)
    model = load_model(parsed.model)
    data, seen = open_unseen(parsed, model, "what it relies on may not hold for new ones")
    known = data.feature_groups if parsed.groups == WAYS[-1] else None  # those of published data
    found = importance(model, data, groups=known or parsed.groups, repeats=parsed.repeats, random_state=parsed.seed)
    if parsed.plot is not None:
        figure = found.plot(top=parsed.top).get_figure(root=True)
        assert figure is not None
        save_figure(figure, parsed.plot)
    if parsed.out is not None:
        from bayes_distnet.data.tables import write_frame

        write_frame(found.table, parsed.out)
        print(f"importance of {len(found.table)} groups of features in {parsed.out}")
        return
    if parsed.json:
        rows = found.table.reset_index().to_dict("records")
        groups = [row | {"features": list(found.groups[row["features"]])} for row in rows]
        facts = {"model": kind_of(model), "data": name_of(parsed.data), "instances": found.n_instances, "seen": seen}
        print_json(facts | {"nllh": found.nllh, "groups": groups})
        return
    observed = data.runs.observed()
    about = in_words(len(data), len(observed), int((~observed.finished).sum()), data.solvers[0])
    print(f"{kind_of(model)} on {about}: nllh {found.nllh:.4f}, and with features permuted:")
    shown = found.table[: parsed.top]
    table = shown.assign(
        increase=[f"{v:+.4f} ± {e:.4f}" for v, e in zip(shown["increase"], shown["error"], strict=True)]
    )
    print_table(table[["increase", "count"]].rename_axis(None))
    if len(found.table) > parsed.top:
        print(f"{len(found.table) - parsed.top} others: at most {found.table['increase'].iloc[parsed.top]:+.4f}")


def _check_outputs(parsed: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written, before any work."""
    from bayes_distnet.data.tables import check_can_write
    from bayes_distnet.drawing import check_picture
    from bayes_distnet.validation import check_at_least

    check_at_least("--top", parsed.top, 1)
    if parsed.out is not None:
        check_can_write(parsed.out)
    if parsed.plot is not None:
        check_picture(parsed.plot)
