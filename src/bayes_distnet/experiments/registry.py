"""The registry of experiments, in the order of help texts and reports.

To add an experiment, write a file with the function that does one of its jobs, `(job, data) -> record`, and one line
here. It then appears in `bayes-distnet experiment --help`; its jobs are planned, done, stored and resumed as those
of all others.
"""

from __future__ import annotations

from dataclasses import dataclass

from bayes_distnet.registry import Registry

#: Kinds of jobs: scores of a model on a fold, and predictions for features shifted away from the data. Jobs of an
#: experiment on decisions are of a kind of their own, named like the experiment.
SCORED, SHIFTS = "scores", "shifts"


@dataclass(frozen=True)
class Experiment:
    """An experiment: conditions under which models learn, and the job that is done under each.

    Parameters
    ----------
    key : str
        Name on the command line and in results.
    title : str
        Title in reports.
    summary : str
        One line for help texts.
    axis : str or None
        Column of the tidy table that it varies; None if it has one condition and no scores.
    source : str
        "package.module:function" that does a job: (job, data) -> entries of the job's record.
    kind : str
        Kind of its jobs. Experiments whose jobs are of one kind share the jobs that they have in common.
    runs : tuple of int
        Runs per instance to learn from, one condition each; numbers that the data do not reach are left out. None: all.
    censored : tuple of float
        Fractions of the training runs to cut off, one condition each.
    quick_runs, quick_censored : tuple or None
        The same for quick experiments; None for no difference.
    once : bool
        Whether one seed and one family are enough.
    main_only : bool
        Whether only main models take part by default.
    limits : bool
        Whether limits can take part.
    models : tuple of str
        Keys of the models that take part by default; empty for all that are installed.
    selects : bool
        Whether its models are selectors, and its data have runs of several solvers.
    parallel : bool
        Whether only selectors take part that make plans for several cores.
    summary_source : str
        Of an experiment on decisions, "package.module:function" that makes one row per policy of `Results`; else "".
    """

    key: str
    title: str
    summary: str
    axis: str | None
    source: str
    kind: str
    runs: tuple[int, ...] = (8,)
    censored: tuple[float, ...] = (0.0,)
    quick_runs: tuple[int, ...] | None = None
    quick_censored: tuple[float, ...] | None = None
    once: bool = False
    main_only: bool = False
    limits: bool = True
    models: tuple[str, ...] = ()
    selects: bool = False
    parallel: bool = False
    summary_source: str = ""

    @property
    def decides(self) -> bool:
        """Whether its jobs evaluate decisions instead of scoring predictions."""
        return bool(self.summary_source)

    def default_runs(self, quick: bool) -> tuple[int, ...]:
        """Return the numbers of runs per instance, for a quick experiment or a full one."""
        return self.quick_runs if quick and self.quick_runs is not None else self.runs

    def default_censored(self, quick: bool) -> tuple[float, ...]:
        """Return the fractions censored, for a quick experiment or a full one."""
        return self.quick_censored if quick and self.quick_censored is not None else self.censored


_AT = "bayes_distnet.experiments"

#: All experiments, in the order of help texts and reports.
EXPERIMENTS: Registry[Experiment] = Registry(
    "experiment",
    [
        Experiment(
            "low-samples",
            "Few runs to learn from",
            "few runs per instance to learn from",
            "runs",
            f"{_AT}.scored:score_model",
            SCORED,
            runs=(1, 2, 4, 8, 16),
            quick_runs=(1, 4, 16),
        ),
        Experiment(
            "censoring",
            "Runs cut off",
            "a fraction of the training runs cut off",
            "censored",
            f"{_AT}.scored:score_model",
            SCORED,
            censored=(0.0, 0.2, 0.4, 0.6, 0.8),
            quick_censored=(0.0, 0.4, 0.8),
        ),
        Experiment(
            "uncertainty",
            "Uncertainty far from the data",
            "predictions for features shifted far away from the training data",
            None,
            f"{_AT}.shifted:shift_features",
            SHIFTS,
            once=True,
            main_only=True,
            limits=False,
        ),
        Experiment(
            "restarts",
            "Restarts",
            "total time of restart policies on unseen instances, replayed on their recorded runs",
            None,
            f"{_AT}.restarts:replay_restarts",
            "restarts",
            once=True,
            limits=False,
            models=("hybrid", "bayes", "forest"),
            summary_source=f"{_AT}.restarts:summarise_restarts",
        ),
        Experiment(
            "selection",
            "Selection of solvers",
            "selectors on unseen instances, between the single best solver and the oracle",
            None,
            f"{_AT}.selection:replay_selection",
            "selection",
            runs=(),
            once=True,
            selects=True,
            summary_source=f"{_AT}.selection_summary:summarise_selection",
        ),
        Experiment(
            "portfolio",
            "Solvers in parallel",
            "plans for 2 and 4 cores on unseen instances, against copies of the best solver and the best solvers",
            None,
            f"{_AT}.portfolio:replay_portfolio",
            "portfolio",
            runs=(),
            once=True,
            selects=True,
            parallel=True,
            summary_source=f"{_AT}.selection_summary:summarise_portfolio",
        ),
    ],
)
