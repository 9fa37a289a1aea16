"""The registry of kinds of instances, and the function that writes instances to files.

Each kind has a module: a pure function takes sizes, and `draw` takes random sizes from a mix for which the typical
runtimes of solvers spread widely. To add a kind, write its module and one line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bayes_distnet.files import written_whole
from bayes_distnet.registry import Registry, load
from bayes_distnet.validation import check_at_least, check_seed

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Kind:
    """A kind of instance.

    Parameters
    ----------
    key : str
        Name, as on the command line and in file names.
    summary : str
        Description in one line, for help texts.
    source : str
        "package.module:function" of a function that takes a NumPy generator and returns the text of an instance.
    suffix : str, default ".cnf"
        End of the names of instance files.
    comment : str, default "c"
        Start of a comment line in instance files.
    beside : mapping, default empty
        Files that are written beside the instances: by name, the "package.module:attribute" of their text.
    """

    key: str
    summary: str
    source: str
    suffix: str = ".cnf"
    comment: str = "c"
    beside: Mapping[str, str] = field(default_factory=dict)

    def draw(self, rng: np.random.Generator) -> str:
        """Return the text of a random instance, drawn with a generator."""
        text: str = load(self.source)(rng)
        return text


_HERE = "bayes_distnet.collect.instances"

#: All kinds of instances, in the order of help texts.
KINDS: Registry[Kind] = Registry(
    "kind of instance",
    [
        Kind("factoring", "CNF: factors of a product of two primes", f"{_HERE}.factoring:draw"),
        Kind("random-ksat", "CNF: random clauses near the satisfiability threshold", f"{_HERE}.random_ksat:draw"),
        Kind("colouring", "CNF: colouring of small-world graphs", f"{_HERE}.colouring:draw"),
        Kind("quasigroup", "CNF: Latin squares with holes", f"{_HERE}.quasigroup:draw"),
        Kind("sat-mix", "CNF: a mix of the four kinds above", f"{_HERE}.sat_mix:draw"),
        Kind("quasigroup-small", "CNF: small Latin squares with holes", f"{_HERE}.quasigroup:draw_small"),
        Kind(
            "zenotravel",
            "PDDL: transport of people by aircraft",
            f"{_HERE}.zenotravel:draw",
            suffix=".pddl",
            comment=";",
            beside={"domain.pddl": f"{_HERE}.zenotravel:DOMAIN"},
        ),
    ],
)


def generate_instances(kind: str, count: int, *, folder: str | Path, random_state: int = 0) -> list[Path]:
    """Write random instances of a kind to files.

    The random state fixes every byte, and an instance does not depend on the number of instances.

    Parameters
    ----------
    kind : str
        Key in `KINDS`.
    count : int
        Number of instances.
    folder : str or Path
        Folder of the files; it is created if it does not exist.
    random_state : int, default 0
        Seed of the generator.

    Returns
    -------
    list of Path
        The files, one per instance.

    Raises
    ------
    SettingError
        If the kind is not in the registry, or a number is out of range.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in generate_instances("factoring", 2, folder=folder)]
    ['factoring-0000.cnf', 'factoring-0001.cnf']
    """
    import numpy as np

    chosen = KINDS.find(kind)
    check_at_least("count", count, 1)
    seed, folder = check_seed("random_state", random_state), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in chosen.beside.items():
        _write(folder / name, load(source))
    files = [folder / f"{kind}-{index:04d}{chosen.suffix}" for index in range(count)]
    for index, file in enumerate(files):
        text = chosen.draw(np.random.default_rng([seed, index]))
        _write(file, f"{chosen.comment} {file.name}, seed {seed}\n{text}")
    return files


def _write(file: Path, text: str) -> None:
    # Bytes, not text: line ends are the same on every platform.
    with written_whole(file) as draft:
        draft.write_bytes(text.encode("ascii"))
