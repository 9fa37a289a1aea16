r"""Scores of predicted runtime distributions: one number an instance, lower is better unless said otherwise.

Every score takes (distribution, runtimes, finished=None). Runtimes are a vector (one run an instance), a matrix
instances x runs in which NaN means no run, or a list with an array of runs for each instance; `finished` has the same
form, False for a run that was cut off. An instance without any run scores NaN.

Where runs were cut off, nothing is known about an instance past its smallest cutoff h, the *horizon*. `ks`, `crps`,
`wasserstein` compare on [0, h]; `kld` also compares the probabilities of running past it. Up to the horizon no run is
censored, so that the Kaplan-Meier estimate is the plain share of runs finished so far.

With `published=True` the scores are those of the tables of the DistNet and Bayes DistNet papers, floors and all. They
know no cut-off runs: only finished ones count.
"""

from __future__ import annotations

from bayes_distnet.scoring.calibration import calibration, coverage, pit
from bayes_distnet.scoring.distances import crps, ks, mass, wasserstein
from bayes_distnet.scoring.likelihood import kld, nllh
from bayes_distnet.scoring.registry import SCORES, Score

__all__ = ["SCORES", "Score", "calibration", "coverage", "crps", "kld", "ks", "mass", "nllh", "pit", "wasserstein"]
