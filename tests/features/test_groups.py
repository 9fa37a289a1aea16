import pandas as pd
import pytest

from bayes_distnet.errors import SettingError
from bayes_distnet.features.cnf import cnf_features
from bayes_distnet.features.cnf_groups import CNF_GROUPS
from bayes_distnet.features.group_costs import measured_groups
from bayes_distnet.features.groups import members, with_required
from bayes_distnet.features.table import extract_features

TINY = "p cnf 3 4\n1 2 0\n-1 3 0\n-2 -3 0\n1 -2 3 0\n"
NAMES = [group.name for group in CNF_GROUPS]


def test_a_group_comes_with_those_it_requires():
    assert with_required(CNF_GROUPS, ["probe1000"]) == ("size", "probe100", "probe1000")
    assert with_required(CNF_GROUPS, None) == tuple(NAMES)
    with pytest.raises(SettingError, match="feature group 'probing': expected some of size, structure"):
        with_required(CNF_GROUPS, ["probing"])


def test_every_cnf_feature_belongs_to_the_group_that_computes_it(write):
    file = write(TINY)
    whole = cnf_features(file).values  # noqa: PD011
    held = members(CNF_GROUPS, whole)
    assert sum(map(len, held.values())) == len(whole)
    known: set[str] = set()
    for name in NAMES:
        found = cnf_features(file, groups=[name])
        wanted = {column for group in with_required(CNF_GROUPS, [name]) for column in held[group]}
        assert set(found.values) == wanted
        assert {name: whole[name] for name in wanted} == found.values  # noqa: PD011
        known |= wanted
    assert known == set(whole)


def test_counts_are_those_of_gbdc(write, tmp_path):
    gbdc = pytest.importorskip("gbdc")
    clauses = ["1 0", "-1 -2 0", "2 3 -4 0", "-1 -2 -3 -4 0", "1 2 3 4 5 6 7 8 9 10 -11 0", "5 0"]
    file = write(f"p cnf 11 {len(clauses)}\n" + "\n".join(clauses) + "\n")
    expected = gbdc.extract_base_features(str(file))
    found = cnf_features(file, groups=["size"]).values  # noqa: PD011
    assert len(found) == 17
    assert {name: expected[name.removeprefix("structure.")] for name in found if "per_" not in name} == {
        name: value for name, value in found.items() if "per_" not in name
    }


def test_costs_are_kept_by_group(write):
    table = extract_features([write(TINY)], groups=["structure"])
    assert list(table.costs.columns) == ["seconds", "size", "structure"]
    assert table.costs["seconds"].item() == pytest.approx(table.group_cost.sum(axis=1).item(), rel=0.2)
    groups = measured_groups(table.costs, table.features.columns)
    assert groups.names == ("size", "structure")
    assert groups.seconds(["size"]).item() < groups.seconds().item()


def test_features_of_no_group_have_no_groups():
    costs = pd.DataFrame({"seconds": [1.0], "size": [0.1]}, index=["a"])
    assert measured_groups(costs, ["structure.clauses", "mine"]) is None
    assert measured_groups(costs[["seconds"]], ["structure.clauses"]) is None
