import gzip
import lzma
import time

import numpy as np
import pytest

from bayes_distnet.collect.instances.factoring import factoring
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.features.cnf import cnf_features

TINY = "p cnf 3 4\n1 2 0\n-1 3 0\n-2 -3 0\n1 -2 3 0\n"


@pytest.fixture
def multiplier(write):
    return write(factoring(np.random.default_rng(0), 14, 14), "multiplier.cnf")


def test_structure_of_a_tiny_cnf_is_known(write):
    values = cnf_features(write(TINY)).values
    expected = {"variables": 3, "clauses": 4, "cls2": 3, "cls3": 1, "positive": 1, "negative": 1}
    assert {name: values[f"structure.{name}"] for name in expected} == expected
    assert values["structure.clauses_per_variable"] == 4 / 3


def test_an_instance_solved_by_a_probe_has_every_feature(write, multiplier):
    easy, hard = cnf_features(write(TINY)).values, cnf_features(multiplier).values
    assert easy["probe100.solved.mean"] == 1.0
    assert hard["probe100.solved.mean"] == 0.0
    assert list(easy) == list(hard)
    assert np.isfinite([*easy.values(), *hard.values()]).all()


def test_a_probe_stops_at_its_conflicts_and_seeds_differ(multiplier):
    values = cnf_features(multiplier).values
    assert values["probe100.conflicts.mean"] == pytest.approx(100, abs=2)
    assert values["probe100.learnt_length.std"] > 0


def test_file_and_seed_determine_all_features(multiplier):
    first, again, other = (cnf_features(multiplier, random_state=seed).values for seed in (0, 0, 1))
    assert first == again
    changed = {name.split(".")[0] for name in first if first[name] != other[name]}
    assert "probe100" in changed
    assert "structure" not in changed


def test_comments_and_compression_have_no_influence(write):
    expected = cnf_features(write(TINY)).values
    commented = "c one\n" + TINY.replace("-1 3", "c 9 9 0\n-1 3") + "c end\n%\n0\n"
    assert cnf_features(write(commented)).values == expected
    assert cnf_features(write(gzip.compress(commented.encode()), "one.cnf.gz")).values == expected
    assert cnf_features(write(lzma.compress(commented.encode()), "one.cnf.xz")).values == expected


def test_a_huge_file_ends_at_the_time_limit(write):
    file = write("p cnf 9 2000000\n" + "1 -2 3 -4 5 6 0\n" * 2_000_000)
    began = time.monotonic()
    with pytest.raises(FeatureError, match=r"not computed within time_limit=0\.2 s"):
        cnf_features(file, time_limit=0.2)
    assert time.monotonic() - began < 1.0


def test_a_decision_that_implies_all_others_is_measured(write):
    # x1 = x2 = ... = x20: one decision settles all, several contradict each other unless their signs agree.
    links = [f"-{i} {i % 20 + 1} 0" for i in range(1, 21)]
    values = cnf_features(write("p cnf 20 20\n" + "\n".join(links) + "\n")).values
    assert values["propagate1.implied.mean"] == 1.0
    assert (values["propagate1.implied.std"], values["propagate1.refuted"]) == (0.0, 0.0)
    assert values["propagate16.refuted"] > 0.9  # by chance all 16 signs agree once in 32768 times


def test_settings_are_checked_first(write):
    with pytest.raises(SettingError, match="time_limit"):
        cnf_features(write(TINY), time_limit=0.0)
    with pytest.raises(SettingError, match="random_state=-1"):
        cnf_features(write(TINY), random_state=-1)
