"""The few entries of an ASlib scenario's description.txt that reading its runs and features needs.

The files are plain YAML: scalars, lists, and mappings by indentation. What else they hold is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_KEY = re.compile(r"(?P<key>[^\s#-].*?|-\S.*?)\s*:(?:\s+(?P<value>.*))?$")


@dataclass(frozen=True)
class Description:
    """What was measured (name and type of each measure), under which cutoff, and the features of every step."""

    measures: tuple[str, ...]
    types: tuple[str, ...]
    cutoff: str
    steps: dict[str, tuple[str, ...]]


def parse_description(lines: Iterable[str]) -> Description:
    """Parse a description.

    >>> parse_description(["performance_measures:", "- PAR10", "performance_type: [runtime]",
    ...                    "algorithm_cutoff_time: 600", "feature_steps:", "  base:", "    provides:", "    - 'size'"])
    Description(measures=('PAR10',), types=('runtime',), cutoff='600', steps={'base': ('size',)})
    """
    entries = _entries(lines)
    steps = {name: _entries(body) for name, (_, body) in _entries(_get(entries, "feature_steps")[1]).items()}
    return Description(
        measures=_items(*_get(entries, "performance_measures")),
        types=_items(*_get(entries, "performance_type")),
        cutoff=_scalar(_get(entries, "algorithm_cutoff_time")[0]),
        steps={name: _items(*_get(step, "provides")) for name, step in steps.items()},
    )


_Entry = tuple[str, list[str]]


def _get(entries: dict[str, _Entry], key: str) -> _Entry:
    return entries.get(key, ("", []))


def _entries(lines: Iterable[str]) -> dict[str, _Entry]:
    """Return each key at the outermost indentation with the rest of its line and the lines below it."""
    kept = [line.rstrip().expandtabs() for line in lines]
    kept = [line for line in kept if line and not line.lstrip().startswith("#") and line.strip() not in ("---", "...")]
    outer = min((_indent(line) for line in kept), default=0)
    entries: dict[str, _Entry] = {}
    body: list[str] = []
    for line in kept:
        match = _KEY.match(line[outer:]) if _indent(line) == outer else None
        if match is None:
            body.append(line)
            continue
        body = []
        entries[_scalar(match["key"])] = (match["value"] or "", body)
    return entries


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _items(inline: str, body: list[str]) -> tuple[str, ...]:
    """Return a list, be it written below its key, in brackets, or as one value or several with commas."""
    flow = " ".join([inline, *(line.strip() for line in body)]).strip()
    if flow.startswith("["):
        found = flow.strip("[]").split(",")
    elif inline:
        found = inline.split(",")
    else:
        found = [line.strip()[1:] for line in body if line.strip().startswith("- ")]
    return tuple(item for item in map(_scalar, found) if item)


def _scalar(text: str) -> str:
    text = re.sub(r"\s#.*$", "", text).strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("''", "'")
    return text
