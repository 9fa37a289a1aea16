"""A suggestion of further runs: a table that `collect` takes, and the reason in one sentence."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bayes_distnet.data.json_text import json_text
from bayes_distnet.data.tables import write_frame
from bayes_distnet.files import written_whole

COLUMNS = ("instance", "seeds", "cutoff", "seconds", "gain")
SHOWN = 5  # rows in the representation


@dataclass(frozen=True, eq=False)
class Suggestion:
    """Runs that teach a model most within a budget.

    Parameters
    ----------
    table : DataFrame
        One row per instance that is to be run, the best first: instance, seeds (number of new runs), cutoff (CPU
        seconds per run), seconds (expected cost of its runs together) and gain (expected fall of the log score of a
        run of the targets).
    budget : float
        CPU seconds that were given.
    random_gain : float
        Gain that runs of random candidates are expected to have for the same seconds.
    why : str
        The reason, one sentence.
    """

    table: pd.DataFrame
    budget: float
    random_gain: float
    why: str

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        rows = self.table.head(SHOWN).to_string(index=False, float_format="{:.3g}".format)
        more = f"\n... {len(self) - SHOWN} more" if len(self) > SHOWN else ""
        return f"<Suggestion: {self.why}>\n{rows}{more}"

    @property
    def seconds(self) -> float:
        """Expected seconds of all runs; at most the budget."""
        return float(self.table["seconds"].sum())

    @property
    def gain(self) -> float:
        """Expected fall of the log score by all runs."""
        return float(self.table["gain"].sum())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per instance that is to be run."""
        return self.table.copy()

    def as_dict(self) -> dict[str, Any]:
        """Return the suggestion as JSON can hold it."""
        return {
            "budget": self.budget,
            "seconds": self.seconds,
            "gain": self.gain,
            "random_gain": self.random_gain,
            "why": self.why,
            "runs": self.table.to_dict("records"),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table as CSV or Parquet, which `collect --plan` takes, or everything as JSON.

        Parameters
        ----------
        path : path
            File whose name ends in .csv, .csv.gz, .parquet or .json.
        """
        if Path(path).suffix != ".json":
            write_frame(self.table, path)
            return
        with written_whole(Path(path)) as draft:
            draft.write_text(json_text(self.as_dict()) + "\n", "utf-8")
