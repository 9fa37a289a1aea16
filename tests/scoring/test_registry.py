import subprocess
import sys

from bayes_distnet.scoring.registry import SCORES, Better


def test_a_target_has_a_value_and_nothing_else_has():
    assert all((score.better is Better.TARGET) == (score.target is not None) for score in SCORES.values())


def test_experiments_compute_these_scores():
    assert {key for key, score in SCORES.items() if score.computed} == {
        *("nllh", "kld", "ks", "crps", "mass", "coverage", "band_coverage", "joint_nllh", "calibration"),
        *("nllh_published", "kld_published", "ks_published"),
    }


def test_the_registry_is_light():
    program = "import sys, bayes_distnet.scoring.registry; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"
