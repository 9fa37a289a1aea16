"""JSON as the command line and the server write it. This module needs the standard library only."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any) -> str:
    """Return one line of JSON, which has no infinity: numbers that are not finite become null.

    Parameters
    ----------
    value : dict, list, str, number or None
        Plain values.

    Returns
    -------
    str
        The text, in Unicode.

    Examples
    --------
    >>> json_text({"cutoff": math.inf, "copies": (1, 2)})
    '{"cutoff": null, "copies": [1, 2]}'
    """
    return json.dumps(_finite(value), ensure_ascii=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
