import pickle
import subprocess
import sys

import pytest
from proper import assert_proper

from bayes_distnet.errors import SettingError
from bayes_distnet.models.peers.comparison import require
from bayes_distnet.models.registry import MODELS as ENTRIES
from bayes_distnet.models.registry import ModelEntry, find_model

OWN = """
from dataclasses import dataclass
from bayes_distnet import Marginal, Ridge
from bayes_distnet.models.registry import ModelEntry

@dataclass
class Settings:
    depth: int = 3

class Mine(Ridge):
    def __init__(self, depth=3, random_state=0):
        self.depth = depth
        self.random_state = random_state

class NeedsSettings(Mine):
    def __init__(self, depth):
        self.depth = depth

def make(family, seed):
    return Mine(depth=5, random_state=seed)

deep = Mine(depth=9)
peer = ModelEntry("deep", "mine, deep", make=make)
missing = ModelEntry("other", "other", make=make, needs="no_such_package")
number = 3
"""


@pytest.fixture
def own(tmp_path):
    file = tmp_path / "own_peers.py"
    file.write_text(OWN)
    return file


@pytest.mark.parametrize("key", list(ENTRIES))
def test_entries_can_be_sent_to_other_processes(key):
    there = pickle.loads(pickle.dumps(ENTRIES[key]))
    assert there.label == ENTRIES[key].label
    if there.make is not None:
        model = there.make("inverse-gaussian", 7)
        assert model.get_params().get("random_state", 7) == 7
        assert ("family" in model.get_params()) == bool(there.families)


def test_importing_peers_imports_none_of_the_packages():
    program = (
        "import sys, bayes_distnet.models.peers; "
        "print([m for m in ('jax', 'ngboost', 'xgboost', 'lifelines', 'quantile_forest') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    with pytest.raises(SettingError, match=r"no-such-package is not installed; run pip install '\.\[peers\]'"):
        require("no_such_package")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SettingError, match=r"quantile-forest is not installed; run pip install '\.\[peers\]'"):
        find_model("quantile-forest")


@pytest.mark.parametrize(
    ("attribute", "name", "depth"), [("Mine", "Mine", 3), ("deep", "deep", 9), ("peer", "mine, deep", 5)]
)
def test_models_of_users_come_from_a_file(own, attribute, name, depth, runs):
    peer = find_model(f"{own}:{attribute}")
    assert isinstance(peer, ModelEntry)
    model = peer.build("lognormal", 7)
    assert (peer.label, model.depth, model.random_state) == (name, depth, 7)
    assert_proper(model.fit(runs.features, runs.seconds).predict_distribution(runs.features), 40)


def test_a_file_that_exits_is_an_error(tmp_path):
    (tmp_path / "mine.py").write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(SettingError, match=r"cannot load .*SystemExit: 0"):
        find_model(f"{tmp_path / 'mine.py'}:Model")


def test_models_of_users_come_from_a_module():
    assert find_model("bayes_distnet.models.random_forest:RandomForest").build("", 5).random_state == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rigde", "'rigde': expected one of hybrid, bayes, .*limit-empirical; or a model of your own"),
        ("no_such_module:Model", "cannot load 'no_such_module': ModuleNotFoundError"),
        ("no/such/file.py:Model", "cannot load 'no/such/file.py': FileNotFoundError"),
        ("{own}:Yours", "it has no 'Yours'; there: Mine, NeedsSettings, deep, peer, missing"),
        ("{own}:number", "expected a ModelEntry, or a model .* or its class; found 3"),
        ("{own}:NeedsSettings", "missing 1 required positional argument: 'depth'. Give a model"),
        ("{own}:missing", r"no-such-package is not installed\.$"),
    ],
)
def test_a_model_that_cannot_be_found_is_a_clear_error(own, text, message):
    with pytest.raises(SettingError, match=message):
        find_model(text.format(own=own))


def test_a_file_that_fails_is_named(tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(SettingError, match=r"cannot load .*broken.py': ZeroDivisionError: division by zero"):
        find_model(f"{tmp_path / 'broken.py'}:Model")


def test_an_entry_is_a_model_or_a_limit():
    with pytest.raises(SettingError, match=r"give one of source, make .* and limit"):
        ModelEntry("neither", "neither")


def test_messages_name_only_extras_that_exist_and_install_them_in_one_way():
    import re
    import tomllib
    from pathlib import Path

    root = Path(__file__).parents[2]
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    code = "\n".join(path.read_text() for path in (root / "src").rglob("*.py"))
    named = re.findall(r"""(?:, extra=|install_line\()["'](\w+)["']""", code)
    assert set(named) <= set(extras)
    assert {"plots", "cluster", "peers", "serve", "reference"} <= set(named)
    assert re.findall(r"pip install ['\"]?bayes-distnet", code) == []
