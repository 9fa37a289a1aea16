"""The command that scores a saved model: evaluate."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from bayes_distnet.cli.arguments import (
    DATA_HELP,
    command,
    in_words,
    name_of,
    print_json,
    print_table,
    takes_features,
    takes_holdout,
    takes_model,
)
from bayes_distnet.cli.paths import read_source, written_path
from bayes_distnet.cli.tables import open_any, takes_table
from bayes_distnet.scoring.registry import SCORES

if TYPE_CHECKING:
    from bayes_distnet.data.dataset import Dataset
    from bayes_distnet.models.base import RuntimeEstimator


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
        "compared with the training data, are also scored apart. Two simple models that `fit` stored with the model,\n"
        "fitted to the same rows, are scored beside it: Marginal, which ignores features, and RandomForest. One\n"
        "sentence compares them. With one run per instance only scores that mean something there are printed. Where\n"
        "times show the tick of a timer, nllh and joint_nllh are of intervals, and a line reports the tick.",
        "  bayes-distnet fit clasp-factoring --holdout 0.2 --out model\n"
        "  bayes-distnet evaluate model clasp-factoring --holdout 0.2\n"
        "  bayes-distnet evaluate model new.sqlite --features new.parquet --by-instance scores.csv\n"
        "  bayes-distnet evaluate model clasp-factoring --holdout 0.2 --json | jq .scores.nllh",
    )
    takes_model(parser)
    parser.add_argument("data", type=read_source, metavar="DATA", help=DATA_HELP)
    takes_features(parser)
    takes_table(parser)
    takes_holdout(parser, "take only the instances that `fit` left out with this fraction and seed")
    parser.add_argument(
        "--by-instance", type=written_path, metavar="FILE", help="one row per instance: .csv or .parquet"
    )
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.set_defaults(run=_evaluate)


def _in_one_line(definition: str) -> str:
    """Return the first sentence of a definition."""
    return definition.split(". ")[0].rstrip(".")


def _evaluate(parsed: argparse.Namespace) -> None:
    import pandas as pd

    from bayes_distnet.data.tables import check_can_write, write_frame
    from bayes_distnet.data.ticks import find_tick, tick_note
    from bayes_distnet.models.library import load_model
    from bayes_distnet.models.predictions import aligned
    from bayes_distnet.models.table_model import kind_of
    from bayes_distnet.models.yardsticks import load_yardsticks
    from bayes_distnet.scoring.evaluation import by_familiarity, evaluate
    from bayes_distnet.scoring.verdict import verdict

    if parsed.by_instance is not None:
        check_can_write(parsed.by_instance)
    model = load_model(parsed.model)
    data, seen = open_unseen(parsed, model, "the scores are too good")
    kind, yardsticks = kind_of(model), load_yardsticks(parsed.model, model)
    tick = find_tick(data.seconds, data.finished)
    scores = evaluate(model, data, tick=tick)
    others = {name: evaluate(one, data, tick=tick) for name, one in yardsticks.items()}
    familiar = model.familiarity(aligned(data.features, model))["verdict"]
    if parsed.by_instance is not None:
        write_frame(scores.assign(familiar=familiar).rename_axis("instance"), parsed.by_instance)
    apart, judged = by_familiarity(scores, familiar), verdict(kind, scores, others, data.groups)
    means = pd.DataFrame({kind: scores.mean(), **{name: theirs.mean() for name, theirs in others.items()}}).T
    observed = data.runs.observed()
    censored, solver = int((~observed.finished).sum()), data.solvers[0]
    if parsed.json:
        about = {"solver": solver, "instances": len(data), "runs": len(observed), "cut_off": censored}
        compared = {"yardsticks": means.iloc[1:].to_dict("index"), "verdict": judged}
        facts = {"model": kind, "data": name_of(parsed.data), **about, "seen": seen}
        facts |= {"tick": tick}
        print_json(facts | {"scores": means.loc[kind].to_dict()} | compared | {"familiarity": apart.to_dict("index")})
        return
    print(f"{kind} on {in_words(len(data), len(observed), censored, solver)}, mean over instances:")
    print_table(means, float_format="{:.4f}".format)
    if tick is not None:
        print(tick_note(tick))
    if len(apart) > 1 or "familiar" not in apart.index:
        print(f"{kind} by familiarity:")
        print_table(apart.reset_index(), index=False, float_format="{:.4f}".format)
    print(judged)


def open_unseen(parsed: argparse.Namespace, model: RuntimeEstimator, result: str) -> tuple[Dataset, int | None]:
    """Open data that a model is judged by, and warn of instances that it was trained on.

    Parameters
    ----------
    parsed : Namespace
        Arguments of the command.
    model : RuntimeEstimator
        The model.
    result : str
        The consequence, as a sentence without its full stop.

    Returns
    -------
    data : Dataset
        The data, or the part of it that `fit` left out.
    seen : int or None
        Instances that the model was trained on; None if there is no record of them.
    """
    from bayes_distnet.models.table_model import table_of

    data = open_any(parsed, *table_of(model))
    if parsed.holdout is not None:
        data = data.split(parsed.holdout, random_state=parsed.seed)[1]
    record = getattr(model, "training_record_", None)
    seen = None if record is None else record.count_seen(data.features.index)
    if seen:
        print(
            f"warning: the model was trained on {seen} of these {len(data)} instances: {result}. "
            "Hold some out with --holdout, here and in fit.",
            file=sys.stderr,
        )
    return data, seen
