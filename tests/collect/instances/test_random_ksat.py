import numpy as np
import pytest

from bayes_distnet.collect.instances.random_ksat import random_ksat
from bayes_distnet.errors import SettingError


@pytest.mark.parametrize("k", [3, 5, 7])
def test_clauses_have_k_different_variables_and_even_signs(k, read_dimacs):
    clauses, variables = read_dimacs(random_ksat(np.random.default_rng(0), k, 50, 20.0))
    assert (len(clauses), variables) == (1000, 50)
    assert all(len({abs(literal) for literal in clause}) == k for clause in clauses)
    # At least 3000 signs: half of them are positive, with a tolerance of five standard deviations.
    assert np.mean([literal > 0 for clause in clauses for literal in clause]) == pytest.approx(0.5, abs=0.046)


@pytest.mark.parametrize(("sizes", "message"), [((3, 2, 4.2), "variables=2"), ((3, 10, 0.0), "ratio=0.0")])
def test_unusable_sizes_are_named(sizes, message):
    with pytest.raises(SettingError, match=message):
        random_ksat(np.random.default_rng(0), *sizes)
