"""A short trial of new solvers before a collection starts."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable
from dataclasses import replace

from bayes_distnet.collect.jobs import Job, Result, run_job
from bayes_distnet.collect.workers import Workers
from bayes_distnet.data.statuses import CRASHED, MEMOUT, UNREADABLE
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
            if result.run.status not in (CRASHED, MEMOUT, UNREADABLE):
                break
        else:
            raise CollectError(_not_set_up(job, result, len(trials)))


def _not_set_up(job: Job, result: Result, trials: int) -> str:
    command = shlex.join(job.solver.command(job.path, seed=job.seed, cutoff=job.cutoff))
    failure, remedy = {
        UNREADABLE: (
            f"its output has no line that matches {job.solver.answer!r}",
            "Give a pattern that matches the answer of this solver: --answer REGEX.",
        ),
        CRASHED: (
            f"it crashed (exit code {result.run.exit_code})",
            "Correct its command line, --command LINE; a run works in an empty folder of its own: give files in it by "
            "their full paths. If the solver ended as it should, let --answer REGEX match its output.",
        ),
        MEMOUT: (
            f"it used more memory than allowed ({(job.memory_limit or 0) / 2**30:g} GiB)",
            "Allow more: --memory GIB.",
        ),
    }[result.run.status]
    printed = "\n".join(result.printed.strip().splitlines()[-SHOWN_LINES:]) or "(nothing)"
    return (
        f"solver {job.solver.name}: {failure}, in {trials} of {trials} trials. No run was stored. The last command "
        f"was: {command}\nThe end of its output was:\n{printed}\n{remedy}"
    )
