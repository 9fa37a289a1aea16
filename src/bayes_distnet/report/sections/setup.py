"""Sections on the setup: data, models, plans, machine, and the definitions of scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bayes_distnet.data.ticks import find_tick, tick_note
from bayes_distnet.errors import BayesDistNetError
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import CUTOFFS, family_label, level_name, model_order
from bayes_distnet.report.book import Book
from bayes_distnet.report.findings import completeness
from bayes_distnet.report.page import Facts, Paragraph, Section
from bayes_distnet.report.words import count, duration, joined
from bayes_distnet.scoring.registry import SCORES

#: Definitions of words other than scores.
DEFINITIONS = {
    "Calibration": "Mean distance of the curves under Calibration from the diagonal. Less is better; 0 is correct.",
    "±": "Standard deviation over folds and seeds, not a standard error.",
    "Limits": "Bounds on the scores that are possible: the best lognormal distribution fitted to the runs of each test "
    "instance, and the empirical distribution of these runs. They have seen the test runs, so no model can be expected "
    "to reach them.",
}


def setup(book: Book) -> Iterator[Section]:
    """List data, models, plans and machine, and the jobs that are missing."""
    results = book.results
    pairs = [("Data", str(results.about["data"])), *data_facts(results), *_model_facts(results)]
    pairs += [*_plan_facts(results), *_machine_facts(results.about)]
    yield Section("run", "Setup", "Setup", [Facts(pairs), *(Paragraph(note, "note") for note in _missing(results))])


def definitions(book: Book) -> Iterator[Section]:
    """Define the scores of the tidy table, and other words."""
    found = set(book.results.table["score"])
    scores = {score.label: score.definition for key, score in SCORES.items() if key in found}
    others = {word: text for word, text in DEFINITIONS.items() if word not in scores}
    yield Section("definitions", "Definitions", "Definitions", [Facts(list((scores | others).items()))])


def data_facts(results: Results) -> list[tuple[str, str]]:
    """Describe the data set.

    Parameters
    ----------
    results : Results
        Results of experiments.

    Returns
    -------
    list of (str, str)
        Names and texts; none if the results folder was copied without its data.
    """
    try:
        data = results.data
    except (OSError, BayesDistNetError):
        return []
    observed = data.runs.observed()
    runs = np.unique(observed.frame.groupby(["solver", "instance"]).size())
    cut = int((~observed.finished).sum())
    each = f"{runs[0]}" if runs.size == 1 else f"{runs[0]} to {runs[-1]}"
    per = "instance" if len(data.solvers) == 1 else "instance and solver"
    shortest, median, longest = np.quantile(observed.seconds, [0, 0.5, 1])
    own = {solver: observed.of(solver) for solver in data.solvers}
    ticks = {solver: find_tick(runs_of.seconds, runs_of.finished) for solver, runs_of in own.items()}
    return [
        ("Instances", f"{len(data)}, with {data.features.shape[1]} features"),
        ("Runs", f"{each} per {per}, of {', '.join(data.solvers)}; {cut} of {len(observed)} cut off"),
        ("Runtimes", f"{shortest:.3g} s to {longest:.3g} s, median {median:.3g} s"),
        *((f"Timer of {solver}", tick_note(tick)) for solver, tick in ticks.items() if tick is not None),
    ]


def _plans(results: Results) -> dict[str, dict[str, Any]]:
    plans: dict[str, dict[str, Any]] = results.about["experiments"]
    return plans


def _models(results: Results) -> list[str]:
    return model_order(name for plan in _plans(results).values() for name in plan["models"])


def _model_facts(results: Results) -> Iterator[tuple[str, str]]:
    yield "Models", ", ".join(_models(results))
    families = dict.fromkeys(name for plan in _plans(results).values() for name in plan["families"])
    if families:
        yield "Families", f"{', '.join(map(family_label, families))}, for the models that have a choice"


def _plan_facts(results: Results) -> Iterator[tuple[str, str]]:
    """Describe every experiment: its calls, each with its models unless these are all, and the jobs done."""
    models = _models(results)
    for experiment, plan in _plans(results).items():
        asked: dict[str, list[str]] = {}
        for call in plan.get("calls") or [plan]:
            asked.setdefault(_plan_text(call, results), []).extend(call["models"])
        texts = [
            text + (f" ({', '.join(model_order(names))})" if len(set(names)) < len(models) else "")
            for text, names in asked.items()
        ]
        done, planned = completeness(results, experiment)
        yield experiment, f"{'. '.join(texts)}. {done} of {count(planned, 'job')} done."


def _plan_text(plan: dict[str, Any], results: Results) -> str:
    runs = ", ".join(map(str, plan["runs"]))
    fractions = [fraction for fraction in plan["censored"] if fraction]
    cut = f", {', '.join(level_name('censored', s) for s in plan['censored'])} cut off" if fractions else ""
    # A call has one kind of cutoffs, a plan those of all its calls.
    cutoffs = [plan["cutoffs"]] if isinstance(plan["cutoffs"], str) else plan["cutoffs"]
    kinds = f" ({joined(CUTOFFS.get(kind, kind) for kind in cutoffs)})" if fractions else ""
    folds = plan.get("folds_done", results.about.get("folds"))
    of = f" of {results.about['folds']}" if folds != results.about.get("folds") else ""
    published = " published with the data" if results.about.get("own_folds") else ""
    return (
        f"{runs} runs per instance to learn from{cut}{kinds}; {folds}{of} folds over instances{published}, "
        f"{count(plan['seeds'], 'seed')}"
    )


def _machine_facts(about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if about.get("preset"):
        yield "Preset", f"{about['preset']}: the published splits and settings"
    sessions = about.get("sessions", [])
    if sessions:
        spent = sum(float(session.get("seconds", 0)) for session in sessions)
        yield "Time", f"{duration(spent)} of wall-clock time, first started {sessions[0].get('started', '?')}"
    if "machine" in about:
        yield "Machine", str(about["machine"])
    if "versions" in about:
        yield "Versions", ", ".join(f"{name} {number}" for name, number in about["versions"].items())


def _missing(results: Results) -> Iterator[str]:
    """Report jobs that are not done, and jobs that failed."""
    for experiment in _plans(results):
        done, planned = completeness(results, experiment)
        if done < planned:
            yield f"{experiment}: {done} of {planned} jobs are done. Cells without a result are shown as “–”."
    if len(results.failures):
        counts = results.failures.groupby("model")["error"].agg(["size", "first"])
        for model, number, error in counts.itertuples():
            yield f"{count(number, 'job')} of {model} ended in an error: {error}"
