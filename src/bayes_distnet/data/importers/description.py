"""The entries of an ASlib scenario's description.txt that are needed to read its runs and features.

The files are YAML, written by hand or by several programs, and some break its rules: they indent with tabs, leave a
lone `?` unquoted, or hold characters that YAML forbids. These three are repaired. All values are read as text, not
converted to numbers or truth values: a feature may be called `no`, and a solver `1.10`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import Reader

from bayes_distnet.data.feature_groups import FeatureGroup
from bayes_distnet.data.importers.archive import read_lines
from bayes_distnet.errors import RuntimeDataError

_LONE_QUESTION_MARK = re.compile(r"((?::|-) +)\?(?=\s*$| +#)", re.MULTILINE)


@dataclass(frozen=True)
class Description:
    """The entries of a description that are used.

    Parameters
    ----------
    measures : tuple of str
        Names of the performance measures.
    types : tuple of str
        Type of each measure: "runtime" or "solution_quality".
    cutoff : str
        Cutoff in seconds, as it is written; "" if the entry is missing.
    groups : tuple of FeatureGroup
        The feature steps: features that each provides, steps that it requires, and whether it is a default step. All
        are if the description names no default.
    """

    measures: tuple[str, ...]
    types: tuple[str, ...]
    cutoff: str
    groups: tuple[FeatureGroup, ...]


def read_description(path: Path) -> Description:
    """Read a description.

    Parameters
    ----------
    path : Path
        The file description.txt of a scenario.

    Returns
    -------
    Description
        Its entries.

    Raises
    ------
    RuntimeDataError
        If the file cannot be read, or is no YAML mapping.
    """
    return parse_description("\n".join(read_lines(path, RuntimeDataError)), str(path))


def parse_description(text: str, name: str = "description.txt") -> Description:
    """Parse a description.

    Parameters
    ----------
    text : str
        Contents of the file.
    name : str, default "description.txt"
        Name of the file in messages.

    Returns
    -------
    Description
        Its entries.

    Raises
    ------
    RuntimeDataError
        If the text is no YAML mapping.

    Examples
    --------
    >>> parse_description('''
    ... performance_measures:
    ... - PAR10
    ... performance_type: [runtime]
    ... algorithm_cutoff_time: 600
    ... feature_steps:
    ...   base:
    ...     provides:
    ...     - 'size'
    ... ''').groups
    (FeatureGroup(name='base', features=('size',), requires=(), default=True),)
    """
    entries = _mapping(_parse(text, name), "the description", name)
    return Description(
        measures=_items(entries.get("performance_measures", "")),
        types=_items(entries.get("performance_type", "")),
        cutoff=str(entries.get("algorithm_cutoff_time", "")).strip(),
        groups=_groups(entries, name),
    )


def _groups(entries: dict[str, Any], name: str) -> tuple[FeatureGroup, ...]:
    steps = _mapping(entries.get("feature_steps", ""), "feature_steps", name)
    bodies = {step: _mapping(body, step, name) for step, body in steps.items()}
    default = _items(entries.get("default_steps", "")) or tuple(bodies)
    return tuple(
        FeatureGroup(step, _items(body.get("provides", "")), _items(body.get("requires", "")), step in default)
        for step, body in bodies.items()
    )


def _parse(text: str, name: str) -> Any:
    repaired = Reader.NON_PRINTABLE.sub("\ufffd", text).expandtabs()
    repaired = _LONE_QUESTION_MARK.sub(r"\1'?'", repaired)
    try:
        return yaml.load(repaired, Loader=yaml.BaseLoader)  # as safe as `safe_load`, and all values stay text
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = name if mark is None else f"{name}, line {mark.line + 1}"
        reason = getattr(error, "problem", None) or error
        raise RuntimeDataError(f"{where}: not YAML ({reason}). Correct this line.") from error


def _mapping(value: Any, what: str, name: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if value in (None, "", "?"):
        return {}
    raise RuntimeDataError(f"{name}: {what} is {str(value)[:60]!r}; expected entries 'key: value'.")


def _items(value: Any) -> tuple[str, ...]:
    """Return a list, which may also be written as one text with commas."""
    found = value if isinstance(value, list) else str(value or "").split(",")
    return tuple(item for item in (str(one).strip() for one in found) if item)
