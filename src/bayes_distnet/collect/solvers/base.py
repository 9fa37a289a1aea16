"""What is known of a solver: how it is called, and how its answer is recognised."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
import string
from dataclasses import dataclass
from pathlib import Path

from bayes_distnet.collect.executor import execute
from bayes_distnet.errors import SettingError

PLACEHOLDERS = ("instance", "seed", "cutoff", "folder")


@dataclass(frozen=True)
class Solver:
    """A command line with placeholders, and a pattern that recognises its answer.

    The words of `template` may hold `{instance}` (the file's path), `{seed}`, `{cutoff}` (CPU seconds) and `{folder}`
    (where the instance file lies). A run is solved if `answer`, a regular expression over lines, is found in its
    standard output; its first group, if it has one, is the answer recorded.

    >>> solver = Solver("mine", ("mysolver", "--seed={seed}", "{instance}"), r"^s (\\w+)")
    >>> solver.command(Path("/data/a.cnf"), seed=7, cutoff=10.0)
    ['mysolver', '--seed=7', '/data/a.cnf']
    >>> solver.read_answer("c done\\ns SATISFIABLE\\n", 10)
    'SATISFIABLE'
    """

    name: str
    template: tuple[str, ...]
    answer: str
    version_command: tuple[str, ...] = ()
    smallest_seed: int = 0
    largest_seed: int = 2**31 - 1

    def __post_init__(self) -> None:
        """Refuse a template or pattern that cannot work before any run is started."""
        if not re.fullmatch(r"[\w.+-]+", self.name):
            raise SettingError(f"solver name {self.name!r}: expected letters, digits, '.', '_', '+' or '-' only.")
        try:
            re.compile(self.answer)
        except (re.error, OverflowError) as error:
            raise SettingError(f"solver {self.name}: answer pattern {self.answer!r}: {error}.") from error
        found = {name for word in self.template for name in _placeholders(self.name, word)}
        if unknown := sorted(found - set(PLACEHOLDERS)):
            raise SettingError(
                f"solver {self.name}: unknown placeholder {{{unknown[0]}}}; allowed: "
                f"{', '.join('{' + name + '}' for name in PLACEHOLDERS)}. Write {{{{ and }}}} for braces."
            )
        if "instance" not in found:
            raise SettingError(f"solver {self.name}: the command has no {{instance}}: it would never see the file.")
        try:
            self.command(Path("/folder/file"), seed=1, cutoff=1.0)
        except ValueError as error:
            raise SettingError(f"solver {self.name}: the command cannot be filled in: {error}.") from error

    @property
    def takes_seed(self) -> bool:
        """Whether the command has a place for the seed."""
        return any("seed" in _placeholders(self.name, word) for word in self.template)

    def command(self, instance: Path, *, seed: int, cutoff: float) -> list[str]:
        """Return the words of the command line of one run."""
        filled = {"instance": str(instance), "seed": seed, "cutoff": f"{cutoff:.15g}", "folder": str(instance.parent)}
        return [word.format(**filled) for word in self.template]

    def read_answer(self, output: str, exit_code: int) -> str | None:
        """Return the answer in a standard output; None if there is none."""
        match = re.search(self.answer, output, re.MULTILINE)
        if match is None:
            return None
        return match.group(1) if match.re.groups else match.group(0)

    def version(self) -> str:
        """Return the first line the solver prints about its version; where it has no way to tell, its file's digest."""
        if not self.version_command:
            path = shutil.which(self.template[0])
            return "" if path is None else f"sha256 {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"
        lines = execute(self.version_command, cutoff=10.0).output.split("\n")
        return next((line.strip() for line in lines if line.strip()), "")


def _placeholders(solver: str, word: str) -> list[str]:
    try:
        return [name for _, name, _, _ in string.Formatter().parse(word) if name is not None]
    except ValueError as error:
        raise SettingError(f"solver {solver}: {word!r}: {error}. Write {{{{ and }}}} for braces.") from error


def program(name: str, *, wheel: str, inside: str, solver: str) -> str:
    """Return the path of a solver's program: on PATH, else inside a Python package that brings it.

    `inside` is its path below the folder where packages are installed, `wheel` the name to install it by.
    """
    if found := shutil.which(name):
        return found
    package, _, below = inside.partition("/")
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if Path(folder, below).exists():
            return str(Path(folder, below))
    raise SettingError(
        f"solver {solver}: no program {name!r} on PATH, and the package {wheel!r} is not installed. "
        f"Install one of them, e.g.: pip install {wheel}"
    )
