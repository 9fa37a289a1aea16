"""Uniform random k-SAT near the satisfiability threshold, a ratio of clauses to variables."""

from __future__ import annotations

import numpy as np

from bayes_distnet.collect.instances.cnf import dimacs
from bayes_distnet.validation import check_at_least, check_positive

#: Clauses per variable at the threshold, by k (Mertens, Mezard and Zecchina, 2006).
THRESHOLD = {3: 4.267, 5: 21.117, 7: 87.79}
#: Range of the number of variables in `draw`, by k.
VARIABLES = {3: (150, 280), 5: (45, 72), 7: (28, 46)}


def draw(rng: np.random.Generator) -> str:
    """Return an instance of random k and size, with 0.9 to 1.05 times the clauses of the threshold."""
    k = int(rng.choice(list(VARIABLES)))
    variables = int(rng.integers(*VARIABLES[k], endpoint=True))
    return random_ksat(rng, k, variables, THRESHOLD[k] * rng.uniform(0.9, 1.05))


def random_ksat(rng: np.random.Generator, k: int, variables: int, ratio: float) -> str:
    """Return random clauses of k different variables with random signs.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    k : int
        Number of literals per clause.
    variables : int
        Number of variables, at least k.
    ratio : float
        Number of clauses per variable.

    Returns
    -------
    str
        DIMACS text.

    Examples
    --------
    >>> random_ksat(np.random.default_rng(0), 3, 10, 4.2).splitlines()[:2]
    ['c random-ksat: k = 3, 10 variables, 42 clauses', 'p cnf 10 42']
    """
    check_at_least("k", k, 1)
    check_at_least("variables", variables, k)
    check_positive("ratio", ratio)
    count = round(ratio * variables)
    clauses = [(rng.choice(variables, k, replace=False) + 1) * rng.choice((-1, 1), k) for _ in range(count)]
    comment = f"random-ksat: k = {k}, {variables} variables, {count} clauses"
    return dimacs([clause.tolist() for clause in clauses], variables, comment)
