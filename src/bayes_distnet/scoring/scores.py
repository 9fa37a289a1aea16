"""Scores of predicted runtime distributions: one number per instance, less is better except where noted.

Every score takes (distribution, runtimes, finished=None). Runtimes are a vector (one run per instance), a matrix
instances x runs in which NaN means no run, or a list with one array of runs per instance; `finished` has the same
form, False for a run that was cut off. An instance without any run scores NaN.

Where runs were cut off, nothing is known about an instance past its smallest cutoff h, the *horizon*. `ks`, `crps`,
`wasserstein` compare on [0, h]; `kld` also compares the probabilities of running past it. Up to the horizon no run is
censored, so that the Kaplan-Meier estimate is the plain share of runs finished so far.

With `published=True` the scores are those of the tables of the DistNet and Bayes DistNet papers, including their
floors. These definitions have no place for censored runs: only finished runs count.
"""

from __future__ import annotations

from bayes_distnet.scoring.calibration import band_coverage, calibration, coverage, pit
from bayes_distnet.scoring.distances import crps, ks, mass, wasserstein
from bayes_distnet.scoring.likelihood import joint_nllh, kld, nllh
from bayes_distnet.scoring.registry import SCORES, Score

__all__ = [
    "SCORES",
    "Score",
    "band_coverage",
    "calibration",
    "coverage",
    "crps",
    "joint_nllh",
    "kld",
    "ks",
    "mass",
    "nllh",
    "pit",
    "wasserstein",
]
