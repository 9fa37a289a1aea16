"""Folders of runs, and private folders in places that other users share."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import tempfile
import time

try:
    import fcntl
except ModuleNotFoundError:  # not Linux: runs are refused before they need it
    fcntl = None  # type: ignore[assignment]

PREFIX = "bayes-distnet-run-"  # of folders of supervisors in the system's folder of temporary files
YOUNG_SECONDS = 60.0  # age up to which a folder may not be held yet


def remove(folder: str) -> None:
    """Delete a folder as far as the system allows, however deep it is and whatever the permissions of its parts are.

    Folders inside are moved to the top first: no path becomes too long, and no recursion too deep.

    Parameters
    ----------
    folder : str
        Folder in which no process works any more.
    """
    numbers, left = itertools.count(), [folder]
    while left:
        here = left.pop()
        with contextlib.suppress(OSError):
            os.chmod(here, 0o700)
            with os.scandir(here) as entries:
                for entry in list(entries):
                    with contextlib.suppress(OSError):
                        if not entry.is_dir(follow_symlinks=False):
                            os.unlink(entry.path)
                            continue
                        os.chmod(entry.path, 0o700)
                        moved = os.path.join(folder, f".{os.getpid()}-{next(numbers)}")
                        os.rename(entry.path, moved)
                        left.append(moved)
            if here != folder:
                os.rmdir(here)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def hold(folder: str) -> None:
    """Show that a folder is in use, as long as this process lives."""
    fcntl.flock(os.open(folder, os.O_RDONLY | os.O_CLOEXEC), fcntl.LOCK_EX)


def remove_abandoned(beside: str) -> None:
    """Delete folders like this one whose holders were all killed in one instant.

    Parameters
    ----------
    beside : str
        A folder whose name begins with `PREFIX`.
    """
    place = os.path.dirname(beside)
    for name in os.listdir(place):
        path = os.path.join(place, name)
        if not name.startswith(PREFIX) or path == beside:
            continue
        with contextlib.suppress(OSError):
            found = os.lstat(path)
            if found.st_uid != os.getuid() or time.time() - found.st_mtime < YOUNG_SECONDS:
                continue
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(path)
            finally:
                os.close(folder)


def private(path: str) -> bool:
    """Return whether a folder could be made or exists, belongs to this user, and is closed to all others."""
    with contextlib.suppress(OSError):
        os.makedirs(path, mode=0o700, exist_ok=True)
        found = os.lstat(path)  # not stat: a link may lead to a folder of another user
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return False


def lock_folder() -> str | None:
    """Return the folder of this user's locks on cores; None if there is no private one."""
    # It has a fixed name, so that all collectors of this user find it. Another user who makes a folder of this name in
    # the shared one cannot keep them from working: then it is in the home folder.
    host = os.uname().nodename  # a home folder may be shared by several machines
    shared = os.path.join(tempfile.gettempdir(), f"bayes-distnet-cores-{os.getuid()}")
    home = os.path.join(os.path.expanduser("~"), ".cache", "bayes-distnet", f"cores-{host}")
    return next(filter(private, (shared, home)), None)
