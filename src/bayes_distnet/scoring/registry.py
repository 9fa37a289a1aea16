"""The registry of scores: name, label, definition and direction of each, in the order of tables.

To add a score, write its function, `(distribution, runtimes, finished=None) -> one number per instance`, and one line
here. It then appears in `bayes-distnet evaluate`, in experiments, tables and reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bayes_distnet.registry import Registry, load

if TYPE_CHECKING:
    from bayes_distnet.arrays import FloatArray
    from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes


class Better(StrEnum):
    """The direction of a score."""

    LESS = "less"
    """The less, the better."""
    TARGET = "target"
    """The closer to `Score.target`, the better."""
    NEITHER = "neither"
    """Neither less nor more is better by itself."""


@dataclass(frozen=True)
class Score:
    """A score of predicted distributions against runs.

    Parameters
    ----------
    key : str
        Name in the tidy table and on the command line.
    label : str
        Head of its column in tables.
    definition : str
        One or two sentences for help texts and reports.
    source : str
        "package.module:function".
    settings : mapping
        Further arguments of the function.
    better : Better
        Which values are good.
    target : float or None
        The correct value, where `better` is "target".
    evaluated : bool
        Whether `evaluate` prints it.
    compared : bool
        Whether experiments compute it and reports show it in figures and tables.
    claimed : bool
        Whether the paper's claim is about it: Bayes DistNet ahead of DistNet.
    published : bool
        Whether it is computed as the code published with the paper does; the function takes `scale`, the longest
        training run, if `scaled`.
    scaled : bool
        Whether the function takes `scale`.
    ticked : bool
        Whether the function takes `tick`, that of the timer.
    truncated : bool
        Whether the function takes `horizon`, a time per instance past which nothing counts.
    least_runs : int
        Runs of an instance from which on the score means something.
    pooled : bool
        Whether it is one number for the runs of all instances together, not one per instance. Experiments compute it
        and tables show it, figures do not.
    """

    key: str
    label: str
    definition: str
    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    better: Better = Better.LESS
    target: float | None = None
    evaluated: bool = False
    compared: bool = False
    claimed: bool = False
    published: bool = False
    scaled: bool = False
    ticked: bool = False
    truncated: bool = False
    least_runs: int = 1
    pooled: bool = False

    @property
    def computed(self) -> bool:
        """Whether experiments compute it."""
        return self.compared or self.published or self.pooled

    def __call__(self, rtd: PredictedRuntimes, runtimes: Any, finished: Any = None, **more: Any) -> FloatArray:
        """Compute the score.

        Parameters
        ----------
        rtd : PredictedRuntimes
            Predicted runtimes, one row per instance.
        runtimes, finished : array-like
            Runs of these instances: see `bayes_distnet.scoring.scores`.
        **more
            Further arguments of the function.

        Returns
        -------
        ndarray
            One number per instance; a single number if the score is pooled.
        """
        values: FloatArray = load(self.source)(rtd, runtimes, finished, **self.settings, **more)
        return values


_AT = "bayes_distnet.scoring"

#: All scores, in the order of tables.
SCORES: Registry[Score] = Registry(
    "score",
    [
        Score(
            "nllh",
            "NLLH",
            "Negative log likelihood of the test runs, mean over runs and instances. Densities are of the runtime "
            "divided by the longest run of the instance; a censored run counts with the probability of lasting "
            "longer, and a time of a timer that ticks with its mean density over the tick. Less is better.",
            f"{_AT}.likelihood:nllh",
            evaluated=True,
            ticked=True,
            compared=True,
            claimed=True,
        ),
        Score(
            "kld",
            "KLD",
            "Kullback-Leibler divergence of the prediction from a kernel density estimate of the instance's runs in "
            "log time. Less is better; the least is 0.",
            f"{_AT}.likelihood:kld",
            evaluated=True,
            compared=True,
            least_runs=2,
            claimed=True,
        ),
        Score(
            "ks",
            "KS",
            "Kolmogorov-Smirnov distance: the largest gap between the predicted and the empirical distribution "
            "function, 0 to 1. Less is better.",
            f"{_AT}.distances:ks",
            evaluated=True,
            compared=True,
            least_runs=2,
            claimed=True,
        ),
        Score(
            "mass",
            "Mass",
            "Predicted probability outside 0 to 1.5 times the longest run of the instance. A correct prediction has "
            "some mass there, so that neither less nor more is better by itself.",
            f"{_AT}.distances:mass",
            better=Better.NEITHER,
            evaluated=True,
            compared=True,
            least_runs=2,
        ),
        Score(
            "crps",
            "CRPS [s]",
            "Continuous ranked probability score in seconds; for a prediction of a single number it is the absolute "
            "error. Less is better. Infinite where the mean of the faster of two predicted runs is infinite.",
            f"{_AT}.distances:crps",
            evaluated=True,
            compared=True,
            truncated=True,
        ),
        Score(
            "wasserstein",
            "Wasserstein [s]",
            "Wasserstein distance in seconds: the area between the predicted and the empirical distribution function. "
            "Less is better.",
            f"{_AT}.distances:wasserstein",
        ),
        Score(
            "coverage",
            "Coverage",
            "Share of the test runs inside the central 90 % interval of the prediction: 0.9 is correct, less means "
            "that predictions are too narrow.",
            f"{_AT}.calibration:coverage",
            better=Better.TARGET,
            target=0.9,
            evaluated=True,
            compared=True,
        ),
        Score(
            "band_coverage",
            "Band coverage",
            "Share of the instances whose own median (of their test runs) lies inside the 90 % band of the median: 0.9 "
            "is correct, less the noise of a median of few runs. Empty for models that cannot separate the two.",
            f"{_AT}.calibration:band_coverage",
            better=Better.TARGET,
            target=0.9,
            evaluated=True,
            compared=True,
            least_runs=2,
        ),
        Score(
            "joint_nllh",
            "Joint NLLH",
            "Negative log likelihood of all runs of an instance together, per run: unlike NLLH it sees whether a "
            "prediction knows what runs of an instance share. Less is better.",
            f"{_AT}.likelihood:joint_nllh",
            evaluated=True,
            ticked=True,
            compared=True,
            least_runs=2,
        ),
        Score(
            "calibration",
            "Calibration",
            "Mean distance between predicted probabilities and the shares of the test runs that came true, over all "
            "test runs of a fold. Less is better; the least is 0.",
            f"{_AT}.calibration:calibration_error",
            pooled=True,
        ),
        Score(
            "nllh_published",
            "NLLH as published",
            "NLLH computed as the code published with the paper does, floors included. Less is better.",
            f"{_AT}.likelihood:nllh",
            {"published": True},
            published=True,
            scaled=True,
        ),
        Score(
            "kld_published",
            "KLD as published",
            "KLD computed as the code published with the paper does, grid included. Less is better.",
            f"{_AT}.likelihood:kld",
            {"published": True},
            published=True,
            scaled=True,
        ),
        Score(
            "ks_published",
            "KS as published",
            "KS computed as the code published with the paper does. Less is better.",
            f"{_AT}.distances:ks",
            {"published": True},
            published=True,
        ),
    ],
)
