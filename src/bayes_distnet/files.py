"""Files that appear whole or not at all, and errors of the system with the name of the file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bayes_distnet.errors import BayesDistNetError

_DRAFTS = ".writing-"


@contextlib.contextmanager
def naming(name: str | os.PathLike[str]) -> Iterator[None]:
    """Name a file, or a stream, in errors of the system that name none, such as a full disk, or only a draft.

    Parameters
    ----------
    name : str or path-like
        Name in messages.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None or _DRAFTS not in str(error.filename or _DRAFTS):
            raise
        raise OSError(error.errno, error.strerror, str(name)) from error


@contextlib.contextmanager
def located(place: object, kind: type[BayesDistNetError]) -> Iterator[None]:
    """Put a place, such as a file, before the message of an error of the package, unless the message names it.

    Parameters
    ----------
    place : object
        The place.
    kind : type of exception
        Kind of the errors; others are left alone.
    """
    try:
        yield
    except kind as error:
        if str(place) in str(error):
            raise
        raise kind(f"{place}: {error}") from error


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Write a file whole or not at all; if anything fails, an existing file stays as it was.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    Path
        Draft to write to, on the same disk; it takes the place of the file at the end of the block.
    """
    with naming(path), tempfile.TemporaryDirectory(dir=path.parent, prefix=_DRAFTS) as folder:
        draft = Path(folder) / path.name
        yield draft
        os.replace(draft, path)
