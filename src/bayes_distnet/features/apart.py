"""Features of one file in a process of its own, with limits for all that it does: for files from strangers.

As a program, `python -m bayes_distnet.features.apart FILE SEED SECONDS` prints the features as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from bayes_distnet.data.statuses import MEMOUT, TIMEOUT
from bayes_distnet.errors import BayesDistNetError, FeatureError
from bayes_distnet.features.base import Features
from bayes_distnet.features.registry import feature_set_of

if TYPE_CHECKING:
    from bayes_distnet.collect.executor import Executor

LOADING = 10.0  # seconds in which the program starts, besides the time limit


def features_apart(
    path: str | os.PathLike[str],
    *,
    random_state: int = 0,
    time_limit: float = 30.0,
    memory_limit: int = 2 * 2**30,
    executor: Executor | None = None,
) -> Features:
    """Compute the features of one file in a process with a limit of time and memory. Linux only.

    Parameters
    ----------
    path : path-like
        Instance file.
    random_state : int, default 0
        Seed of random probes.
    time_limit : float, default 30.0
        Limit in wall-clock seconds.
    memory_limit : int, default 2 GiB
        Limit of the resident bytes of the process and all that it starts.
    executor : Executor or None
        Runs the process, and can be stopped from another thread; None starts one.

    Returns
    -------
    Features
        Named numbers, and the CPU seconds that they took.

    Raises
    ------
    FeatureError
        If the file is not valid, or a limit is reached.
    """
    from bayes_distnet.collect.executor import Executor

    path = Path(path)
    feature_set_of(path)
    if executor is None:
        with closing(Executor()) as own:
            return features_apart(
                path, random_state=random_state, time_limit=time_limit, memory_limit=memory_limit, executor=own
            )
    limit = time_limit + LOADING
    outcome = executor.run(
        [sys.executable, "-m", "bayes_distnet.features.apart", str(path), str(random_state), str(time_limit)],
        cutoff=2 * limit,
        wall_limit=limit,
        memory_limit=memory_limit,
    )
    if outcome.status == TIMEOUT:
        raise FeatureError(f"{path}: its features were not computed within {time_limit:g} s. Take a smaller instance.")
    if outcome.status == MEMOUT:
        raise FeatureError(
            f"{path}: computing its features took more than {memory_limit / 2**30:.3g} GiB of memory. "
            "Take a smaller instance."
        )
    try:
        reply = json.loads(outcome.output)
    except ValueError:
        last = (outcome.errors.strip().splitlines() or ["nothing"])[-1][:200]
        raise FeatureError(
            f"{path}: computing its features ended with exit code {outcome.exit_code} and printed {last!r}."
        ) from None
    if "error" in reply:
        raise FeatureError(reply["error"])
    return Features(reply["features"], float(reply["cost"]))


def main(arguments: list[str]) -> None:
    """Print the features of a file, or the error, as JSON."""
    path, seed, limit = arguments
    try:
        found = feature_set_of(Path(path)).compute(Path(path), random_state=int(seed), time_limit=float(limit))
        print(json.dumps({"features": found.values, "cost": found.cost}))
    except BayesDistNetError as error:
        print(json.dumps({"error": str(error)}))


if __name__ == "__main__":
    main(sys.argv[1:])
