"""Experiments on a Dask cluster whose workers die."""

import os
import signal
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

from bayes_distnet.data.synthetic import make_runs
from bayes_distnet.errors import ResultsError
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.run import run_experiment

SETTINGS = {"models": ["ridge", "knn"], "runs": [1, 2], "folds": 10, "seeds": 1, "progress": False, "name": "made"}


def done_in(folder):
    try:
        return len(Results.load(folder).done())
    except (ResultsError, OSError):  # it is just being made
        return 0


def scores(results):
    """The tidy table without times, in one order."""
    keys = ["runs", "model", "family", "fold", "seed", "score"]
    return results.table.sort_values(keys).set_index(keys)["value"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask warns about the dead workers
def test_two_of_four_workers_are_killed_and_the_results_are_those_of_one_process(tmp_path):
    distributed = pytest.importorskip("distributed")
    data = make_runs(n_instances=60, n_runs=5, random_state=0)
    alone = run_experiment("low-samples", data, tmp_path / "alone", cores=1, **SETTINGS)
    killed, folder = [], tmp_path / "cluster"
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster:
        workers = [nanny.pid for nanny in cluster.workers.values()]

        def kill_two():
            end = time.monotonic() + 120
            while done_in(folder) < 5 and time.monotonic() < end:
                time.sleep(0.005)
            killed.append(done_in(folder))
            for worker in workers[:2]:
                os.kill(worker, signal.SIGKILL)

        killer = threading.Thread(target=kill_two)
        killer.start()
        spread = run_experiment("low-samples", data, folder, cluster=cluster.scheduler_address, **SETTINGS)
        killer.join()
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers[:2])
    assert 5 <= killed[0] < len(alone.done())
    assert spread.done() == alone.done()
    pd.testing.assert_series_equal(scores(spread), scores(alone), rtol=1e-9)
