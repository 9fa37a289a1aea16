from itertools import product

import pytest

from bayes_distnet.collect.instances.cnf import at_most_one, exactly_one


def holds(clauses, values):
    return all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)


@pytest.mark.parametrize(("clauses", "allowed"), [(exactly_one([1, 2, 3]), {1}), (at_most_one([1, 2, 3]), {0, 1})])
def test_clauses_hold_for_the_right_number_of_true_literals(clauses, allowed):
    for values in product((False, True), repeat=3):
        assert holds(clauses, values) == (sum(values) in allowed)
