"""The registry of experiments, in the order of help texts and reports."""

from __future__ import annotations

from dataclasses import dataclass

from bayes_distnet.registry import Registry


@dataclass(frozen=True)
class Experiment:
    """A comparison of models.

    Parameters
    ----------
    key : str
        Name on the command line and in `about.json`.
    title : str
        Title of its section in reports.
    summary : str
        One line for help texts.
    axis : str or None
        Column of the tidy table that it varies.
    """

    key: str
    title: str
    summary: str
    axis: str | None = None


#: All experiments.
EXPERIMENTS: Registry[Experiment] = Registry(
    "experiment",
    [
        Experiment("low-samples", "Few runs to learn from", "scores against the number of runs per instance", "runs"),
        Experiment("censoring", "Runs cut off", "scores against the fraction of runs cut off", "censored"),
        Experiment("uncertainty", "Uncertainty far from the data", "predictions for features moved away from the data"),
    ],
)
