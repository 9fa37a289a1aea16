"""Features of a CNF: its structure, and the first conflicts of a solver on it.

gbdc computes the structure. It barely differs between instances of one generator; for those the probes carry the
information: unit propagation after random decisions, and clasp and MiniSat for a few hundred conflicts. clasp runs with
several seeds: the mean over them describes the search, their deviation its dependence on luck. No feature is a time:
the file and the seed determine all of them.
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

from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features import inspector
from bayes_distnet.features.base import Features, Meter
from bayes_distnet.features.dimacs import clean_dimacs
from bayes_distnet.features.inspector import CONFLICTS
from bayes_distnet.validation import check_seed

PROBES = 3  # seeds of clasp per number of conflicts


def cnf_features(path: str | os.PathLike[str], *, random_state: int = 0, time_limit: float = 30.0) -> Features:
    """Compute the features of a DIMACS CNF file.

    Parameters
    ----------
    path : path-like
        The file, plain or compressed (.gz, .xz).
    random_state : int, default 0
        Seed of the random decisions and of the runs of clasp.
    time_limit : float, default 30.0
        Limit in wall-clock seconds.

    Returns
    -------
    Features
        Named numbers, and the CPU seconds that they took.

    Raises
    ------
    FeatureError
        If the file is not valid, or the time limit is reached.
    SettingError
        If a program or package that computes features is not installed.
    """
    meter = Meter(Path(path), time_limit)
    seed = check_seed("random_state", random_state)
    first = seed * PROBES
    text = clean_dimacs(meter.path, meter.left)
    with tempfile.TemporaryDirectory() as folder:
        # All programs read the same clean text: comments and compression have no influence.
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
    """Compute structure and propagation in a separate program, because the C++ that it calls has no time limit."""
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
    """Return the statistics of clasp after a number of conflicts."""
    from bayes_distnet.collect.solvers.clasp import RANDOMISED, clasp_program

    options = ("--outf=2", "--stats=2", "--quiet=2,2", *RANDOMISED, f"--solve-limit={conflicts}", f"--seed={seed}")
    return _json(meter, [*clasp_program(), *options, str(path)], "clasp")


def _json(meter: Meter, command: list[str], program: str) -> dict[str, Any]:
    outcome = meter.run(command)
    try:
        found: dict[str, Any] = json.loads(outcome.output)
    except ValueError:
        message = (outcome.errors.strip().splitlines() or ["nothing"])[-1]
        raise FeatureError(
            f"{meter.path}: {program} ended with exit code {outcome.exit_code} and printed {message!r}. "
            "Leave this instance out, or give its features yourself."
        ) from None
    return found


def _search(found: dict[str, Any]) -> dict[str, float]:
    """Return the figures of one probe; all are defined, even without any conflict."""
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
    """Return mean and deviation of every figure over the seeds."""
    values = {}
    for name in probes[0]:
        figures = [probe[name] for probe in probes]
        values[f"{prefix}.{name}.mean"] = fmean(figures)
        values[f"{prefix}.{name}.std"] = pstdev(figures)
    return values


def _preprocessed(problem: dict[str, Any], clauses: float) -> dict[str, float]:
    """Return the size of the problem after clasp's preprocessing, relative to that before."""
    variables, left = max(problem["Variables"], 1), problem["Constraints"]
    return {
        "preprocessed.eliminated": problem["Eliminated"] / variables,
        "preprocessed.constraints": left["Sum"] / clauses,
        "preprocessed.binary": left["Binary"] / max(left["Sum"], 1),
        "preprocessed.ternary": left["Ternary"] / max(left["Sum"], 1),
    }


def _growth(values: dict[str, float]) -> dict[str, float]:
    """Return log ratios of figures of the longest and the shortest probe, and the learnt length per variable."""
    growth = {}
    for name in ("learnt_length", "choices_per_conflict", "jump_length"):
        first, last = (values[f"probe{conflicts}.{name}.mean"] for conflicts in (CONFLICTS[0], CONFLICTS[-1]))
        growth[f"growth.{name}"] = math.log((last + 1) / (first + 1))
    length = values[f"probe{CONFLICTS[-1]}.learnt_length.mean"]
    return growth | {"growth.learnt_length_per_variable": length / values["structure.variables"]}
