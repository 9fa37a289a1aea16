"""Compiled programs on disk, and the threads that they use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bayes_distnet.errors import SettingError

#: Names the folder of compiled programs; empty turns the cache off.
CACHE_VARIABLE = "BAYES_DISTNET_CACHE"
XLA_FLAGS = "XLA_FLAGS"
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def use_compilation_cache() -> None:
    """Keep compiled programs on disk between processes, unless the user has chosen a cache already.

    The folder is `$BAYES_DISTNET_CACHE`, else `bayes-distnet` in the user's cache folder; an empty variable turns the
    cache off.

    Raises
    ------
    SettingError
        In a fork of a process that has used JAX: its threads are not in the fork, and training would wait for them.
    """
    _check_not_forked()
    import jax

    config: Any = jax.config
    if config.jax_compilation_cache_dir is not None:
        return
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = os.environ.get(CACHE_VARIABLE, str(Path(home) / "bayes-distnet"))
    if not folder:
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a read-only home: programs are compiled anew in every process
    config.update("jax_compilation_cache_dir", folder)


def respect_thread_limit() -> None:
    """Keep JAX to one thread where the process has been limited to one; effective before JAX starts.

    joblib limits its worker processes through OMP_NUM_THREADS, which XLA does not read: without this, two workers of
    `GridSearchCV(n_jobs=2)` on two cores would run four threads.
    """
    flags = os.environ.get(XLA_FLAGS, "")
    if os.environ.get("OMP_NUM_THREADS") == "1" and "intra_op_parallelism_threads" not in flags:
        os.environ[XLA_FLAGS] = f"{flags} {ONE_THREAD}".strip()


_used_by: set[int] = set()  # processes that have used JAX: this one, or those that it was forked from


def _check_not_forked() -> None:
    if _used_by - {os.getpid()}:
        raise SettingError(
            "networks cannot be trained in a fork of a process that has trained one. Start processes with "
            "multiprocessing.get_context('spawn'), or use joblib, which does so."
        )
    _used_by.add(os.getpid())
