import re

import numpy as np
import pytest

from bayes_distnet.collect.instances import factoring
from bayes_distnet.collect.instances.cnf import dimacs
from bayes_distnet.errors import SettingError


def number_of(text):
    return int(re.search(r"n = (\d+)", text)[1])


@pytest.mark.parametrize(("smaller", "larger"), [(2, 2), (2, 5), (7, 7), (8, 10)])
def test_a_satisfying_assignment_has_the_two_factors(smaller, larger, solve):
    text = factoring.factoring(np.random.default_rng(0), smaller, larger)
    model = solve(text)
    p = sum(2**i for i in range(smaller) if i + 1 in model)
    q = sum(2**j for j in range(larger) if smaller + j + 1 in model)
    assert p * q == number_of(text)
    assert factoring.is_prime(p)
    assert factoring.is_prime(q)
    assert (p.bit_length(), q.bit_length()) == (smaller, larger)


def test_the_multiplier_multiplies_every_pair(solve):
    clauses, product, variables = factoring.multiplier(2, 3)
    for p in range(4):
        for q in range(8):
            inputs = [(i + 1 if p >> i & 1 else -(i + 1),) for i in range(2)]
            inputs += [(j + 3 if q >> j & 1 else -(j + 3),) for j in range(3)]
            model = solve(dimacs([*clauses, *inputs], variables, "2 x 3 bits"))
            assert sum(2**k for k, bit in enumerate(product) if bit in model) == p * q


def test_the_factors_are_not_in_the_file(read_dimacs):
    text = factoring.factoring(np.random.default_rng(3), 12, 13)
    n = number_of(text)
    p = next(d for d in range(3, n, 2) if n % d == 0)
    assert not {str(p), str(n // p)} & set(re.findall(r"\d+", text.splitlines()[0]))
    units = {abs(clause[0]) for clause in read_dimacs(text)[0] if len(clause) == 1}
    # Of the bits of the factors only the highest are given.
    assert units & set(range(1, 26)) == {12, 25}


def test_primes_are_those_of_trial_division():
    slow = [n for n in range(3000) if n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))]
    assert [n for n in range(3000) if factoring.is_prime(n)] == slow
    assert not factoring.is_prime(3215031751)  # passes with the bases 2, 3, 5 and 7
    assert factoring.is_prime(2**61 - 1)


@pytest.mark.parametrize(("bits", "message"), [((1, 5), "smaller=1"), ((5, 4), "larger=4")])
def test_unusable_sizes_are_named(bits, message):
    with pytest.raises(SettingError, match=message):
        factoring.factoring(np.random.default_rng(0), *bits)
