"""Compressed instance files: the ending of the name decides."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from bayes_distnet.errors import CollectError

#: Endings of compressed files.
ENDINGS = (".gz", ".xz", ".bz2")
#: Errors that reading a file raises if it is gone, damaged or cut short.
READ_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)


def open_plain(path: Path) -> IO[bytes]:
    """Open a file for reading; a compressed one (.gz, .xz, .bz2) is decompressed while it is read."""
    match path.suffix:
        case ".gz":
            return cast(IO[bytes], gzip.GzipFile(path))
        case ".xz":
            return cast(IO[bytes], lzma.LZMAFile(path))
        case ".bz2":
            return cast(IO[bytes], bz2.BZ2File(path))
    return path.open("rb")


@contextlib.contextmanager
def plain_file(path: Path, folder: str | None = None) -> Iterator[Path]:
    """Make a private copy of a compressed file that every program can read.

    Parameters
    ----------
    path : Path
        The file.
    folder : str, optional
        Folder of the copy; by default the system's folder of temporary files.

    Yields
    ------
    Path
        The copy, without the ending, which is deleted at the end of the block; the file itself if it is not compressed.

    Raises
    ------
    CollectError
        If the file is damaged, or there is no space for the copy.
    """
    if path.suffix not in ENDINGS:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="bayes-distnet-plain-", dir=folder, ignore_cleanup_errors=True) as private:
        copy = Path(private, path.stem)
        try:
            with open_plain(path) as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        except READ_ERRORS as error:
            raise CollectError(f"{path}: it cannot be decompressed: {error}. Is the file complete?") from error
        yield copy
