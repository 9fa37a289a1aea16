"""A new environment with the package alone, shared by the journeys of a session, and an empty folder per journey.

`JOURNEY_PYTHON=.venv/bin/python pytest tests/journeys` takes an environment that exists, which is quicker.
"""

import os
import subprocess
import sys
import time
import venv
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]


@dataclass
class Traveller:
    """A user in an empty folder, whose commands are those of the new environment."""

    python: Path
    folder: Path
    started: float = field(default_factory=time.perf_counter)

    def shell(self, command: str, expect: tuple[int, ...] = (0,)) -> str:
        """Run a line of shell and return what it printed, on both streams."""
        names = ("HOME", "LANG", "TMPDIR", *(["PYTHONPATH"] if "JOURNEY_PYTHON" in os.environ else []))
        environment = {name: os.environ[name] for name in names if name in os.environ}
        environment["PATH"] = f"{self.python.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment | {"MPLBACKEND": "agg"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        assert done.returncode in expect, f"{command}\n{done.stdout[-3000:]}"
        return done.stdout

    def script(self, text: str) -> str:
        """Run a Python script and return what it printed."""
        (self.folder / "script.py").write_text(text, "utf-8")
        return self.shell("python script.py")

    def arrived(self, name: str) -> None:
        """Print the time to the first success."""
        print(f"{name}: first success after {time.perf_counter() - self.started:.0f} s")


@pytest.fixture(scope="session")
def python(tmp_path_factory) -> Path:
    """Return the interpreter of an environment with the package and its extras plots and solvers, and nothing else."""
    if "JOURNEY_PYTHON" in os.environ:
        return Path(os.environ["JOURNEY_PYTHON"]).absolute()
    shared = tmp_path_factory.getbasetemp().parent / "journeys"  # the same for all processes of pytest-xdist
    interpreter = shared / "bin" / "python"
    with FileLock(f"{shared}.lock"):
        if not (shared / "complete").exists():
            venv.create(shared, with_pip=True, symlinks=True)
            started = time.perf_counter()
            install = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
            subprocess.run([*install, f"{ROOT}[plots,solvers]"], check=True, cwd=shared)
            print(f"installed in {time.perf_counter() - started:.0f} s")
            (shared / "complete").touch()
    return interpreter


@pytest.fixture
def traveller(python, tmp_path) -> Traveller:
    """Return a user in an empty folder."""
    if sys.platform != "linux":
        pytest.skip("journeys run solvers, which needs Linux")
    return Traveller(python, tmp_path)
