"""Programs as they run on a system that is not Linux: without `fcntl`, `resource`, CPU affinity and /proc."""

import subprocess
import sys

_HIDE = """
import os, sys
sys.modules.update(fcntl=None, resource=None)
del os.sched_getaffinity
def refuse(event, arguments):
    if event == "open" and str(arguments[0]).startswith("/proc"):
        raise FileNotFoundError(arguments[0])
sys.addaudithook(refuse)
"""

_IMPORT_ALL = """
import importlib, pkgutil
import {package} as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
"""


def run_without_linux(program, *arguments):
    """Run a program in a process of its own; an error there is an error here."""
    subprocess.run([sys.executable, "-c", _HIDE + program, *map(str, arguments)], check=True)


def import_all_without_linux(package):
    """Import every module of a package."""
    run_without_linux(_IMPORT_ALL.format(package=package))
