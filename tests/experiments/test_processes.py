import os
from dataclasses import replace

import pytest

from bayes_distnet.collect import cores
from bayes_distnet.experiments import processes
from bayes_distnet.experiments.plans import make_plan
from bayes_distnet.experiments.processes import Pace, local_processes


def test_one_core_is_one_thread_of_jax_too(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--mine")
    with local_processes(1) as pool:
        assert pool.pool is None
        assert os.environ["XLA_FLAGS"].startswith("--mine --xla_cpu_multi_thread_eigen=false")
    assert os.environ["XLA_FLAGS"] == "--mine"


def test_a_process_per_core_where_the_system_has_no_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert cores.usable_cores() == 1
    with local_processes() as pool:
        assert pool.size == 1


def test_time_left_is_that_of_the_models_left(data):
    jobs = make_plan("low-samples", data, models=["ridge"], runs=(1, 2), folds=2, seeds=1).jobs()
    slow = [replace(job, model="slow") for job in jobs]
    with Pace(8, [*jobs, *slow], 2, "toy", shown=False) as pace:
        pace.done(jobs[0], {"seconds": 1.0})
        assert pace.seconds_left() == pytest.approx((3 + 4) / 2)  # a model without a job done costs the mean
        pace.done(slow[0], {"seconds": 9.0})
        assert pace.seconds_left() == pytest.approx((3 + 3 * 9) / 2)


@pytest.mark.parametrize(("seconds", "text"), [(89, "89 s"), (600, "10 min"), (9000, "2.5 h")])
def test_durations_are_short(seconds, text):
    assert processes._duration(seconds) == text
