import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["statuses", "run", "shipped.registry"])
def test_modules_for_help_texts_and_collectors_need_no_heavy_package(module):
    program = (
        f"import sys, bayes_distnet.data.{module};"
        "assert not {'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_reading_a_data_set_does_not_load_scikit_learn():
    program = "import sys, bayes_distnet.data.open; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
