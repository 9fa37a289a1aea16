"""Search for inputs that break the package, for some minutes: `python scripts/fuzz.py --minutes 10`.

Rounds of tests/fuzz with new seeds, until the time is over or a test fails. The last line prints what was done; after a
failure it is the command that repeats it.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="default: 10")
    parser.add_argument("--seed", type=int, help="of the first round; default: random")
    parser.add_argument("tests", nargs="*", default=["tests/fuzz"], help="default: tests/fuzz")
    parsed = parser.parse_args()
    end = time.monotonic() + 60 * parsed.minutes
    seed = random.randrange(2**32) if parsed.seed is None else parsed.seed
    rounds = 0
    while (left := end - time.monotonic()) > 0:
        words = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", f"--hypothesis-seed={seed}", *parsed.tests]
        try:
            code = subprocess.run(words, env=os.environ | {"HYPOTHESIS_PROFILE": "fuzz"}, timeout=left).returncode
        except subprocess.TimeoutExpired:
            break
        if code:
            print(f"repeat with: HYPOTHESIS_PROFILE=fuzz python {' '.join(words[1:])}")
            return 1
        rounds, seed = rounds + 1, (seed + 1) % 2**32
    print(f"{rounds} complete rounds and a part of another in {parsed.minutes:g} minutes; nothing broke")
    return 0


if __name__ == "__main__":
    sys.exit(main())
