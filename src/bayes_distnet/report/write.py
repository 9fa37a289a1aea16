"""A report on a results folder: tables, figures and one self-contained HTML page. It needs Matplotlib."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bayes_distnet.errors import SettingError, install_line
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import model_order
from bayes_distnet.files import write_whole
from bayes_distnet.report.book import Book
from bayes_distnet.report.charts.paper import STYLE
from bayes_distnet.report.findings import Finding, findings
from bayes_distnet.report.page import Block, Columns, Heading, Paragraph, Section, page
from bayes_distnet.report.sections.bands import bands
from bayes_distnet.report.sections.comparisons import cost, not_ahead, published_numbers
from bayes_distnet.report.sections.familiarity import familiarity
from bayes_distnet.report.sections.levels import levels
from bayes_distnet.report.sections.predictions import calibration, examples, uncertainty
from bayes_distnet.report.sections.restarts import restarts
from bayes_distnet.report.sections.selection import selection
from bayes_distnet.report.sections.setup import definitions, setup
from bayes_distnet.report.spreads import widening

__all__ = ["check_can_report", "write_report"]

#: The section of each experiment, by its key; an experiment that varies an axis needs no line here.
SECTIONS: dict[str, Callable[[Book, str], Iterator[Section]]] = {
    "uncertainty": uncertainty,
    "restarts": restarts,
    "selection": selection,
    "portfolio": selection,
}


def check_can_report() -> None:
    """Raise an error if figures cannot be drawn; call it before long work, not after it.

    Raises
    ------
    SettingError
        Matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise SettingError(f"a report has figures, which need Matplotlib: {install_line('plots')}.")


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write tables (Markdown, LaTeX), figures (PNG, PDF) and the page report.html into a results folder.

    An unfinished experiment is reported as far as it is done: cells without a result are shown as "–".

    Parameters
    ----------
    folder : path-like
        Folder that `run_experiment` wrote.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    SettingError
        Matplotlib is not installed, or no job is done yet.
    ResultsError
        The folder holds no results.
    """
    check_can_report()
    from matplotlib import rc_context

    results = Results.load(folder)
    if results.empty:
        raise SettingError(f"{results.folder}: no job is done yet, so there is nothing to report.")
    book = Book(results)
    book.clear()
    style: Any = STYLE
    with rc_context(style):
        sections = list(_sections(book))
    path = results.folder / "report.html"
    title = f"Predicting runtime distributions: {results.about['data']}"
    write_whole(path, page(title, _lead(book), sections))
    return path


def _lead(book: Book) -> list[Block]:
    """Return a paragraph on the experiments, and the findings."""
    results = book.results
    models = model_order([*results.table["model"], *results.shifts["model"], *results.decisions["model"]])
    experiments = ", ".join(results.about["experiments"])
    text = f"{len(models)} models on the same splits of {results.about['data']}; experiments: {experiments}."
    blocks: list[Block] = [Paragraph(text, "soft")]
    cards = [_card(book, finding) for finding in findings(book.results)]
    blocks += [Columns(cards)] if cards else []
    return blocks + [Paragraph(text) for text in widening(results.shifts)]


def _card(book: Book, finding: Finding) -> list[Block]:
    """Return the heading, the sentences and the ranking of a finding."""
    blocks: list[Block] = [Heading(finding.title)]
    if finding.ranking is not None:
        blocks.append(book.table(f"{finding.name}-ranking", finding.ranking))
    # Where the published preset fails, a reader must not overlook it.
    return blocks + [Paragraph(text, "note" if "not converge" in text else "") for text in finding.sentences]


def _sections(book: Book) -> Iterator[Section]:
    yield from setup(book)
    yield from _experiments(book, with_axis=True)
    yield from not_ahead(book)
    yield from _experiments(book, with_axis=False)
    for section in (examples, calibration, bands, familiarity, published_numbers, cost, definitions):
        yield from section(book)


def _experiments(book: Book, *, with_axis: bool) -> Iterator[Section]:
    """Write the sections of experiments, those that vary an axis or the others."""
    for key, experiment in EXPERIMENTS.items():
        if (experiment.axis is not None) is with_axis:
            yield from SECTIONS.get(key, levels)(book, key)
