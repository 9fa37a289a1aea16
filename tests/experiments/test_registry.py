import subprocess
import sys

from bayes_distnet.experiments.registry import EXPERIMENTS
from bayes_distnet.experiments.results import COLUMNS
from bayes_distnet.registry import load


def test_every_experiment_has_a_job_and_an_axis_of_the_tidy_table():
    assert list(EXPERIMENTS) == ["low-samples", "censoring", "uncertainty"]
    for entry in EXPERIMENTS.values():
        assert callable(load(entry.source))
        assert entry.axis is None or entry.axis in COLUMNS["results"]


def test_the_registry_is_light():
    program = "import sys, bayes_distnet.experiments.registry; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"
