import subprocess
import sys

from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import COLUMNS
from bayes_distnet.registry import load


def test_every_experiment_has_a_job_and_an_axis_of_the_tidy_table():
    paper = ["low-samples", "censoring", "uncertainty"]
    assert list(EXPERIMENTS) == [*paper, "restarts", "selection", "portfolio"]
    assert [key for key, entry in EXPERIMENTS.items() if not entry.decides] == paper
    for entry in EXPERIMENTS.values():
        assert callable(load(entry.source))
        assert not entry.decides or callable(load(entry.summary_source))
        assert entry.axis is None or entry.axis in COLUMNS["results"]


def test_the_registry_is_light():
    program = "import sys, bayes_distnet.experiments.registry; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"
