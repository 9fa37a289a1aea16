"""Features of instance files: named numbers a model can learn from, and what they cost to compute.

`cnf_features` and `pddl_features` describe one file, `extract` many, each by the suffix of its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from bayes_distnet.errors import FeatureError
from bayes_distnet.features.base import Features
from bayes_distnet.features.cnf import cnf_features
from bayes_distnet.features.pddl import pddl_features
from bayes_distnet.validation import check_at_least, check_choice, check_positive, check_seed

__all__ = ["FeatureTable", "Features", "cnf_features", "extract", "pddl_features"]

CNF = (".cnf", ".cnf.gz", ".cnf.xz", ".dimacs")
PDDL = (".pddl",)


@dataclass(frozen=True)
class FeatureTable:
    """Features of many instances.

    `features` has a row an instance and NaN where a feature is unknown; `cost` the CPU seconds of each row, kept
    apart so that no model learns from it; `failures` the error of each instance that has none.
    """

    features: pd.DataFrame
    cost: pd.Series[float]
    failures: dict[str, str]


def extract(
    paths: Iterable[str | os.PathLike[str]],
    *,
    random_state: int = 0,
    time_limit: float = 30.0,
    n_jobs: int = 1,
    on_error: str = "raise",
    progress: bool = False,
) -> FeatureTable:
    """Compute the features of instance files; an instance is named by its file.

    time_limit: wall-clock seconds for one file. on_error: "raise" ends at the first file whose features cannot be
    computed, "nan" gives it a row of NaN and lists it in `failures`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "tiny.cnf")
    ...     _ = file.write_text("p cnf 2 2" + chr(10) + "1 2 0 -1 2 0")
    ...     table = extract([file])
    >>> table.features.loc["tiny.cnf", ["structure.clauses", "probe100.solved.mean"]].tolist()
    [2.0, 1.0]
    """
    files = [Path(path) for path in paths]
    check_choice("on_error", on_error, ("raise", "nan"))
    check_at_least("n_jobs", n_jobs, 1)
    check_positive("time_limit", time_limit)
    _check_names(files)
    jobs = (delayed(_one)(file, check_seed("random_state", random_state), time_limit) for file in files)
    results = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    found: dict[str, Features] = {}
    failures: dict[str, str] = {}
    for file, result in zip(files, tqdm(results, total=len(files), disable=not progress, unit="file"), strict=True):
        if isinstance(result, Features):
            found[file.name] = result
        elif on_error == "raise":
            raise result
        else:
            failures[file.name] = str(result)
    index = pd.Index([file.name for file in files], name="instance", dtype=object)
    rows = {name: one.values for name, one in found.items()}  # noqa: PD011
    features = pd.DataFrame.from_dict(rows, orient="index", dtype=float)
    cost = pd.Series({name: one.cost for name, one in found.items()}, name="cost", dtype=float)
    return FeatureTable(features.reindex(index), cost.reindex(index), failures)


def _one(path: Path, seed: int, time_limit: float) -> Features | FeatureError:
    try:
        if path.name.endswith(PDDL):
            return pddl_features(path, time_limit=time_limit)
        return cnf_features(path, random_state=seed, time_limit=time_limit)
    except FeatureError as error:
        return error


def _check_names(files: list[Path]) -> None:
    if not files:
        raise FeatureError("extract: no files. Give the paths of instances.")
    seen: dict[str, Path] = {}
    for file in files:
        if not file.name.endswith(CNF + PDDL):
            raise FeatureError(f"{file}: expected a file named *{', *'.join(CNF + PDDL)}. Rename it, or leave it out.")
        if not file.is_file():
            raise FeatureError(f"{file}: no such file.")
        if file.name in seen:
            raise FeatureError(f"{file}: {seen[file.name]} has the same name, and names tell instances apart.")
        seen[file.name] = file
