"""The guard in front of the application: host names, origins, sizes, seconds and the number of requests.

A page of another site can send requests to this machine through the visitor's browser. It cannot choose the header
`Host` or hide its `Origin`: requests for other names (DNS rebinding) and from other origins are refused.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bayes_distnet.serve.limits import Limits
from bayes_distnet.serve.refusals import Refused

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Refuses requests before the application sees them, and adds headers to every answer.

    Parameters
    ----------
    app : ASGI application
        The application.
    limits : Limits
        Limits of a request.
    hosts : iterable of str
        Names under which the server is reached; "*" accepts any address in numbers besides the names.
    """

    def __init__(self, app: ASGIApp, limits: Limits, hosts: Iterable[str]) -> None:
        self.app, self.limits = app, limits
        self.hosts = {host.lower() for host in hosts}
        self.active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        watched = _Watched(send)
        try:
            uploads = self._check(scope)
            self.active += 1
            try:
                body = _Body(receive, *self._limits(uploads))
                try:
                    await self.app(scope, body.receive, lambda message: watched.send(message, body.refusal))
                except Exception:
                    if body.refusal is None:
                        raise
                if body.refusal is not None:
                    await watched.refuse(body.refusal)
            finally:
                self.active -= 1
        except Refused as refused:
            await watched.refuse(refused)

    def _limits(self, uploads: bool) -> tuple[int, float]:
        own = self.limits
        return (own.upload, own.upload_seconds) if uploads else (own.body, own.seconds)

    def _check(self, scope: Scope) -> bool:
        """Refuse by the headers alone; return whether files may follow."""
        headers: dict[bytes, str] = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if not self._known(host):
            raise Refused(421, "This server does not answer under that host name.")
        self._check_origin(headers, host)
        if self.active >= self.limits.requests:
            raise Refused(429, "Too many requests at once; try again.")
        uploads = headers.get(b"content-type", "").lower().startswith("multipart/form-data")
        length = headers.get(b"content-length", "0")
        most = self._limits(uploads)[0]
        if not length.isdigit():
            raise Refused(400, "The header Content-Length is not a number.")
        if len(length) > 15 or int(length) > most:
            raise Refused(413, _too_large(most))
        return uploads

    def _known(self, host: str) -> bool:
        try:
            name = str(urlsplit(f"//{host}").hostname or "")
        except ValueError:
            return False
        return name in self.hosts or ("*" in self.hosts and _in_numbers(name))

    def _check_origin(self, headers: dict[bytes, str], host: str) -> None:
        origin = headers.get(b"origin")
        foreign = origin is not None and urlsplit(origin).netloc.lower() != host.lower()
        if foreign or headers.get(b"sec-fetch-site", "same-origin") in ("cross-site", "same-site"):
            raise Refused(403, "Requests from pages of other sites are refused.")


class _Body:
    """The body of a request, counted and timed as it arrives."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive, self._most, self._seconds = receive, most, seconds
        self._until = asyncio.get_running_loop().time() + seconds
        self._size, self._complete = 0, False
        self.refusal: Refused | None = None

    async def receive(self) -> Message:
        if self._complete:
            return await self._receive()
        if self.refusal is not None:
            return {"type": "http.disconnect"}
        try:
            left = max(self._until - asyncio.get_running_loop().time(), 0.0)
            message = await asyncio.wait_for(self._receive(), left)
        except TimeoutError:
            self.refusal = Refused(408, f"The request did not arrive within {self._seconds:g} s.")
            return {"type": "http.disconnect"}
        self._size += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._size > self._most:
            self.refusal = Refused(413, _too_large(self._most))
            return {"type": "http.disconnect"}
        return message


class _Watched:
    """The way back, with the headers of every answer, and a refusal in place of an answer that has not begun."""

    def __init__(self, send: Send) -> None:
        self._send, self._begun, self._refused = send, False, False

    async def send(self, message: Message, refusal: Refused | None) -> None:
        if refusal is not None and not self._begun:
            await self.refuse(refusal)
        if self._refused:
            return
        if message["type"] == "http.response.start":
            self._begun = True
            given = {name.lower() for name, _ in message["headers"]}
            extra = [pair for pair in HEADERS if pair[0] not in given]
            message = {**message, "headers": [*message["headers"], *extra]}
        await self._send(message)

    async def refuse(self, refusal: Refused) -> None:
        if self._begun or self._refused:
            return
        self._refused, body = True, refusal.body()
        headers: list[Any] = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        start = {"type": "http.response.start", "status": refusal.status}
        # What is left of the request is not read: the connection ends with the answer.
        await self._send({**start, "headers": [*headers, (b"connection", b"close"), *HEADERS]})
        await self._send({"type": "http.response.body", "body": body})


def _in_numbers(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _too_large(most: int) -> str:
    return f"The request is larger than {most / 2**20:.3g} MiB."
