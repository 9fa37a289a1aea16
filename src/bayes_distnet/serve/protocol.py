"""Connections: their number is bounded, and one whose request does not begin in time is closed."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from bayes_distnet.serve.limits import Limits
from bayes_distnet.serve.refusals import Refused

REASONS = {408: b"Request Timeout", 429: b"Too Many Requests"}


def bounded_protocol(limits: Limits) -> type[H11Protocol]:
    """Return uvicorn's protocol of connections with limits."""

    class Bounded(H11Protocol):
        _patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                self._end(Refused(429, "Too many connections; try again."))
            else:
                self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_watching()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Wait for the headers of the next request, however many bytes of them have come."""
            busy = self.cycle is not None and not self.cycle.response_complete
            if busy:
                self._stop_watching()
            elif self._patience is None:
                self._patience = self.loop.call_later(limits.seconds, self._give_up)

        def _stop_watching(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

        def _give_up(self) -> None:
            self._patience = None
            self._end(Refused(408, f"The request did not begin within {limits.seconds:g} s."))

        def _end(self, refused: Refused) -> None:
            if self.transport.is_closing():
                return
            body, status = refused.body(), refused.status
            head = b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\n" % (status, REASONS[status])
            self.transport.write(head + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body)
            self.transport.close()

    return Bounded
