"""Strategies that damage valid files, and the claim that only the package's own errors come out.

The profile is chosen by HYPOTHESIS_PROFILE: `check` (default) has a short fixed budget and always does the same; `fuzz`
searches further, with the seed that `scripts/fuzz.py` gives.
"""

import contextlib
import copy
import os
import warnings

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from bayes_distnet.errors import BayesDistNetError

_COMMON = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.explicit, Phase.generate, Phase.shrink],
}
settings.register_profile("check", max_examples=60, derandomize=True, **_COMMON)
settings.register_profile("fuzz", max_examples=300, print_blob=True, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))

#: Values of other types, of sizes that nobody expects.
STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(
        [-1, 0, 1, 2**31, 2**63, 2**64, -(2**63), 10**400, 1e308, float("inf"), float("-inf"), float("nan")]
    ),
    st.text(max_size=8),
    st.sampled_from(["", "nan", "-1", "\x00", "\ud800", "é", "../..", "{seed}", "a" * 300]),
    st.lists(st.integers(-3, 3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.just([[[[[["deep"]]]]]]),
)


@contextlib.contextmanager
def only_own_errors(*names):
    """Let errors of the package pass that have one of the names in their message; all others fail the test.

    A warning of NumPy is an error here: it announces numbers that are wrong. Notes of the package are not looked at.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            yield
        except BayesDistNetError as error:
            if not any(str(name) in str(error) for name in names):
                raise AssertionError("no name of the file in the message") from error


@st.composite
def damaged_bytes(draw, content):
    """Return bytes with flips, a cut, a hole, an insertion, or noise."""
    size = len(content)
    how = draw(st.sampled_from(["flip", "cut", "hole", "insert", "repeat", "noise"]))
    at = draw(st.integers(0, max(size - 1, 0)))
    if how == "cut":
        return content[:at]
    if how == "hole":
        return content[:at] + content[at + draw(st.integers(1, 64)) :]
    if how == "insert":
        return content[:at] + draw(st.binary(min_size=1, max_size=16)) + content[at:]
    if how == "repeat":
        return content[:at] + content[max(at - 40, 0) :]
    if how == "noise":
        return draw(st.binary(max_size=200))
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 8)) if size else 0):
        changed[draw(st.integers(0, size - 1))] ^= 1 << draw(st.integers(0, 7))
    return bytes(changed)


@st.composite
def damaged_text(draw, text):
    """Return a text with one of its words or numbers replaced by something strange, or damaged as bytes are."""
    if draw(st.booleans()):
        return draw(damaged_bytes(text.encode()))
    import re

    found = list(re.finditer(r"[\w.+-]+|[^\w\s]", text))
    match = found[draw(st.integers(0, len(found) - 1))]
    words = ["inf", "-inf", "nan", "NA", "?", "", "-1", "0", "1e400", "1e19", "9" * 400, "'", '"', "(", ")", "{", "}"]
    words += [",", ";", "x y", "\x00", "é", "-512", "- - -", "&a *a", "!!python/object:os.system"]
    word = draw(st.sampled_from(words))
    return (text[: match.start()] + word + text[match.end() :]).encode()


@st.composite
def damaged_json(draw, value):
    """Return a JSON value in which one place has another type, is missing, or is doubled."""
    value = copy.deepcopy(value)
    node, key = None, None
    inner = value
    while isinstance(inner, dict | list) and len(inner) and (node is None or draw(st.integers(0, 4))):
        keys = sorted(inner, key=str) if isinstance(inner, dict) else range(len(inner))
        node, key = inner, keys[draw(st.integers(0, len(keys) - 1))]
        inner = node[key]
    how = draw(st.sampled_from(["replace", "replace", "replace", "remove", "rename"]))
    if node is None:
        return draw(STRANGE)
    if how == "remove":
        del node[key]
    elif how == "rename" and isinstance(node, dict):
        node[draw(st.text(max_size=5))] = node.pop(key)
    else:
        node[key] = draw(STRANGE)
    return value


@st.composite
def damaged_table(draw, frame):
    """Return a table in which one column has other values, or is missing, doubled or renamed."""
    import pandas as pd

    name = draw(st.sampled_from(list(frame.columns)))
    how = draw(st.sampled_from(["column", "column", "value", "drop", "rename", "empty"]))
    if how == "drop":
        return frame.drop(columns=name)
    if how == "rename":
        return frame.rename(columns={name: draw(st.text(max_size=4))})
    if how == "empty":
        return frame.iloc[:0]
    plain = st.sampled_from([-1, 0, 1.5, float("inf"), float("nan"), "x", "", True, 2**62, None])
    kinds = [plain, st.lists(st.integers(0, 3), max_size=3), st.fixed_dictionaries({"a": plain}), st.binary(max_size=3)]
    kind = draw(st.sampled_from(kinds))
    if how == "column":
        return frame.assign(**{name: pd.Series([draw(kind)] * len(frame), index=frame.index, dtype=object)})
    values = frame[name].astype(object).tolist()
    values[draw(st.integers(0, len(values) - 1))] = draw(kind)
    return frame.assign(**{name: pd.Series(values, index=frame.index, dtype=object)})


def written(write):
    """Whether a damaged table can be written at all; if not, there is nothing to read."""
    import pyarrow as pa

    try:
        write()
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True
