import subprocess
import sys

import pytest

from bayes_distnet.errors import FeatureError
from bayes_distnet.features.registry import FEATURE_SETS, FeatureSet, feature_set_of
from bayes_distnet.features.table import extract_features

COUNT_LETTERS = """
from bayes_distnet.features.base import Features

def count_letters(path, *, random_state, time_limit):
    return Features({"letters": float(len(path.read_text())), "seed": float(random_state)}, cost=0.5)
"""


def test_a_further_feature_set_is_used_for_its_files(write, monkeypatch):
    monkeypatch.syspath_prepend(write(COUNT_LETTERS, "toy_features.py").parent)
    toy = FeatureSet("toy", "letters of a text", (".toy",), "toy_features:count_letters")
    file = write("abc", "one.toy")
    with pytest.raises(FeatureError, match=r"one\.toy: expected a file named \*\.cnf.*, \*\.pddl\. Rename"):
        extract_features([file])
    with FEATURE_SETS.extended(toy):
        table = extract_features([file], random_state=7)
    assert table.features.loc["one.toy"].to_dict() == {"letters": 3.0, "seed": 7.0}
    assert table.cost.tolist() == [0.5]


def test_the_ending_selects_the_feature_set(tmp_path):
    for name, key in (
        ("a.cnf", "cnf"),
        ("a.cnf.xz", "cnf"),
        ("a.pddl.bz2", "pddl"),
        ("a.dimacs", "cnf"),
        ("a.pddl", "pddl"),
    ):
        assert feature_set_of(tmp_path / name).key == key


def test_the_registry_needs_no_heavy_package():
    program = (
        "import sys; from bayes_distnet.features.registry import FEATURE_SETS;"
        "assert not {'numpy', 'pandas', 'joblib'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
