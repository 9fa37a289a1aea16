"""Put results of experiments into docs/adopting.md and docs/results.md: `python scripts/write_results.py results/*`.

Tables go between the lines `<!-- FOLDER experiment score -->` and `<!-- end -->`, one such pair per table. The word
`main` after the score asks for a short table.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bayes_distnet import Results
from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.statistics import row_name, slices
from bayes_distnet.models.registry import MODELS
from bayes_distnet.report.tables import overview

PAGES = [Path(__file__).parents[1] / name for name in ("docs/results.md", "docs/adopting.md")]
MARK = re.compile(
    r"<!-- (?P<data>\S+) (?P<experiment>\S+) (?P<score>\S+)(?P<short>| main) -->\n.*?<!-- end -->", re.DOTALL
)
#: Models of short tables, each with this family if it has a choice.
SHORT = ("hybrid", "bayes", "distnet", "forest", "ngboost", "xgboost", "quantile-forest", "marginal")
FAMILY = "lognormal"


def main(folders: list[str]) -> None:
    """Fill every marked table whose results are given."""
    found = {Path(folder).name: Results.load(folder) for folder in folders}

    def filled(mark: re.Match[str]) -> str:
        if mark["data"] not in found:
            return mark[0]
        axis = EXPERIMENTS.find(mark["experiment"]).axis or ""
        # Of several kinds of cutoffs the first one: one cutoff for all runs.
        rows = next(iter(slices(found[mark["data"]].of(mark["experiment"]), axis).values()))
        grid = overview(rows, axis, mark["score"])
        if mark["short"]:
            shown = {row_name(MODELS[key].label, family) for key in SHORT for family in ("", FAMILY)}
            grid = grid.take(row for row in grid.mean.index if row in shown)
        head = mark[0].split("\n", 1)[0]
        return f"{head}\n\n{grid.markdown()}\n<!-- end -->"

    for page in PAGES:
        page.write_text(MARK.sub(filled, page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
