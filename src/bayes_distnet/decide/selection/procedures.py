"""What a selector does on unseen instances, in one form for peers and models, so that all are replayed alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import pandas as pd

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.solver_runs import SolverRuns


class Step(NamedTuple):
    """A part of a schedule: one solver, started from scratch.

    Parameters
    ----------
    solver : str
        Name of the solver.
    seconds : float
        Length of the step; infinite if the solver runs until it answers.
    restart : float
        Seconds after which the solver is restarted with another seed; infinite if it is not.
    """

    solver: str
    seconds: float = math.inf
    restart: float = math.inf


#: Steps on one core, one after the other.
Schedule = tuple[Step, ...]


@dataclass(frozen=True)
class Procedure:
    """What is done on a list of instances.

    Parameters
    ----------
    plans : sequence of tuple of Schedule
        Per instance one schedule per core, started when the features are known.
    presolver : Schedule
        Steps before the features are computed, on one core; the same for all instances.
    features : tuple of str or None
        Columns of the features that are needed; None for all.
    """

    plans: Sequence[tuple[Schedule, ...]]
    presolver: Schedule = ()
    features: tuple[str, ...] | None = None

    @classmethod
    def choices(cls, solvers: Sequence[str], features: tuple[str, ...] | None = None) -> Self:
        """Return the procedure that runs one solver per instance until it answers."""
        return cls([((Step(str(solver)),),) for solver in solvers], features=features)


class Selector(ABC):
    """Learns from runs of several solvers what to do on an unseen instance."""

    @abstractmethod
    def fit(self, data: Dataset, runs: SolverRuns) -> Self:
        """Learn from training instances.

        Parameters
        ----------
        data : Dataset
            Features and runs of the instances.
        runs : SolverRuns
            The same runs as arrays, rows as in `data.features`.

        Returns
        -------
        Selector
            Itself.
        """

    @abstractmethod
    def procedures(self, features: pd.DataFrame) -> dict[str, Procedure]:
        """Decide on unseen instances.

        Parameters
        ----------
        features : DataFrame
            One row per instance.

        Returns
        -------
        dict of str to Procedure
            By the name of the variant; "" for that of the selector itself.
        """

    def parallel(self, features: pd.DataFrame, cores: int) -> dict[str, Procedure]:
        """Decide on unseen instances for several cores.

        Parameters
        ----------
        features : DataFrame
            One row per instance.
        cores : int
            Number of cores.

        Returns
        -------
        dict of str to Procedure
            By the name of the variant, as for `procedures`; empty if the selector makes no such plans.
        """
        return {}
