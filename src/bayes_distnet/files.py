"""Files that appear whole or not at all, and errors of the system with the name of the file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Collection, Iterator
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


def write_whole(path: Path, content: str | bytes, *, durable: bool = False) -> None:
    """Write a file whole or not at all.

    Parameters
    ----------
    path : Path
        The file.
    content : str or bytes
        Its content; a text is written as UTF-8.
    durable : bool, default False
        Whether the content is on disk when this returns, so that it survives a loss of power.
    """
    with written_whole(path) as draft, draft.open("wb") as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
        if durable:
            file.flush()
            os.fsync(file.fileno())


@contextlib.contextmanager
def written_folder(path: Path) -> Iterator[Path]:
    """Write a folder whole or not at all; if anything fails, an existing folder stays as it was.

    Parameters
    ----------
    path : Path
        The folder; one that exists is replaced.

    Yields
    ------
    Path
        Draft to make and to fill, on the same disk; errors about it name the folder itself.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path), tempfile.TemporaryDirectory(dir=path.parent, prefix=_DRAFTS) as folder:
        new, old = Path(folder) / "new", Path(folder) / "old"
        with _named_as(new, path):
            yield new
        if path.exists():
            path.rename(old)
        new.rename(path)


@contextlib.contextmanager
def written_together(folder: Path, names: Collection[str]) -> Iterator[Path]:
    """Write some files of a folder, all of them or none; other files in it stay.

    Parameters
    ----------
    folder : Path
        The folder; created if missing.
    names : collection of str
        Names of the files; those that the block does not write are deleted from the folder.

    Yields
    ------
    Path
        Folder for the drafts, on the same disk; errors about it name the folder itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with naming(folder), tempfile.TemporaryDirectory(dir=folder, prefix=_DRAFTS) as drafts:
        with _named_as(Path(drafts), folder):
            yield Path(drafts)
        for name in names:
            if (draft := Path(drafts) / name).exists():
                os.replace(draft, folder / name)
            else:
                (folder / name).unlink(missing_ok=True)


@contextlib.contextmanager
def _named_as(draft: Path, path: Path) -> Iterator[None]:
    """Put the name of a file or folder in the place of its draft's in errors of the system and of the package."""
    try:
        yield
    except BayesDistNetError as error:
        raise type(error)(str(error).replace(str(draft), str(path))) from error
    except OSError as error:
        if error.errno is None or error.filename is None:
            raise
        raise OSError(error.errno, error.strerror, str(error.filename).replace(str(draft), str(path))) from error


def is_draft(path: Path) -> bool:
    """Whether a file or folder is a draft that a killed program has left."""
    return path.name.startswith(_DRAFTS)
