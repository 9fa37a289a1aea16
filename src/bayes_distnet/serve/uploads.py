"""Uploaded files: written to a private folder, read by a process with limits, and removed."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from bayes_distnet.collect.executor import Executor
from bayes_distnet.data.compressed import ENDINGS
from bayes_distnet.data.tables import read_frame
from bayes_distnet.errors import BayesDistNetError
from bayes_distnet.features.apart import features_apart
from bayes_distnet.features.registry import FEATURE_SETS
from bayes_distnet.serve.limits import COLUMNS, ROWS, Limits
from bayes_distnet.serve.refusals import Refused, one_sentence

NAME = re.compile(r"[\w][\w .+=@,()\[\]-]{0,199}")
DOMAIN = re.compile(rb"\(\s*define\s*\(\s*domain\b", re.IGNORECASE)
WORKERS = 2  # files whose features are computed at the same time


def endings() -> list[str]:
    """Return the endings of the names of files whose features can be computed; PDDL files are sent as they are."""
    plain = [ending for entry in FEATURE_SETS.values() for ending in entry.suffixes]
    return plain + [f"{ending}{packed}" for ending in plain if ending != ".pddl" for packed in ENDINGS]


class Extraction:
    """Features of uploaded files; two at a time, and a few may wait.

    Parameters
    ----------
    limits : Limits
        Seconds and memory per file, and the number of files.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits, self._waiting = limits, 0
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="features")
        self._running: set[Executor] = set()
        self._closed = False

    async def features(self, files: Mapping[str, bytes]) -> dict[str, Any]:
        """Compute the features of an instance; a PDDL problem comes with its domain.

        Parameters
        ----------
        files : mapping
            Contents by name.

        Returns
        -------
        dict
            instance, features, and cost in CPU seconds.
        """
        name = self._instance(files)
        if self._waiting >= self._limits.files:
            raise Refused(429, "The features of other files are being computed; try again.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._compute, name, dict(files))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        for executor in tuple(self._running):
            executor.close()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _instance(self, files: Mapping[str, bytes]) -> str:
        """Return the file that is the instance, after a check of all names."""
        for name in files:
            if not NAME.fullmatch(name):
                raise Refused(400, "A file needs a plain name of letters, digits, dots and dashes.")
            if not name.endswith(tuple(endings())):
                raise Refused(415, f"{name}: expected a file named *{', *'.join(endings())}.")
        problems = [name for name, content in files.items() if not DOMAIN.search(content[: 2**16])]
        if len(problems) != 1 or (len(files) > 1 and not problems[0].endswith(".pddl")):
            raise Refused(422, "Send one instance per request: a CNF file, or a PDDL problem together with its domain.")
        if problems[0].endswith(".pddl") and len(files) != 2:
            raise Refused(422, f"{problems[0]}: a PDDL problem needs its domain; send both files together.")
        return problems[0]

    def _compute(self, name: str, files: dict[str, bytes]) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="bayes-distnet-served-") as folder, Executor() as executor:
            for given, content in files.items():
                Path(folder, "domain.pddl" if given != name else _plain(name)).write_bytes(content)
            self._running.add(executor)
            try:
                if self._closed:
                    raise Refused(503, "The server is stopping.")
                found = features_apart(
                    Path(folder, _plain(name)),
                    time_limit=self._limits.feature_seconds,
                    memory_limit=self._limits.feature_memory,
                    executor=executor,
                )
            except BayesDistNetError as error:
                sentence = one_sentence(error, (folder,)).replace(_plain(name), name)
                raise Refused(422, sentence) from error
            finally:
                self._running.discard(executor)
        return {"instance": name, "features": found.values, "cost": found.cost}


def _plain(name: str) -> str:
    """Return the name of the file on disk, of which only the ending is the client's."""
    return "instance" + next(ending for ending in sorted(endings(), key=len)[::-1] if name.endswith(ending))


def read_rows(text: bytes) -> list[dict[str, Any]]:
    """Read rows of features from a CSV text with a header; a column `instance` names them.

    Parameters
    ----------
    text : bytes
        The text.

    Returns
    -------
    list of dict
        instance and features of each row.
    """
    lines = text.count(b"\n")
    if lines > 2 * ROWS:
        raise Refused(413, f"The table has {lines} lines; at most {ROWS} rows are read.")
    with tempfile.TemporaryDirectory(prefix="bayes-distnet-served-") as folder:
        file = Path(folder, "rows.csv")
        file.write_bytes(text)
        try:
            table = read_frame(file)
        except BayesDistNetError as error:
            raise Refused(422, one_sentence(error, (folder,)).replace("rows.csv", "The table")) from error
    if not 0 < len(table) <= ROWS or not 0 < table.shape[1] <= COLUMNS:
        raise Refused(422, f"The table has {len(table)} rows; expected a header and 1 to {ROWS} rows below it.")
    if not table.columns.is_unique:
        raise Refused(422, "The table has two columns of the same name.")
    numbers = table.select_dtypes("number").to_numpy(float)
    if np.isinf(numbers).any():
        raise Refused(422, "The table has a number that is infinite.")
    names = [str(name) for name in table.pop("instance")] if "instance" in table else _numbered(len(table))
    return [
        {"instance": name, "features": {str(key): _plain_value(value) for key, value in row.items()}}
        for name, row in zip(names, table.to_dict("records"), strict=True)
    ]


def _numbered(count: int) -> Sequence[str]:
    return [f"row {number}" for number in range(1, count + 1)]


def _plain_value(value: Any) -> Any:
    return None if value != value else value.item() if isinstance(value, np.generic) else value
