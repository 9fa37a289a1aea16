"""The layout of a table with one row per run: which columns hold the time, the outcome and the instance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from bayes_distnet.errors import SettingError

#: Statuses of runs that finished, and of runs that were cut off, unless others are given; case does not matter.
FINISHED_VALUES = ("completed", "complete", "finished", "done", "ok", "success", "succeeded", "solved")
CENSORED_VALUES = ("timeout", "timed_out", "timedout", "timelimit", "time_limit", "cutoff", "censored", "running")


@dataclass(frozen=True)
class TableLayout:
    """Roles of the columns of a table with one row per run.

    Parameters
    ----------
    time : str
        Column of the runtime: seconds, or durations such as 1-02:30:00.
    status : str or None
        Column of the outcome in words.
    finished : str or None
        Column of truth values, in the place of `status`: whether the run finished; else it was cut off at its time.
    finished_values, censored_values : tuple of str
        Statuses of runs that finished, and of runs that were cut off. Rows with another status are left out.
    group : str or None
        Column that names the instance, or what rows have in common: rows of a group are never split.
    cutoff : str or None
        Column of the time limit of each run.
    drop : tuple of str
        Columns that are no features.
    keep : tuple of str
        Columns that are features even if they seem to identify rows.
    categorical : tuple of str
        Columns of numbers that are names, such as a version.
    identifiers : tuple of str
        Columns that were recognised as names of rows; the first of them names instances.
    """

    time: str
    status: str | None = None
    finished: str | None = None
    finished_values: tuple[str, ...] = FINISHED_VALUES
    censored_values: tuple[str, ...] = CENSORED_VALUES
    group: str | None = None
    cutoff: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse roles that exclude each other."""
        if self.status is not None and self.finished is not None:
            raise SettingError(
                f"status={self.status!r} and finished={self.finished!r}: the outcome is in one column; give one."
            )
        if both := {*folded(self.finished_values)} & {*folded(self.censored_values)}:
            raise SettingError(f"{sorted(both)[0]!r} is among finished_values and among censored_values; choose one.")

    @property
    def outcome(self) -> tuple[str, ...]:
        """Columns that are known only after a run, or name it: no features."""
        roles = (self.time, self.status, self.finished, self.group)
        return tuple(role for role in roles if role is not None) + self.drop

    def to_dict(self) -> dict[str, Any]:
        """Return the layout as JSON can hold it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """Restore a layout; a ValueError reports contents that are none."""
        lists = {one.name for one in fields(cls) if isinstance(one.default, tuple)}
        if not isinstance(plain, dict) or not isinstance(plain.get("time"), str):
            raise ValueError("no layout of a table")
        for name, value in plain.items():
            right = (
                all(isinstance(word, str) for word in value)
                if name in lists and isinstance(value, list)
                else (name not in lists and (value is None or isinstance(value, str)))
            )
            if not right:
                raise ValueError(f"layout of the table: {name} is {value!r:.60}")
        restored: dict[str, Any] = {name: tuple(value) if name in lists else value for name, value in plain.items()}
        return cls(**restored)


def folded(words: Iterable[str]) -> list[str]:
    """Return words without blanks around them and without a difference between upper and lower case."""
    return [word.strip().casefold() for word in words]
