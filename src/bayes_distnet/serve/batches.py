"""Rows of concurrent requests are predicted together: one call costs little more than one row."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from bayes_distnet.serve.bodies import Row
from bayes_distnet.serve.refusals import Refused
from bayes_distnet.serve.shelf import ServedModel

LARGEST = 64  # rows of a batch, unless one request has more
WAITING = 4000  # rows


@dataclass
class _Job:
    model: ServedModel
    settings: dict[str, Any]
    rows: Sequence[Row]
    answer: asyncio.Future[list[dict[str, Any]]]

    def goes_with(self, other: _Job) -> bool:
        return self.model is other.model and self.settings == other.settings


class Batches:
    """Predictions of rows, computed by one thread.

    Parameters
    ----------
    thread : Executor
        The thread.
    """

    def __init__(self, thread: Executor) -> None:
        self._thread = thread
        self._jobs: list[_Job] = []
        self._working: asyncio.Task[None] | None = None

    async def predict(self, model: ServedModel, rows: Sequence[Row], settings: dict[str, Any]) -> list[dict[str, Any]]:
        """Predict rows, together with those that wait."""
        if sum(len(job.rows) for job in self._jobs) + len(rows) > WAITING:
            raise Refused(429, "Too many rows wait for a prediction; try again.")
        job = _Job(model, settings, rows, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await job.answer

    async def _work(self) -> None:
        try:
            while self._jobs:
                batch = self._next()
                answers = await asyncio.get_running_loop().run_in_executor(self._thread, _predict, batch)
                for job, answer in zip(batch, answers, strict=True):
                    if job.answer.done():  # its client has gone
                        continue
                    if isinstance(answer, Exception):
                        job.answer.set_exception(answer)
                    else:
                        job.answer.set_result(answer)
        finally:
            self._working = None

    def _next(self) -> list[_Job]:
        """Take the first job, and others that go with it, up to the size of a batch."""
        batch, rest, size = [self._jobs[0]], [], len(self._jobs[0].rows)
        for job in self._jobs[1:]:
            if job.goes_with(batch[0]) and size + len(job.rows) <= LARGEST:
                batch.append(job)
                size += len(job.rows)
            else:
                rest.append(job)
        self._jobs = rest
        return batch


def _predict(batch: Sequence[_Job]) -> list[list[dict[str, Any]] | Exception]:
    try:
        rows = [row for job in batch for row in job.rows]
        records = batch[0].model.predict(rows, batch[0].settings)
    except Exception as error:
        return [error] if len(batch) == 1 else [answer for job in batch for answer in _predict([job])]
    answers: list[list[dict[str, Any]] | Exception] = []
    for job in batch:
        answers.append(records[: len(job.rows)])
        records = records[len(job.rows) :]
    return answers
