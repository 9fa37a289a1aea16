"""Numbers of variables and of clauses by their form: what can be counted while a CNF is read."""

from __future__ import annotations

from collections import Counter

from bayes_distnet.features.dimacs import Cnf

LONGEST = 10  # literals; longer clauses are counted together


def size_features(cnf: Cnf) -> dict[str, float]:
    """Count variables and clauses.

    Names and values are those of gbdc, which counts the same among much else. Counted here, they cost neither a program
    nor a package.

    Parameters
    ----------
    cnf : Cnf
        A CNF that has been checked.

    Returns
    -------
    dict
        Figures by name.
    """
    forms = _forms(cnf)
    lengths: Counter[int] = Counter()
    horn = inverted = positive = negative = 0
    for (length, positives), count in forms.items():
        lengths[min(length, LONGEST)] += count
        horn += count * (positives <= 1)
        inverted += count * (length - positives <= 1)
        positive += count * (positives == length)
        negative += count * (positives == 0)
    names = {length: f"cls{length}" for length in range(1, LONGEST)} | {LONGEST: f"cls{LONGEST}p"}
    counts = {
        "clauses": cnf.clauses,
        "variables": cnf.variables,
        **{name: lengths[length] for length, name in names.items()},
        "horn": horn,
        "invhorn": inverted,
        "positive": positive,
        "negative": negative,
        "clauses_per_variable": cnf.clauses / cnf.variables,
    }
    return {f"structure.{name}": float(value) for name, value in counts.items()}


def _forms(cnf: Cnf) -> Counter[tuple[int, int]]:
    """Count clauses by their numbers of literals and of positive ones."""
    forms: Counter[tuple[int, int]] = Counter()
    length = positives = 0
    for literal in cnf.literals:
        if literal > 0:
            positives += 1
            length += 1
        elif literal:
            length += 1
        else:
            forms[length, positives] += 1
            length = positives = 0
    return forms
