"""Kill collectors, workers and supervisors at random for minutes, then print the ledger.

    python scripts/soak.py --minutes 10 [--seed 0]

A collection of short runs goes on in a temporary folder, by two collectors that share a store. Every second or so one
process is killed: a collector, a supervisor, a guardian or a solver; supervisors are also stopped. A collector that is
gone is started again. In the end the collection is completed in peace. Every run of the grid must then be in the store
exactly once, and no process and no folder may be left.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bayes_distnet.collect.supervisor.tree import descendants
from bayes_distnet.data.store import Store

CONSOLE = [sys.executable, "-c", "import sys; from bayes_distnet_start import main; sys.exit(main())"]
SOLVER = "sh -c 'sleep 0.05; sleep 0.05 & echo answer $1' sh {seed} {instance}"
INSTANCES, SEEDS, COLLECTORS = 20, 3000, 2
TARGETS = ("collector", "supervisor", "guardian", "solver", "stopped supervisor")


def collector(folder: Path, seeds: int) -> subprocess.Popen[bytes]:
    """Start a collector on two cores of its own grid in the shared store."""
    words = ["collect", str(folder / "instances"), "--command", SOLVER, "--answer", "^answer", "--name", "soaked"]
    words += ["--seeds", str(seeds), "--cutoff", "5", "--wall", "6", "--store", str(folder / "runs.sqlite"), "--quiet"]
    with (folder / "errors.txt").open("ab") as errors:
        return subprocess.Popen(
            [*CONSOLE, *words],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, "TMPDIR": str(folder / "tmp")},
        )


def victim(kind: str, running: list[subprocess.Popen[bytes]], rng: random.Random) -> int | None:
    """Return a process of a kind, or None if there is none now."""
    alive = [process.pid for process in running if process.poll() is None]
    if not alive:
        return None
    chosen = rng.choice(alive)
    if kind == "collector":
        return chosen
    below = {depth: [] for depth in range(1, 9)}
    depths = {chosen: 0}
    for process in descendants(chosen):
        with contextlib.suppress(OSError, ValueError):
            parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
            depths[process] = depths.get(parent, 0) + 1
            below.setdefault(depths[process], []).append(process)
    found = below[{"guardian": 1, "supervisor": 2, "stopped supervisor": 2, "solver": 3}[kind]]
    return rng.choice(found) if found else None


def soak(folder: Path, minutes: float, rng: random.Random) -> Counter[str]:
    """Kill processes for some minutes; return how many of each kind."""
    running = [collector(folder, SEEDS) for _ in range(COLLECTORS)]
    killed, end = Counter[str](), time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        time.sleep(rng.uniform(0.2, 1.5))
        kind = rng.choice(TARGETS)
        process = victim(kind, running, rng)
        if process is not None:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGSTOP if kind == "stopped supervisor" else signal.SIGKILL)
                killed[kind] += 1
        ended = [one for one in running if one.poll() is not None]
        killed["collectors that gave up"] += sum(one.returncode == 2 for one in ended)
        running = [one for one in running if one.poll() is None] + [collector(folder, SEEDS) for _ in ended]
    for one in running:
        one.send_signal(signal.SIGTERM)
    for one in running:
        one.wait()
    return killed


def left(folder: Path) -> list[str]:
    """Return command lines of processes that mention the folder."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            line = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if str(folder) in line and int(process) != os.getpid():
                found.append(f"{process} {line}")
    return found


def main() -> int:
    """Print the ledger; return 1 if a run is lost or doubled, or anything is left."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "instances").mkdir()
        (folder / "tmp").mkdir()
        for number in range(INSTANCES):
            (folder / "instances" / f"i{number}.txt").write_text(f"{number}")
        killed = soak(folder, parsed.minutes, random.Random(parsed.seed))
        with Store(folder / "runs.sqlite", read_only=True) as store:
            before = len(store.done())
            seeds = max((seed for _, _, seed in store.done()), default=0)
        completed = collector(folder, seeds).wait() if seeds else 1
        with Store(folder / "runs.sqlite", read_only=True) as store:
            frame = store.runs().frame
        valid = frame[frame["status"] != "interrupted"]  # an interrupted run is recorded, and done again
        keys = Counter(zip(valid["instance"], valid["seed"], strict=True))
        time.sleep(3.0)  # supervisors end after their collector
        processes, folders = left(folder), [p for p in (folder / "tmp").iterdir() if "cores" not in p.name]
        lost = INSTANCES * seeds - len(keys)
        doubled = sum(count - 1 for count in keys.values())
        ledger = {
            "killed": dict(killed),
            "runs done while killing": before,
            "runs done in the end": len(frame),
            "statuses": frame["status"].value_counts().to_dict(),
            "lost": lost,
            "doubled": doubled,
            "processes left": len(processes),
            "folders left": len(folders),
            "exit code of the last collector": completed,
        }
        for key, value in ledger.items():
            print(f"{key:<32} {value}")
        print(*processes, *folders, sep="\n")
        return int(bool(lost or doubled or processes or folders or completed))


if __name__ == "__main__":
    sys.exit(main())
