"""The data sets that come with the package: their names, in the order in which help shows them."""

from __future__ import annotations

from dataclasses import dataclass

from bayes_distnet.registry import Registry


@dataclass(frozen=True)
class ShippedData:
    """A data set in a folder beside this file.

    Parameters
    ----------
    key : str
        Name of the data set and of its folder.
    summary : str
        Contents in one line, for help texts.
    """

    key: str
    summary: str


DATASETS = Registry(
    "data set",
    [
        ShippedData("clasp-factoring", "runs of clasp on factoring problems, a scenario of the paper collected anew"),
        ShippedData("lpg-zenotravel", "runs of LPG on ZenoTravel problems, a scenario of the paper collected anew"),
        ShippedData("sat-portfolio", "runs of clasp, Glucose and Kissat on CNFs of several kinds, many cut off"),
        ShippedData("clasp-quasigroup", "runs of backtracking on Latin squares with holes, where restarts pay"),
    ],
)
