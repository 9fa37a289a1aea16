"""Features of a CNF: its structure, and what a solver's first conflicts look like.

Structure comes from gbdc. Where all instances come from one generator it barely differs, and the signal is in the
probes: unit propagation after random decisions, and clasp and MiniSat for a few hundred conflicts. clasp runs with
several seeds: the mean over them tells how the search goes, their deviation how much it depends on luck. No feature is
a time: the file and the seed determine all of them.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
import tempfile
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from bayes_distnet.collect.solvers.clasp import RANDOMISED, clasp_program
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features import inspector
from bayes_distnet.features.base import Features, Meter
from bayes_distnet.features.dimacs import clean_dimacs
from bayes_distnet.features.inspector import CONFLICTS
from bayes_distnet.validation import check_seed

PROBES = 3
_PROBE = ("--outf=2", "--stats=2", "--quiet=2,2", *RANDOMISED)


def cnf_features(path: str | os.PathLike[str], *, random_state: int = 0, time_limit: float = 30.0) -> Features:
    """Return the features of a DIMACS CNF file, plain or compressed (.gz, .xz).

    Raises a `FeatureError` if the file is not valid, or if `time_limit` wall-clock seconds are not enough.
    """
    meter = Meter(Path(path), time_limit)
    seed = check_seed("random_state", random_state)
    first = seed * PROBES
    text = clean_dimacs(meter.path, meter.left)
    with tempfile.TemporaryDirectory() as folder:
        # Both programs read the same clean text: comments and compression change nothing.
        clean = Path(folder, "clean.cnf")
        clean.write_bytes(text)
        values = _inspect(clean, meter, seed)
        for conflicts in CONFLICTS:
            probes = [_probe(clean, meter, conflicts, (first + i) % 2**31) for i in range(PROBES)]
            values |= _summary(f"probe{conflicts}", [_search(stats) for stats in probes])
        values |= _preprocessed(probes[0]["Stats"]["Problem"], values["structure.clauses"])
    values |= _growth(values)
    return Features(values, meter.cost)


def _inspect(path: Path, meter: Meter, seed: int) -> dict[str, float]:
    """Structure and propagation, by a program of its own: it calls C++ that knows no time limit."""
    homes = []
    for package, name in (("gbdc", "gbdc"), ("pysat", "python-sat")):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise SettingError(f"CNF features need the package {name!r}, which is not installed: pip install {name}")
        homes.append(str(Path(spec.origin).parents[1 if spec.submodule_search_locations else 0]))
    command = [sys.executable, "-I", "-S", inspector.__file__, os.pathsep.join(homes), str(path), str(seed)]
    values: dict[str, float] = _json(meter, command, "gbdc or MiniSat")
    return values | {"structure.clauses_per_variable": values["structure.clauses"] / values["structure.variables"]}


def _probe(path: Path, meter: Meter, conflicts: int, seed: int) -> dict[str, Any]:
    """Statistics of clasp after so many conflicts."""
    limits = (f"--solve-limit={conflicts}", f"--seed={seed}")
    return _json(meter, [*clasp_program(), *_PROBE, *limits, str(path)], "clasp")


def _json(meter: Meter, command: list[str], program: str) -> dict[str, Any]:
    outcome = meter.run(command)
    try:
        found: dict[str, Any] = json.loads(outcome.output)
    except ValueError:
        said = (outcome.errors.strip().splitlines() or ["nothing"])[-1]
        raise FeatureError(
            f"{meter.path}: {program} ended with exit code {outcome.exit_code} and said {said!r}. "
            "Leave this instance out, or give its features yourself."
        ) from None
    return found


def _search(found: dict[str, Any]) -> dict[str, float]:
    """What one probe saw; every figure is defined even if there was no conflict at all."""
    core, jumps, lemmas = found["Stats"]["Core"], found["Stats"]["Jumps"], found["Stats"]["More"]["Lemma"]
    kinds = {kind["Type"]: kind for kind in lemmas["Type"]}
    conflicts, choices = max(core["Conflicts"], 1), max(core["Choices"], 1)
    return {
        "solved": float(found["Result"] != "UNKNOWN"),
        "conflicts": core["Conflicts"],
        "choices_per_conflict": core["Choices"] / conflicts,
        "restarts": core["Restarts"],
        "backjumps_per_conflict": core["Backjumps"] / conflicts,
        "learnt_length": kinds["Conflict"]["AvgLen"],
        "learnt_binary": kinds["Short"]["Binary"] / conflicts,
        "learnt_ternary": kinds["Short"]["Ternary"] / conflicts,
        "learnt_deleted": lemmas["Deleted"] / conflicts,
        "jump_length": jumps["Avg"],
        "jump_longest": jumps["Max"],
        "levels_undone_per_choice": jumps["Levels"] / choices,
    }


def _summary(prefix: str, probes: list[dict[str, float]]) -> dict[str, float]:
    """Mean and deviation of every figure over the seeds."""
    values = {}
    for name in probes[0]:
        figures = [probe[name] for probe in probes]
        values[f"{prefix}.{name}.mean"] = fmean(figures)
        values[f"{prefix}.{name}.std"] = pstdev(figures)
    return values


def _preprocessed(problem: dict[str, Any], clauses: float) -> dict[str, float]:
    """What clasp's preprocessing left of the problem."""
    variables, left = max(problem["Variables"], 1), problem["Constraints"]
    return {
        "preprocessed.eliminated": problem["Eliminated"] / variables,
        "preprocessed.constraints": left["Sum"] / clauses,
        "preprocessed.binary": left["Binary"] / max(left["Sum"], 1),
        "preprocessed.ternary": left["Ternary"] / max(left["Sum"], 1),
    }


def _growth(values: dict[str, float]) -> dict[str, float]:
    """How figures change from the shortest probe to the longest, as log ratios; learnt length also by variables."""
    growth = {}
    for name in ("learnt_length", "choices_per_conflict", "jump_length"):
        first, last = (values[f"probe{conflicts}.{name}.mean"] for conflicts in (CONFLICTS[0], CONFLICTS[-1]))
        growth[f"growth.{name}"] = math.log((last + 1) / (first + 1))
    length = values[f"probe{CONFLICTS[-1]}.learnt_length.mean"]
    return growth | {"growth.learnt_length_per_variable": length / values["structure.variables"]}
