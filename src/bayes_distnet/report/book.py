"""Where the tables and figures of a report go, and what several sections of it say alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayes_distnet.errors import BayesDistNetError
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import level_name, model_order, row_name
from bayes_distnet.report import result_figures as result_plots
from bayes_distnet.report.grids import Grid, Listing
from bayes_distnet.report.page import inline_svg, legend, scrolling

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: How names of tables and figures begin; what a report finds under such a name it has written itself, once.
NAMES = ("low-samples", "censoring", "behind", "uncertainty", "examples", "calibration", "published", "cost")
KINDS = {"tables": (".md", ".tex"), "figures": (".png", ".pdf")}

PANEL = (4.3, 3.1)  # inches
PLACE = (0.15, 0.17, 0.82, 0.67)  # of the axes in a panel: left, bottom, width, height


@dataclass(frozen=True)
class Book:
    """The results, and where tables and figures made of them go."""

    results: Results

    def clear(self) -> None:
        """Remove the tables and figures of an earlier report: it may have had some that this one has not."""
        for folder, kinds in KINDS.items():
            for path in (self.results.folder / folder).glob("*"):
                if path.suffix in kinds and path.stem.startswith(NAMES):
                    path.unlink()

    def tables(self, name: str, table: Grid | Listing) -> str:
        """Write a table as Markdown and LaTeX, and return it as HTML."""
        folder = self.results.folder / "tables"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.md").write_text(table.markdown(), "utf-8")
        (folder / f"{name}.tex").write_text(table.latex(), "utf-8")
        return scrolling(table.html(), f"Table {name}")

    def figure(self, name: str, draw: Sequence[tuple[str, Callable[[Axes], object]]], columns: int = 3) -> list[str]:
        """Draw panels, write them as one PNG and one PDF, and return each as SVG; draw: what it shows, and how."""
        from matplotlib.figure import Figure

        rows = -(-len(draw) // columns)
        width, height = PANEL
        whole = Figure(figsize=(width * min(columns, len(draw)) + 2.2, height * rows), layout="constrained")
        axes = whole.subplots(rows, min(columns, len(draw)), squeeze=False).ravel()
        parts = []
        for i, (ax, (label, show)) in enumerate(zip(axes, draw, strict=False)):
            show(ax)
            one = Figure(figsize=PANEL)
            show(one.add_axes(PLACE))
            parts.append(inline_svg(one, label, f"{name}-{i}"))
        for ax in axes[len(draw) :]:
            ax.set_visible(False)
        lines: dict[str, Any] = {}
        for ax in axes[: len(draw)]:
            lines |= {label: line for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
        whole.legend(lines.values(), lines.keys(), loc="outside right upper", frameon=False, fontsize=7.5)
        folder = self.results.folder / "figures"
        folder.mkdir(exist_ok=True)
        whole.savefig(folder / f"{name}.png", dpi=150)
        whole.set_layout_engine("none")  # laid out already
        whole.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})  # the same results, the same file
        return parts


def legend_of(rows: pd.DataFrame, points: bool = True) -> str:
    """Return the legend of a picture: of points at levels, or of curves."""
    models, style = model_order(rows["model"]), result_plots.model_style if points else result_plots.curve_style
    return legend((row_name(*row), style(*row, models)) for row in result_plots.rows_of(rows))


def data_facts(results: Results) -> list[tuple[str, str]]:
    """Say what the data are; nothing if a results folder was copied without them."""
    try:
        data = results.data
    except (OSError, BayesDistNetError):
        return []
    seconds = data.seconds
    there = ~np.isnan(seconds)
    runs = np.unique(there.sum(axis=1))
    cut = int((there & ~data.finished).sum())
    each = f"{runs[0]}" if runs.size == 1 else f"{runs[0]} to {runs[-1]}"
    shortest, median, longest = np.quantile(seconds[there], [0, 0.5, 1])
    return [
        ("Instances", f"{len(data)}, with {data.features.shape[1]} features"),
        ("Runs", f"{each} an instance, of {', '.join(data.solvers)}; {cut} of {there.sum()} cut off"),
        ("Runtimes", f"{shortest:.3g} s to {longest:.3g} s, median {median:.3g} s"),
    ]


def joined(texts: Iterable[str], comma: str = ", ") -> str:
    """Join words as a sentence does: "a, b and c"."""
    words = list(texts)
    return words[0] if len(words) == 1 else f"{comma.join(words[:-1])} and {words[-1]}" if words else ""


def condition_name(runs: int, cutoffs: str, censored: float) -> str:
    """Say what models had to learn from."""
    cut = f", {level_name('censored', censored)} of them cut off ({cutoffs} cutoffs)" if censored else ""
    return f"{count(runs, 'run')} an instance to learn from{cut}"


def count(number: int, thing: str) -> str:
    """Count things in words: "1 job", "2 jobs"."""
    return f"{number} {thing}{'s' if number != 1 else ''}"


def signed(value: float, digits: int = 3) -> str:
    """Return a difference as text."""
    return "–" if np.isnan(value) else f"{value:+.{digits}f}".replace("-", "−")


def plain(value: float, digits: int = 3) -> str:
    """Return a score or a standard error as text."""
    return "–" if np.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def short_seconds(value: float) -> str:
    """Return seconds as text, three digits that count."""
    return "–" if np.isnan(value) else f"{value:.3f}" if value < 1 else f"{value:.3g}"
