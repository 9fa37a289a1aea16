import importlib.abc
import importlib.machinery
import os
import signal
import sys
import time

import pytest

from bayes_distnet.models.network import fitting
from bayes_distnet.models.network.estimator import fit_networks


class Slow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module whose import is interrupted."""

    done = False

    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == fitting.__name__ else None

    def exec_module(self, module):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        self.done = True
        module.fit_ensemble = None


def test_an_interrupt_waits_for_the_end_of_the_import_of_jax(monkeypatch):
    slow = Slow()
    monkeypatch.setattr("bayes_distnet.models.network.fitting", fitting)
    monkeypatch.delitem(sys.modules, fitting.__name__)
    monkeypatch.setattr(sys, "meta_path", [slow, *sys.meta_path])
    with pytest.raises(KeyboardInterrupt):
        fit_networks(None, None, None, 0, None)
    assert slow.done
