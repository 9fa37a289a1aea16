"""Refusals: a status and one sentence, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bayes_distnet.data.json_text import json_text

SHOWN = 200  # characters of a value in a message


class Refused(Exception):
    """A request that is not answered.

    Parameters
    ----------
    status : int
        Status code.
    sentence : str
        The reason.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence

    def body(self) -> bytes:
        """Return the body of the answer."""
        return json_text({"error": self.sentence}).encode()


def invalid_sentence(errors: Sequence[Any]) -> str:
    """Describe the first of the errors that pydantic found, in one sentence."""
    if not errors:
        return "The request is not valid."
    first = errors[0]
    place = ".".join(str(part) for part in first.get("loc", ()) if part not in ("body", "query"))[:SHOWN]
    reason = str(first.get("msg", "not valid")).split("\n")[0][:SHOWN]
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{place or 'The body'}: {reason[:1].lower()}{reason[1:].rstrip('.')}{more}."


def one_sentence(error: Exception, hidden: Sequence[str] = ()) -> str:
    """Return the message of an error in one line, without paths of this machine."""
    text = " ".join(line.strip() for line in str(error).splitlines() if line.strip())
    for path in hidden:
        text = text.replace(f"{path}/", "").replace(path, "")
    return text[:2000]
