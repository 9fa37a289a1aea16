"""Factoring as satisfiability: the inputs of a multiplier circuit with a given product."""

from __future__ import annotations

import numpy as np

from bayes_distnet.collect.instances.cnf import Clause, dimacs
from bayes_distnet.validation import check_at_least

#: Range of half the number of bits of the smaller factor in `draw`; the sum of two draws is the number of bits.
HALF = (4, 8)
#: Range of the number of bits that the larger factor has in addition.
MORE = (0, 2)


def draw(rng: np.random.Generator) -> str:
    """Return an instance of random size."""
    # One more bit about doubles the runtime. Small and large sizes are rarer than medium ones: typical runtimes spread
    # widely, and the largest instances do not take most of the time.
    smaller = int(rng.integers(*HALF, size=2, endpoint=True).sum())
    return factoring(rng, smaller, smaller + int(rng.integers(*MORE, endpoint=True)))


def factoring(rng: np.random.Generator, smaller: int, larger: int) -> str:
    """Return the CNF of factoring n = p q, for random primes p and q.

    Variables 1 to `smaller` are the bits of p, lowest first, and the next `larger` variables are those of q. Both
    highest bits are fixed to 1: this excludes 1 times n, and reveals no more than the two lengths.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    smaller : int
        Number of bits of p, at least 2.
    larger : int
        Number of bits of q, at least `smaller`.

    Returns
    -------
    str
        DIMACS text.

    Examples
    --------
    >>> factoring(np.random.default_rng(0), 3, 4).splitlines()[0]
    'c factoring: n = 91 with factors of 3 and 4 bits'
    """
    check_at_least("smaller", smaller, 2)
    check_at_least("larger", larger, smaller)
    n = random_prime(rng, smaller) * random_prime(rng, larger)
    clauses, product, variables = multiplier(smaller, larger)
    clauses += [(smaller,), (smaller + larger,)]
    clauses += [(bit if n >> i & 1 else -bit,) for i, bit in enumerate(product)]
    return dimacs(clauses, variables, f"factoring: n = {n} with factors of {smaller} and {larger} bits")


def multiplier(a: int, b: int) -> tuple[list[Clause], list[int], int]:
    """Return the clauses of a multiplier circuit.

    The inputs are the variables 1 to a and a + 1 to a + b. Partial products are summed column by column, three bits
    at a time, as in a carry-save array.

    Parameters
    ----------
    a, b : int
        Numbers of bits of the two inputs.

    Returns
    -------
    clauses : list
        Clauses of the circuit.
    product : list of int
        Variables of the a + b bits of the product, lowest first.
    variables : int
        Number of variables.
    """
    clauses: list[Clause] = []
    variables = a + b
    columns: list[list[int]] = [[] for _ in range(a + b + 1)]
    for i in range(a):
        for j in range(b):
            variables += 1
            p, q = i + 1, a + j + 1
            clauses += [(-variables, p), (-variables, q), (variables, -p, -q)]
            columns[i + j].append(variables)
    for i in range(a + b):
        column = columns[i]
        while len(column) > 1:
            terms, column[:] = column[:3], column[3:]
            total, carry = variables + 1, variables + 2
            variables += 2
            clauses += _parity([*terms, total]) + _carry(terms, carry)
            column.append(total)
            columns[i + 1].append(carry)
    # A product of a and b bits has at most a + b bits: carries out of the last column are never set.
    clauses += [(-carry,) for carry in columns[a + b]]
    return clauses, [column[0] for column in columns[: a + b]], variables


def _parity(variables: list[int]) -> list[Clause]:
    """Return clauses that hold if an even number of the variables is set: one per odd assignment, to exclude it."""
    size = len(variables)
    odd = (bits for bits in range(2**size) if bits.bit_count() % 2)
    return [tuple(-v if bits >> k & 1 else v for k, v in enumerate(variables)) for bits in odd]


def _carry(terms: list[int], carry: int) -> list[Clause]:
    """Return clauses that set the carry of two or three bits: whether at least two of them are set."""
    if len(terms) == 2:
        x, y = terms
        return [(-carry, x), (-carry, y), (carry, -x, -y)]
    pairs = [(terms[i], terms[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    return [clause for x, y in pairs for clause in ((carry, -x, -y), (-carry, x, y))]


def random_prime(rng: np.random.Generator, bits: int) -> int:
    """Return a random prime with exactly this number of bits.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    bits : int
        Number of bits, at least 2.

    Returns
    -------
    int
        The prime.

    Examples
    --------
    >>> random_prime(np.random.default_rng(0), 2) in (2, 3)
    True
    """
    while True:
        candidate = int(rng.integers(2 ** (bits - 1), 2**bits))
        if is_prime(candidate):
            return candidate


def is_prime(n: int) -> bool:
    """Test for primes by Miller and Rabin, with bases that are sufficient below 3.3e24.

    Parameters
    ----------
    n : int
        Number to be tested.

    Returns
    -------
    bool
        Whether n is prime.

    Examples
    --------
    >>> [n for n in range(20) if is_prime(n)]
    [2, 3, 5, 7, 11, 13, 17, 19]
    """
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    if n < 2 or any(n % base == 0 for base in bases):
        return n in bases
    twos = ((n - 1) & (1 - n)).bit_length() - 1
    for base in bases:
        power = pow(base, (n - 1) >> twos, n)
        if power != 1 and all(pow(power, 2**k, n) != n - 1 for k in range(twos)):
            return False
    return True
