"""The command that lists the contents of files and folders: info."""

from __future__ import annotations

import argparse
from typing import Any

from bayes_distnet.cli.arguments import command, in_words, print_json, print_table
from bayes_distnet.cli.paths import read_source
from bayes_distnet.data.shipped.registry import DATASETS


def add_info(commands: Any) -> None:
    """Add `info`."""
    parser = command(
        commands,
        "info",
        "list the contents of a file of runs, a data set, a model or results",
        "SOURCE is a store, a Parquet or CSV table of runs, a folder (of a data set, a model, or results), or the\n"
        f"name of a data set that comes with the package: {', '.join(DATASETS)}.",
        "  bayes-distnet info runs.sqlite\n"
        "  bayes-distnet info clasp-factoring\n"
        "  bayes-distnet info model\n"
        "  bayes-distnet info runs.sqlite --json | jq .runs",
    )
    parser.add_argument("source", type=read_source, metavar="SOURCE", help="file, folder or name")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.set_defaults(run=_info)


def _info(parsed: argparse.Namespace) -> None:
    from bayes_distnet.report.contents import contents

    found = contents(parsed.source)
    if parsed.json:
        print_json({"kind": found.kind, **found.facts})
    elif found.kind == "model":
        _print_model(found.facts)
    elif found.kind == "results":
        _print_results(found.facts)
    else:
        if found.kind == "data":
            _print_data(found.facts)
        assert found.runs is not None
        print_table(found.runs.summary())


def _print_data(facts: dict[str, Any]) -> None:
    groups, folds = facts["feature_groups"], facts["folds"]
    known = f" in {len(groups)} groups ({', '.join(groups)})" if len(groups) > 1 else ""
    print(f"{facts['features']} features{known} of {facts['instances']} instances")
    if folds:
        print(f"published folds: {folds[0]}{f', repeated {len(folds)} times' if len(folds) > 1 else ''}")


def _print_model(facts: dict[str, Any]) -> None:
    print(f"{facts['model']} of {facts['n_features']} features")
    settings = ", ".join(f"{key}={value}" for key, value in (facts["parameters"] or {}).items())
    print(f"settings: {settings or 'none'}")
    if portfolio := facts.get("portfolio"):
        _print_portfolio(portfolio)
    record = facts["training"]
    if record:
        data = in_words(record["instances"], record["runs"], record["censored"], record["solver"])
        print(f"learnt from {record['data']}: {data}; {record['held_out']} instances held out")
        if record["calibration"]:
            print(f"bounds: calibrated with {record['calibration']} other instances")
    else:
        print("training data: not recorded; models that the command `fit` wrote have a record")


def _print_portfolio(about: dict[str, Any]) -> None:
    from bayes_distnet.decide.schedules.slot import Slot

    presolver = ", then ".join(str(Slot.from_dict(entry)) for entry in about["presolver"])
    pay = "pay" if about["uses_features"] else "do not pay"
    print(f"solvers: {', '.join(about['solvers'])}; the best on the training data: {about['single_best']}")
    print(f"presolver: {presolver or 'none'}; features {pay} (cost {about['feature_cost']:.2g} s)")


def _print_results(facts: dict[str, Any]) -> None:
    seconds = sum(session["seconds"] for session in facts.get("sessions", ()))
    print(f"results on {facts['data']}: {facts['scored']} fits scored, {facts['failed']} failed, {seconds:.0f} s")
    for name, plan in facts["experiments"].items():
        models = ", ".join(plan["models"])
        print(f"{name}: runs {plan['runs']}, censored {plan['censored']}, seeds {plan['seeds']}; {models}")
