"""A short trial of new solvers before a collection starts."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable
from dataclasses import replace

from bayes_distnet.collect.jobs import Job, Result, run_job
from bayes_distnet.collect.workers import Workers
from bayes_distnet.data.statuses import CRASHED, UNREADABLE
from bayes_distnet.errors import CollectError

TRIAL_SECONDS = 10.0  # longest cutoff of a trial
TRIALS = 3  # instances per solver
SHOWN_LINES = 8  # lines of the output in a message


def try_out(jobs: Iterable[Job], workers: Workers, tried: Collection[str] = ()) -> None:
    """Check that each new solver starts and that its answer is recognised, before hours are spent.

    A solver may well fail on one instance. A solver that fails on the first three, each time before its cutoff, is
    not set up correctly.

    Parameters
    ----------
    jobs : iterable of Job
        Runs that are to be done.
    workers : Workers
        Workers that do the trials.
    tried : collection of str, default ()
        Names of solvers that need no trial.

    Raises
    ------
    CollectError
        If a solver fails on all of its trials.
    """
    first: dict[str, list[Job]] = {}
    for job in jobs:
        if job.solver.name not in tried and len(first.setdefault(job.solver.name, [])) < TRIALS:
            first[job.solver.name].append(job)
    for trials in first.values():
        for job in trials:
            short = replace(job, cutoff=min(job.cutoff, TRIAL_SECONDS))
            result = workers.pool.submit(run_job, short).result()
            if result.run.status not in (CRASHED, UNREADABLE):
                break
        else:
            raise CollectError(_not_set_up(job, result, len(trials)))


def _not_set_up(job: Job, result: Result, trials: int) -> str:
    command = shlex.join(job.solver.command(job.path, seed=job.seed, cutoff=job.cutoff))
    failure = (
        f"its output has no line that matches {job.solver.answer!r}"
        if result.run.status == UNREADABLE
        else f"it crashed (exit code {result.run.exit_code})"
    )
    printed = "\n".join(result.printed.strip().splitlines()[-SHOWN_LINES:]) or "(nothing)"
    return (
        f"solver {job.solver.name}: {failure}, in {trials} of {trials} trials. No run was stored. The last command "
        f"was: {command}\nThe end of its output was:\n{printed}\n"
        "A run works in an empty folder of its own: give files in the command by their full paths."
    )
