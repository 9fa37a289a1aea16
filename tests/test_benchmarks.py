import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "predict", "growth"])
def test_every_benchmark_of_speed_runs(name):
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(FOLDER / f"{name}.py"), "--quick"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "nan" not in done.stdout
    assert len(done.stdout.splitlines()) >= 3
