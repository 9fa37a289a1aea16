"""Random instances of hard problems, for collecting runs of randomised solvers.

A kind of instance has a module: its pure function takes sizes, and its `draw` takes them at random from a mix that
spreads a solver's typical runtimes widely. `generate` writes instances of a kind to files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bayes_distnet.collect.instances import colouring, factoring, quasigroup, random_ksat, sat_mix, zenotravel
from bayes_distnet.validation import check_at_least, check_choice, check_seed

__all__ = ["KINDS", "Kind", "generate"]


@dataclass(frozen=True)
class Kind:
    """A kind of instance: how to draw one, the suffix of its files, how its comments start and files beside them."""

    draw: Callable[[np.random.Generator], str]
    suffix: str = ".cnf"
    comment: str = "c"
    beside: Mapping[str, str] = field(default_factory=dict)


KINDS: Mapping[str, Kind] = {
    "factoring": Kind(factoring.draw),
    "random-ksat": Kind(random_ksat.draw),
    "colouring": Kind(colouring.draw),
    "quasigroup": Kind(quasigroup.draw),
    "sat-mix": Kind(sat_mix.draw),
    "zenotravel": Kind(zenotravel.draw, ".pddl", ";", {"domain.pddl": zenotravel.DOMAIN}),
}


def generate(kind: str, count: int, *, random_state: int, folder: str | Path) -> list[Path]:
    """Write instances 0 to count - 1 of a kind to a folder, which is made if need be, and return their files.

    A seed fixes every byte, and an instance does not depend on how many others are written. `KINDS` has the names
    of the kinds. ZenoTravel's `domain.pddl` is written beside the problems.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in generate("factoring", 2, random_state=0, folder=folder)]
    ['factoring-0000.cnf', 'factoring-0001.cnf']
    """
    check_choice("kind", kind, tuple(KINDS))
    check_at_least("count", count, 1)
    seed = check_seed("random_state", random_state)
    folder, chosen = Path(folder), KINDS[kind]
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in chosen.beside.items():
        _write(folder / name, text)
    files = [folder / f"{kind}-{index:04d}{chosen.suffix}" for index in range(count)]
    for index, file in enumerate(files):
        text = chosen.draw(np.random.default_rng([seed, index]))
        _write(file, f"{chosen.comment} {file.name}, seed {seed}\n{text}")
    return files


def _write(file: Path, text: str) -> None:
    # Bytes, not text: line ends are the same on every platform.
    file.write_bytes(text.encode("ascii"))
