"""A server of models: loads them, binds an address, answers until it is stopped."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Callable, Iterable

import uvicorn
from starlette.types import ASGIApp

from bayes_distnet.data.dataset import Dataset
from bayes_distnet.errors import SettingError
from bayes_distnet.serve.app import LOCAL, create_app
from bayes_distnet.serve.browse import Browser
from bayes_distnet.serve.limits import Limits
from bayes_distnet.serve.protocol import bounded_protocol
from bayes_distnet.serve.shelf import Shelf

WAIT = 3  # seconds that answers may take after the server was stopped


def serve(
    models: Iterable[str | os.PathLike[str]],
    data: Dataset | None = None,
    *,
    name: str = "data",
    host: str = "127.0.0.1",
    port: int = 8517,
    names: Iterable[str] = (),
    limits: Limits | None = None,
    ready: Callable[[str], object] = print,
) -> None:
    """Serve models until the process is interrupted.

    Parameters
    ----------
    models : iterable of path
        Folders that `fit` wrote.
    data : Dataset or None
        A data set to browse.
    name : str
        Its name.
    host : str, default "127.0.0.1"
        Address to bind. Any other than a loopback address lets other machines in: there are no passwords.
    port : int, default 8517
        Port; 0 takes a free one.
    names : iterable of str
        Further host names under which the server is reached.
    limits : Limits or None
        Limits of requests.
    ready : callable
        Function that is called with the address of the page when the server is about to answer.

    Raises
    ------
    SettingError
        An address that cannot be bound.
    ModelFileError
        A folder without a model.
    """
    limits = limits or Limits()
    with bind(host, port, limits) as listening:
        shelf = Shelf.load(models)
        if not shelf:
            raise SettingError("models: none given.")
        browser = None if data is None else Browser(data, name)
        app = create_app(shelf, browser, limits=limits, hosts=_hosts(host, names))
        ready(f"http://{_shown(host)}:{listening.getsockname()[1]}/")
        server_of(app, limits).run(sockets=[listening])


def server_of(app: ASGIApp, limits: Limits) -> uvicorn.Server:
    """Return the server of an application, with limits of connections; `run` starts it."""
    config = uvicorn.Config(
        app,
        http=bounded_protocol(limits),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=WAIT,
    )
    return uvicorn.Server(config)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int, limits: Limits) -> socket.socket:
    """Return a socket that listens; a `SettingError` if the address cannot be bound."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=limits.connections)
    except (OSError, OverflowError) as error:
        number = error.errno if isinstance(error, OSError) else None
        reason = os.strerror(number) if number is not None and number > 0 else str(error)
        raise SettingError(
            f"{host}, port {port}: cannot be bound ({reason}). Take another port (port=, --port), or 0 for a free one."
        ) from error


def _hosts(host: str, names: Iterable[str]) -> set[str]:
    wildcard = host in ("0.0.0.0", "::", "")
    return {*LOCAL, *names, *({"*", socket.gethostname()} if wildcard else {host})}


def _shown(host: str) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"[{shown}]" if ":" in shown else shown
