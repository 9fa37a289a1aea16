"""Features of a CNF in groups: counts, structure, unit propagation, and the first conflicts of a solver on it.

Counts cost milliseconds. gbdc computes the structure. Both barely differ between instances of one generator; for those
the probes carry the information: unit propagation after random decisions, and clasp and MiniSat for a few hundred
conflicts. clasp runs with several seeds: the mean over them describes the search, their deviation its dependence on
luck. No feature is a time: the file and the seed determine all of them.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features import inspector
from bayes_distnet.features.base import Features, Meter
from bayes_distnet.features.cnf_groups import CNF_GROUPS, SIZE
from bayes_distnet.features.cnf_size import size_features
from bayes_distnet.features.dimacs import clean_dimacs
from bayes_distnet.features.groups import with_required
from bayes_distnet.features.inspector import CONFLICTS
from bayes_distnet.files import naming
from bayes_distnet.validation import check_seed

PROBES = 3  # seeds of clasp per number of conflicts


def cnf_features(
    path: str | os.PathLike[str],
    *,
    random_state: int = 0,
    time_limit: float = 30.0,
    groups: Iterable[str] | None = None,
) -> Features:
    """Compute the features of a DIMACS CNF file.

    Parameters
    ----------
    path : path-like
        The file, plain or compressed (.gz, .xz, .bz2).
    random_state : int, default 0
        Seed of the random decisions and of the runs of clasp.
    time_limit : float, default 30.0
        Limit in wall-clock seconds.
    groups : iterable of str or None, default None
        Groups to compute: some of "size", "structure", "propagation", "probe100", "probe1000". The file is always read,
        so that "size" is always there; "probe1000" needs "probe100". None computes all.

    Returns
    -------
    Features
        Named numbers, and the CPU seconds that they took, as a whole and by group.

    Raises
    ------
    FeatureError
        If the file is not valid, or the time limit is reached.
    SettingError
        If a program or package that computes features is not installed, or there is no such group.
    """
    meter = Meter(Path(path), time_limit)
    seed = check_seed("random_state", random_state)
    wanted = with_required(CNF_GROUPS, groups)
    cnf = clean_dimacs(meter.path, meter.left)
    values = size_features(cnf)
    costs = {SIZE: meter.cost}
    if len(wanted) > 1:
        with tempfile.TemporaryDirectory() as folder:
            # All programs read the same clean text: comments and compression have no influence.
            clean = Path(folder, "clean.cnf")
            with naming(clean):
                clean.write_bytes(cnf.text)
            for name in wanted[1:]:
                values |= _COMPUTED[name](clean, meter, seed, values)
                costs[name] = meter.cost - sum(costs.values())
    return Features(values, meter.cost, costs)


def _structure(path: Path, meter: Meter, seed: int, known: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in _inspect(path, meter, "structure").items() if name not in known}


def _propagation(path: Path, meter: Meter, seed: int, known: dict[str, float]) -> dict[str, float]:
    return _inspect(path, meter, "propagation", str(seed))


def _probe100(path: Path, meter: Meter, seed: int, known: dict[str, float]) -> dict[str, float]:
    probes = _probes(path, meter, seed, CONFLICTS[0])
    values = _summary(f"probe{CONFLICTS[0]}", [_search(stats) for stats in probes])
    return values | _preprocessed(probes[0]["Stats"]["Problem"], known["structure.clauses"])


def _probe1000(path: Path, meter: Meter, seed: int, known: dict[str, float]) -> dict[str, float]:
    probes = _probes(path, meter, seed, CONFLICTS[1])
    values = _summary(f"probe{CONFLICTS[1]}", [_search(stats) for stats in probes])
    return values | _growth(known | values)


_COMPUTED: dict[str, Callable[[Path, Meter, int, dict[str, float]], dict[str, float]]] = {
    "structure": _structure,
    "propagation": _propagation,
    "probe100": _probe100,
    "probe1000": _probe1000,
}


def _inspect(path: Path, meter: Meter, group: str, *more: str) -> dict[str, float]:
    """Compute a group in a separate program, because the C++ that it calls has no time limit."""
    package, name = {"structure": ("gbdc", "gbdc"), "propagation": ("pysat", "python-sat")}[group]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SettingError(f"CNF features need the package {name!r}, which is not installed: pip install {name}")
    home = str(Path(spec.origin).parents[1 if spec.submodule_search_locations else 0])
    command = [sys.executable, "-I", "-S", inspector.__file__, home, group, str(path), *more]
    return _json(meter, command, name)


def _probes(path: Path, meter: Meter, seed: int, conflicts: int) -> list[dict[str, Any]]:
    first = seed * PROBES
    return [_probe(path, meter, conflicts, (first + i) % 2**31) for i in range(PROBES)]


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
