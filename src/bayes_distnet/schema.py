"""Forms of JSON files: the types of all values, checked once when a file is read.

A form is a type (str, int, float, bool, None, or object for anything), a list with one form (a list of such values), a
dict with one entry (an object whose keys have one form and whose values have another), or one of the classes below.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayes_distnet.errors import BayesDistNetError


@dataclass(frozen=True)
class Fields:
    """An object with named entries; further entries are kept as they are.

    Parameters
    ----------
    required, optional : mapping of str to form
        Entries that must be there, and entries that may be.
    """

    required: Mapping[str, Any]
    optional: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A list of a fixed length.

    Parameters
    ----------
    form : form
        Form of each value.
    length : int
        Number of values.
    """

    form: Any
    length: int


@dataclass(frozen=True)
class Count:
    """A whole number of a sensible size.

    Parameters
    ----------
    most : int
        The largest number; the least is 0.
    """

    most: int


@dataclass(frozen=True)
class OneOf:
    """A value of one of several forms; a text among them stands for itself.

    Parameters
    ----------
    forms : tuple
        Forms and texts.
    """

    forms: tuple[Any, ...]


def read_json(path: Path, form: Any, error: type[BayesDistNetError]) -> Any:
    """Read a JSON file of a known form.

    Parameters
    ----------
    path : Path
        The file.
    form : form
        Form of its content.
    error : type of exception
        Error to raise if it cannot be read, or has another form.

    Returns
    -------
    object
        Its content.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError) as cause:
        reason = getattr(cause, "strerror", None) or cause
        raise error(f"{path}: cannot be read ({reason}).") from cause
    return parse_json(text, form, str(path), error)


def parse_json(text: str, form: Any, where: str, error: type[BayesDistNetError]) -> Any:
    """Parse JSON of a known form.

    Parameters
    ----------
    text : str
        The JSON.
    form : form
        Form of its content.
    where : str
        Place of the text in messages.
    error : type of exception
        Error to raise if the text is no JSON, or has another form.

    Returns
    -------
    object
        Its content.

    Examples
    --------
    >>> from bayes_distnet.errors import RuntimeDataError
    >>> parse_json('{"a": [1, "x"]}', Fields({"a": [int]}), "file.json", RuntimeDataError)
    Traceback (most recent call last):
    bayes_distnet.errors.RuntimeDataError: file.json: a[1] is 'x'; expected a whole number.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as cause:  # RecursionError: lists in lists in lists
        raise error(f"{where}: not JSON ({cause}).") from cause
    if (found := mismatch(value, form)) is not None:
        raise error(f"{where}: {found}.")
    return value


def is_json(text: str) -> bool:
    """Whether a text is JSON of any form."""
    try:
        json.loads(text)
    except RecursionError:  # lists in lists in lists, but all of them end
        return True
    except ValueError:
        return False
    return True


def mismatch(value: Any, form: Any, name: str = "") -> str | None:
    """Return the first place where a value has another form than expected, in words; None if there is none.

    Parameters
    ----------
    value : object
        Value that JSON can hold.
    form : form
        The expected form.
    name : str, default ""
        Name of the value.

    Returns
    -------
    str or None
        Name, value and expected form.

    Examples
    --------
    >>> mismatch({"folds": "ten"}, Fields({"folds": Count(1000)}))
    "folds is 'ten'; expected a whole number from 0 to 1000"
    """
    if isinstance(form, Fields) and isinstance(value, dict):
        if lacking := [key for key in form.required if key not in value]:
            return f"{name or 'the object'} has no {lacking[0]!r}"
        known = {**form.required, **form.optional}
        return _first(mismatch(value[key], inner, _join(name, key)) for key, inner in known.items() if key in value)
    if isinstance(form, dict) and isinstance(value, dict):
        ((key_form, inner),) = form.items()
        keys = (mismatch(key, key_form, f"a name in {name or 'the object'}") for key in value)
        return _first(keys) or _first(mismatch(one, inner, _join(name, key)) for key, one in value.items())
    if isinstance(form, list | Row) and isinstance(value, list):
        if isinstance(form, Row) and len(value) != form.length:
            return f"{name or 'the list'} has {len(value)} values; expected {form.length}"
        inner = form[0] if isinstance(form, list) else form.form
        return _first(mismatch(one, inner, f"{name}[{i}]") for i, one in enumerate(value))
    if isinstance(form, OneOf) and any(mismatch(value, one) is None for one in form.forms):
        return None
    return None if _is(value, form) else f"{name or 'the content'} is {_shown(value)}; expected {_in_words(form)}"


def _is(value: Any, form: Any) -> bool:
    if form is None or isinstance(form, str):
        return bool(value == form)
    if isinstance(form, Count):
        return type(value) is int and 0 <= value <= form.most
    if form is float and type(value) is float:
        return True
    if form in (int, float):
        return type(value) is int and -(2**63) <= value < 2**63
    return form is object or (isinstance(form, type) and type(value) is form)


def _first(found: Iterable[str | None]) -> str | None:
    return next((one for one in found if one is not None), None)


def _join(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value) if not isinstance(value, int) or abs(value) < 2**63 else "a number beyond 64 bits"
    return text if len(text) <= 60 else f"{text[:57]}..."


_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", None: "null"}


def _in_words(form: Any) -> str:
    if isinstance(form, OneOf):
        return " or ".join(_in_words(one) for one in form.forms)
    if isinstance(form, str):
        return repr(form)
    if isinstance(form, Count):
        return f"a whole number from 0 to {form.most}"
    if isinstance(form, Fields | dict):
        return "an object"
    return "a list" if isinstance(form, list | Row) else _WORDS.get(form, "a value")
