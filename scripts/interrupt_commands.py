"""Send Ctrl-C to every command at random moments; each must end with exit code 130, without a traceback.

    python scripts/interrupt_commands.py --times 100 [--only fit,experiment] [--seed 0]

Every command runs in a folder of its own under the system's temporary folder. A moment is uniform between the start and
the usual end of the command. The signal goes to the whole process group, as from a terminal.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONSOLE = [sys.executable, "-c", "import sys; from bayes_distnet_start import main; sys.exit(main())"]
COMMANDS = {
    "help": "--help",
    "generate": "generate factoring 40 --out {run}/instances",
    "collect": "collect instances --solver clasp --seeds 40 --cutoff 5 --store {run}/runs.sqlite",
    "features": "features instances --out {run}/features.csv --cores 2",
    "fit": "fit few --out {run}/model",
    "fit-portfolio": "fit few-solvers --portfolio --model ridge --out {run}/portfolio",
    "predict": "predict model few/features.parquet --out {run}/predictions.csv",
    "evaluate": "evaluate model few",
    "advise": "advise {instance} --model portfolio",
    "run": "run {instance} --model portfolio --verify --cores 2 --store {run}/runs.sqlite",
    "serve": "serve --model model --data few --port 0",
    "experiment": "experiment low-samples --data few --models distnet,ridge --quick --cores 2 --out {run}/r",
    "report": "report {run}/results",
    "info": "info few",
}
#: Commands that go on until they are stopped, and the latest moment of the signal, in seconds.
ENDLESS = {"serve": 4.0}
BAD = ("Traceback", "Segmentation", "Error", "Exception ignored", "core dumped")
DONE = (0, 10, 20)  # it ended before the signal; `run` ends as the solver did
SLOWEST = 8.0  # seconds from the signal to the end


def run(line: str, folder: Path, seconds: float | None) -> tuple[int, str, float]:
    """Run a command, interrupt it after some seconds, and return exit code, errors and the time that its end took."""
    inside = folder / "run"
    shutil.rmtree(inside, ignore_errors=True)
    inside.mkdir()
    if "{run}/results" in line:
        shutil.copytree(folder / "results", inside / "results")
    process = subprocess.Popen(
        [*CONSOLE, *line.format(run=inside, instance=next((folder / "instances").iterdir())).split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
    began = time.monotonic()
    _, errors = process.communicate()
    return process.returncode, errors, time.monotonic() - began


def verdict(code: int, errors: str, took: float) -> str | None:
    """Return what is wrong with the end of an interrupted command, or None."""
    if code in DONE:
        return None
    if code == -signal.SIGINT and not errors:
        return None  # the interpreter had not begun
    if code != 130:
        return f"exit code {code}"
    found = [word for word in BAD if word in errors]
    return f"printed {found[0]}" if found else "slow" if took > SLOWEST else None


def prepare(folder: Path) -> None:
    """Make the instances, data, models and results that commands read."""
    from bayes_distnet import load_dataset

    load_dataset("lpg-zenotravel").split(0.2, random_state=0)[1].save(folder / "few")
    load_dataset("sat-portfolio").split(0.2, random_state=0)[1].save(folder / "few-solvers")
    for line in (
        "generate factoring 6 --out instances",
        "fit few --model ridge --out model",
        "fit few-solvers --portfolio --model ridge --out portfolio",
        "experiment low-samples --data few --models marginal,ridge --quick --out results",
    ):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([*CONSOLE, *line.split()], cwd=folder, check=True, **quiet)


def main() -> int:
    """Print one line per command; return 1 if any end was wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--only", default=",".join(COMMANDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=20.0, help="latest moment, in seconds")
    parsed = parser.parse_args()
    moments, wrong = random.Random(parsed.seed), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        print(
            f"{'command':<14} {'130':>4} {'done':>5} {'wrong':>6} {'usual s':>8} {'median end':>11} {'slowest s':>10}",
            flush=True,
        )
        for key in parsed.only.split(","):
            began, longest = time.monotonic(), ENDLESS.get(key, parsed.longest)
            run(COMMANDS[key], folder, longest)
            usual = min(time.monotonic() - began, longest)
            ends = [run(COMMANDS[key], folder, moments.uniform(0.0, usual)) for _ in range(parsed.times)]
            bad = [(verdict(*end), end) for end in ends if verdict(*end)]
            wrong += len(bad)
            took = [end[2] for end in ends if end[0] == 130]
            print(
                f"{key:<14} {len(took):>4} {sum(end[0] in DONE for end in ends):>5} {len(bad):>6} {usual:>8.1f} "
                f"{statistics.median(took or [0.0]):>11.2f} {max(took, default=0.0):>10.2f}",
                flush=True,
            )
            for why, (_, errors, _) in bad[:3]:
                print(f"    {why}: {errors.strip()[-600:]!r}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
