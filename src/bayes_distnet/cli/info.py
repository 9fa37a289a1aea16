"""The command that says what is in files: info."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bayes_distnet.cli.arguments import command, counts, in_words, print_json
from bayes_distnet.errors import SettingError


def add_info(commands: Any) -> None:
    """Add `info`."""
    parser = command(
        commands,
        "info",
        "say what is in a file of runs, a data set, a model or results",
        "SOURCE is a store, a Parquet or CSV table of runs, a folder (of a data set, a model, or results), or the\n"
        "name of a data set that comes with the package: clasp-factoring, lpg-zenotravel, sat-portfolio.",
        "  bayes-distnet info runs.sqlite\n"
        "  bayes-distnet info clasp-factoring\n"
        "  bayes-distnet info model\n"
        "  bayes-distnet info runs.sqlite --json | jq .runs",
    )
    parser.add_argument("source", metavar="SOURCE")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.set_defaults(run=_info)


def _info(parsed: argparse.Namespace) -> None:
    path = Path(parsed.source)
    if (path / "model.json").is_file():
        _info_model(path, as_json=parsed.json)
    elif (path / "about.json").is_file():
        _info_results(path, as_json=parsed.json)
    else:
        _info_runs(parsed.source, as_json=parsed.json)


def _info_model(path: Path, *, as_json: bool) -> None:
    from dataclasses import asdict

    from bayes_distnet.models.library import read_learnt
    from bayes_distnet.models.saving import read_header

    header, found = read_header(path), read_learnt(path)
    learnt = {} if found is None else {key: value for key, value in asdict(found).items() if key != "names"}
    about = {key: header.get(key) for key in ("model", "n_features", "parameters")}
    if as_json:
        print_json({"kind": "model", **about, "learnt": learnt or None})
        return
    print(f"{about['model']} of {about['n_features']} features")
    settings = ", ".join(f"{key}={value}" for key, value in (about["parameters"] or {}).items())
    print(f"settings: {settings or 'none'}")
    if learnt:
        print(f"learnt from {learnt['data']}: {in_words(learnt)}; {learnt['held_out']} instances held out")
    else:
        print("learnt from: not written down; models that the command `fit` wrote say so")


def _info_results(path: Path, *, as_json: bool) -> None:
    from bayes_distnet.experiments.results import KEY, Results

    results = Results.load(path)
    about, seconds = results.about, sum(session["seconds"] for session in results.about.get("sessions", ()))
    jobs = results.table.drop_duplicates(KEY)
    if as_json:
        print_json({"kind": "results", **about, "scored": len(jobs), "failed": len(results.failures)})
        return
    print(f"results on {about['data']}: {len(jobs)} fits scored, {len(results.failures)} failed, {seconds:.0f} s")
    for name, plan in about["experiments"].items():
        models = ", ".join(plan["models"])
        print(f"{name}: runs {plan['runs']}, censored {plan['censored']}, seeds {plan['seeds']}; {models}")


def _info_runs(source: str, *, as_json: bool) -> None:
    from bayes_distnet.data.dataset import Dataset
    from bayes_distnet.data.shipped.load import load_dataset
    from bayes_distnet.data.shipped.registry import DATASETS
    from bayes_distnet.data.tables import read_runs

    path, data = Path(source), None
    if not path.is_file():
        if source in DATASETS:
            data = load_dataset(source)
        elif path.is_dir():
            data = Dataset.load(path)
        else:
            raise SettingError(f"{path}: no such file, folder or data set; data sets are {', '.join(DATASETS)}.")
    runs = read_runs(path) if data is None else data.runs
    if as_json:
        size = {} if data is None else {"instances": len(data), "features": data.features.shape[1]}
        print_json({"kind": "runs" if data is None else "data", **size, **counts(runs)})
        return
    if data is not None:
        print(f"{data.features.shape[1]} features of {len(data)} instances")
    print(runs.summary().to_string())
