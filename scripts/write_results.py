"""Put results of experiments into README.md and docs/results.md: `python scripts/write_results.py results/*`.

Tables go between the lines `<!-- FOLDER experiment score -->` and `<!-- end -->`, one such pair a table.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bayes_distnet import Results
from bayes_distnet.experiments.statistics import AXES, slices
from bayes_distnet.report.tables import overview

PAGES = [Path(__file__).parents[1] / name for name in ("docs/results.md", "README.md")]
MARK = re.compile(
    r"<!-- (?P<data>\S+) (?P<experiment>\S+) (?P<score>\S+)(?P<few>| main) -->\n.*?<!-- end -->", re.DOTALL
)
MAIN = (
    "HybridDistNet",
    "BayesDistNet",
    "DistNet",
    "RandomForest",
    "NGBoost",
    "XGBoost AFT",
    "QuantileForest",
    "Marginal",
)


def main(folders: list[str]) -> None:
    """Fill every marked table that there are results for."""
    found = {Path(folder).name: Results.load(folder) for folder in folders}

    def filled(mark: re.Match[str]) -> str:
        if mark["data"] not in found:
            return mark[0]
        axis = AXES[mark["experiment"]]
        # Of several kinds of cutoffs the first, one for all runs.
        rows = next(iter(slices(found[mark["data"]].of(mark["experiment"]), axis).values()))
        grid = overview(rows, axis, mark["score"])
        if mark["few"]:
            grid = grid.take([row for row in grid.mean.index if str(row).removesuffix(", lognormal") in MAIN])
        head = mark[0].split("\n", 1)[0]
        return f"{head}\n\n{grid.markdown()}\n<!-- end -->"

    for page in PAGES:
        page.write_text(MARK.sub(filled, page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
