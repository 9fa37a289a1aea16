import subprocess
import sys

PROGRAM = """
import os, warnings
warnings.simplefilter("ignore")  # JAX warns of forks, too
from bayes_distnet import DistNet, make_runs
data = make_runs(n_instances=20, n_runs=2, random_state=0)
def fit():
    DistNet(max_iter=20, random_state=0).fit(data.features, data.seconds)
fit()
if os.fork() == 0:
    try:
        fit()
    except Exception as error:
        print(type(error).__name__, error, flush=True)
    os._exit(0)
os.wait()
"""


def test_training_in_a_fork_of_a_process_that_has_trained_is_refused():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("SettingError networks cannot be trained in a fork of a process that has trained one")
