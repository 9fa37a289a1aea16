"""A report on a results folder: tables, figures and one self-contained HTML page. It needs Matplotlib."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bayes_distnet.errors import SettingError
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import FAMILIES, level_name, model_order
from bayes_distnet.report.book import Book, count, data_facts
from bayes_distnet.report.distributions import calibration, examples, uncertainty
from bayes_distnet.report.findings import completeness, findings
from bayes_distnet.report.page import FIGURE_STYLE, Section, bullets, facts, page, paragraph
from bayes_distnet.report.scores import censoring, cost, low_samples, not_ahead, published_numbers

__all__ = ["check_can_report", "write_report"]

DEFINITIONS = {
    "NLLH": "Negative log likelihood of the test runs, mean over runs and instances; densities are of the runtime "
    "divided by the longest run of the instance. For runs cut off, the probability of lasting longer. Less is better.",
    "KLD": "Kullback-Leibler divergence of the prediction from a kernel density estimate of the instance's runs in log "
    "time. Less is better, 0 is the least.",
    "KS": "Kolmogorov-Smirnov distance: the largest gap between the predicted and the empirical distribution function, "
    "0 to 1. Less is better.",
    "Mass": "Predicted probability outside 0 to 1.5 times the longest run of the instance. A right "
    "prediction has some, so that neither less nor more is better by itself.",
    "CRPS": "Continuous ranked probability score, in seconds: for a prediction of one number it is the absolute error. "
    "Less is better. Infinite where the predicted tail is too heavy for a mean of the faster of two runs.",
    "Coverage": "Share of the test runs inside the central 90 % interval of the prediction: 0.9 is right, less says "
    "that predictions are too narrow.",
    "Calibration": "Mean distance of the curves under Calibration from the diagonal. Less is better, 0 is right.",
    "… as published": "The same scores computed as the code published with the paper does, floors and grids included.",
    "± ": "Standard deviation over folds and seeds, not a standard error.",
    "Limits": "What could be reached: the best lognormal fitted to each test instance's own runs, and these runs' own "
    "empirical distribution. They have seen the test runs, so no model can be expected to reach them.",
}


def check_can_report() -> None:
    """Raise an error if figures cannot be drawn; call it before the work, not after."""
    if importlib.util.find_spec("matplotlib") is None:
        raise SettingError("a report has figures, which need Matplotlib: pip install 'bayes-distnet[plots]'.")


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write tables/*.md and *.tex, figures/*.png and *.pdf, and report.html into a results folder; return the page.

    An experiment that is not finished is reported as far as it is: cells without a result are shown as "–".
    """
    check_can_report()
    from matplotlib import rc_context

    results = Results.load(folder)
    if results.table.empty and results.shifts.empty:
        raise SettingError(f"{results.folder}: no job is done yet, so there is nothing to report.")
    Book(results).clear()
    style: Any = FIGURE_STYLE
    with rc_context(style):
        sections = [section for write in _SECTIONS for section in write(Book(results))]
    path = results.folder / "report.html"
    title = f"Predicting runtime distributions: {results.about['data']}"
    path.write_text(page(title, _lead(results), sections), "utf-8")
    return path


def _lead(results: Results) -> str:
    """Say in a paragraph what was done, and then what was found."""
    models = model_order([*results.table["model"], *results.shifts["model"]])
    experiments = ", ".join(results.about["experiments"])
    text = f"{len(models)} models on the same splits of {results.about['data']}; experiments: {experiments}."
    return paragraph(text, "soft") + bullets(findings(results))


def what_was_run(book: Book) -> Iterator[Section]:
    """Say what was run on what, and what is missing."""
    results, about = book.results, book.results.about
    listed = [("Data", str(about["data"])), *data_facts(results)]
    models = model_order(name for plan in about["experiments"].values() for name in plan["models"])
    listed.append(("Models", ", ".join(models)))
    families = dict.fromkeys(name for plan in about["experiments"].values() for name in plan["families"])
    if families:
        listed.append(
            ("Families", f"{', '.join(FAMILIES.get(f, f) for f in families)}, of the models that have a choice")
        )
    notes = []
    for experiment, plan in about["experiments"].items():
        done, planned = completeness(results, experiment)
        asked: dict[str, list[str]] = {}  # what was asked of which models
        for call in plan.get("calls") or [plan]:
            asked.setdefault(_plan_text(call, results), []).extend(call["models"])
        texts = [
            text + (f" ({', '.join(model_order(names))})" if len(set(names)) < len(models) else "")
            for text, names in asked.items()
        ]
        listed.append((experiment, f"{'. '.join(texts)}. {done} of {count(planned, 'job')} done."))
        if done < planned:
            notes.append(f"{experiment}: {done} of {planned} jobs are done. Cells without a result are shown as “–”.")
    if len(results.failures):
        counts = results.failures.groupby("model")["error"].agg(["size", "first"])
        notes += [f"{count(n, 'job')} of {model} ended in an error: {error}" for model, n, error in counts.itertuples()]
    if about.get("preset"):
        listed.append(("Preset", f"{about['preset']}: the published splits and settings"))
    sessions = about.get("sessions", [])
    if sessions:
        spent = sum(float(session.get("seconds", 0)) for session in sessions)
        listed.append(("Time", f"{_duration(spent)} on the clock, first started {sessions[0].get('started', '?')}"))
    if "machine" in about:
        listed.append(("Machine", str(about["machine"])))
    if "versions" in about:
        listed.append(("Versions", ", ".join(f"{name} {number}" for name, number in about["versions"].items())))
    yield Section("run", "Setup", "What was run", facts(listed) + "".join(paragraph(note, "note") for note in notes))


def _plan_text(plan: dict[str, Any], results: Results) -> str:
    runs = ", ".join(map(str, plan["runs"]))
    shares = [share for share in plan["censored"] if share]
    cut = f", {', '.join(level_name('censored', s) for s in plan['censored'])} cut off" if shares else ""
    # One call has one kind of cutoffs, a plan those of all its calls.
    cutoffs = [plan["cutoffs"]] if isinstance(plan["cutoffs"], str) else plan["cutoffs"]
    kinds = f" ({' and '.join(cutoffs)} cutoffs)" if shares else ""
    folds = plan.get("folds_done", results.about.get("folds"))
    of = f" of {results.about['folds']}" if folds != results.about.get("folds") else ""
    return (
        f"{runs} runs an instance to learn from{cut}{kinds}; {folds}{of} folds over instances, "
        f"{count(plan['seeds'], 'seed')}"
    )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def definitions(book: Book) -> Iterator[Section]:
    """Define the scores."""
    yield Section("definitions", "Definitions", "Definitions", facts(DEFINITIONS.items()))


_SECTIONS: tuple[Callable[[Book], Iterator[Section]], ...] = (
    what_was_run,
    low_samples,
    censoring,
    not_ahead,
    uncertainty,
    examples,
    calibration,
    published_numbers,
    cost,
    definitions,
)
