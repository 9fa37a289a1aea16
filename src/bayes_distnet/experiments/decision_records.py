"""Outcomes of policies in a job's record, short enough for a journal, and as rows of the tidy table.

A policy decides on each test instance of a fold; a measure, such as the seconds until the answer, is one number per
instance. A curve is a line with a band for one instance, for a figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bayes_distnet.arrays import FloatArray
from bayes_distnet.models.registry import Role

_DIGITS = 6  # significant digits of stored values


@dataclass(frozen=True)
class Outcome:
    """Outcome of a policy on the test instances of a fold.

    Parameters
    ----------
    policy : str
        Name of the policy in tables.
    role : Role
        Model (decides from predictions of this package), peer (the alternative) or limit (knows the test runs).
    values : mapping of str to ndarray
        For each measure one value per test instance.
    """

    policy: str
    role: Role
    values: Mapping[str, FloatArray]


@dataclass(frozen=True)
class Curve:
    """A line with a band for one instance.

    Parameters
    ----------
    curve : str
        Name of the line.
    instance : object
        Name of the instance.
    at, mean, low, high : ndarray
        Places on the horizontal axis, values and the ends of the band.
    """

    curve: str
    instance: Any
    at: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray


def record_of(outcomes: Iterable[Outcome], instances: Sequence[Any], curves: Iterable[Curve] = ()) -> dict[str, Any]:
    """Return outcomes as entries of a job's record.

    Parameters
    ----------
    outcomes : iterable of Outcome
        One per policy.
    instances : sequence
        Names of the test instances.
    curves : iterable of Curve
        Lines for figures.

    Returns
    -------
    dict
        Entries "decisions" and, if there are any, "curves".
    """
    policies = [
        {"policy": o.policy, "role": str(o.role), "measures": {name: _short(v) for name, v in o.values.items()}}
        for o in outcomes
    ]
    lines = [
        {"curve": c.curve, "instance": c.instance}
        | {name: _short(getattr(c, name)) for name in ("at", "mean", "low", "high")}
        for c in curves
    ]
    return {"decisions": {"instances": list(instances), "policies": policies}} | ({"curves": lines} if lines else {})


def _short(values: FloatArray) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values]


def decision_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the rows of a record in the tidy table of decisions.

    Parameters
    ----------
    record : mapping
        Record of a job.

    Yields
    ------
    dict
        One row per policy, measure and instance.
    """
    names = record["decisions"]["instances"]
    for policy in record["decisions"]["policies"]:
        row = {"experiment": record["kind"], **record["key"], "policy": policy["policy"], "role": policy["role"]}
        for measure, values in policy["measures"].items():
            for name, value in zip(names, values, strict=True):
                yield row | {"instance": name, "measure": measure, "value": value}


def curve_rows(record: Mapping[str, Any], curve: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the rows of a curve.

    Parameters
    ----------
    record : mapping
        Record of a job.
    curve : mapping
        One of its curves.

    Yields
    ------
    dict
        One row per point.
    """
    row = {"experiment": record["kind"], **record["key"], "curve": curve["curve"], "instance": curve["instance"]}
    for at, mean, low, high in zip(*(curve[name] for name in ("at", "mean", "low", "high")), strict=True):
        yield row | {"at": at, "mean": mean, "low": low, "high": high}
