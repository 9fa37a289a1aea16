"""A solver: its command line, and the pattern that recognises its answer."""

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
    r"""A command line with placeholders, and a pattern that recognises its answer.

    Parameters
    ----------
    name : str
        Name in run tables.
    template : tuple of str
        Words of the command line. They may contain `{instance}` (path of the file), `{seed}`, `{cutoff}` (CPU
        seconds) and `{folder}` (folder of the instance file).
    answer : str
        Regular expression over lines. A run is solved if it matches in the standard output; its first group, if it
        has one, is recorded as the answer.
    version_command : tuple of str, default ()
        Command that prints the version; without one the digest of the program's file is the version.
    smallest_seed, largest_seed : int
        Seeds that the solver accepts.
    solution_template : tuple of str, default ()
        Words of the command line that prints the solution as well, where `template` prints the answer alone.
    exit_codes : tuple of (int, str), default ()
        Exit codes that are answers where the output has none, and these answers.

    Examples
    --------
    >>> solver = Solver("mine", ("mysolver", "--seed={seed}", "{instance}"), r"^s (\w+)")
    >>> solver.command(Path("a.cnf"), seed=7, cutoff=10.0)
    ['mysolver', '--seed=7', 'a.cnf']
    >>> solver.read_answer("c done\ns SATISFIABLE\n", 10)
    'SATISFIABLE'
    """

    name: str
    template: tuple[str, ...]
    answer: str
    version_command: tuple[str, ...] = ()
    smallest_seed: int = 0
    largest_seed: int = 2**31 - 1
    solution_template: tuple[str, ...] = ()
    exit_codes: tuple[tuple[int, str], ...] = ()

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
            raise SettingError(f"solver {self.name}: the command has no {{instance}}, the place of the instance file.")
        try:
            self.command(Path("/folder/file"), seed=1, cutoff=1.0)
        except ValueError as error:
            raise SettingError(f"solver {self.name}: the command cannot be filled in: {error}.") from error

    @property
    def takes_seed(self) -> bool:
        """Whether the command has a place for the seed."""
        return any("seed" in _placeholders(self.name, word) for word in self.template)

    def command(
        self, instance: Path, *, seed: int, cutoff: float, solution: bool = False, folder: Path | None = None
    ) -> list[str]:
        """Return the words of the command line of one run.

        Parameters
        ----------
        instance : Path
            Instance file.
        seed : int
            Seed of the run.
        cutoff : float
            CPU seconds that the run may take.
        solution : bool, default False
            Whether the solution is wanted, not only the answer.
        folder : Path, optional
            Folder of the instance, where the file is a copy from another folder.

        Returns
        -------
        list of str
            The words, with all placeholders filled in.
        """
        home = str(instance.parent if folder is None else folder)
        filled = {"instance": str(instance), "seed": seed, "cutoff": f"{cutoff:.15g}", "folder": home}
        template = (solution and self.solution_template) or self.template
        return [word.format(**filled) for word in template]

    def read_answer(self, output: str, exit_code: int) -> str | None:
        """Return the answer of a run.

        Parameters
        ----------
        output : str
            Standard output of the run.
        exit_code : int
            Exit code of the run, which decides where the output has no answer.

        Returns
        -------
        str or None
            The answer; None if there is none.
        """
        match = re.search(self.answer, output, re.MULTILINE)
        if match is None:
            return dict(self.exit_codes).get(exit_code)
        return match.group(1) if match.re.groups else match.group(0)

    def version(self) -> str:
        """Return the first line that the version command prints; without one, the digest of the program's file."""
        if not self.version_command:
            path = shutil.which(self.template[0])
            return "" if path is None else f"sha256 {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"
        lines = execute(self.version_command, cutoff=10.0).output.split("\n")
        return next((line.strip() for line in lines if line.strip()), "")


def _placeholders(solver: str, word: str) -> list[str]:
    try:
        found = [(name, form or "") for _, name, form, _ in string.Formatter().parse(word) if name is not None]
        if wide := [form for _, form in found if not re.fullmatch(r"[<>^]?\d{0,2}[dsx]?", form)]:
            raise ValueError(f"format {wide[0][:40]!r} of a placeholder; expected none, or a width below 100")
        return [name for name, _ in found]
    except ValueError as error:
        raise SettingError(f"solver {solver}: {word!r}: {error}. Write {{{{ and }}}} for braces.") from error


def program(name: str, *, wheel: str, inside: str, solver: str) -> str:
    """Find the program of a solver: on PATH, or else inside a Python package that contains it.

    Parameters
    ----------
    name : str
        Name of the program.
    wheel : str
        Name by which pip installs the package.
    inside : str
        Path of the program below the folder where packages are installed.
    solver : str
        Name of the solver, for messages.

    Returns
    -------
    str
        Path of the program.

    Raises
    ------
    SettingError
        If there is no such program.
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
