"""One sentence about a model, compared with simple models on the same instances."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

CLEAR = 2.0  # standard errors from which on a difference is clear
LEAST_INSTANCES = 5  # below, no difference is clear


def verdict(
    name: str, scores: pd.DataFrame, yardsticks: Mapping[str, pd.DataFrame], groups: pd.Series | None = None
) -> str:
    """Compare the likelihood of a model with those of yardsticks, instance by instance.

    Parameters
    ----------
    name : str
        Name of the model.
    scores : DataFrame
        Scores of the model, one row per instance, as `evaluate` returns them.
    yardsticks : mapping
        Scores of other models on the same instances, by name.
    groups : Series, optional
        Group of each instance: instances of a group do not count as independent.

    Returns
    -------
    str
        One sentence. A difference is clear if it is larger than two standard errors.

    Examples
    --------
    >>> good, bad = (pd.DataFrame({"nllh": values}) for values in ([0.0, 0.1, 0.2, 0.1, 0.0, 0.1], [1.0] * 6))
    >>> verdict("Ridge", good, {"Marginal": bad})
    'Ridge predicts these instances better than Marginal (nllh lower by 0.917 ± 0.031).'
    """
    phrases: list[str] = []
    helped = True
    for other, theirs in yardsticks.items():
        mean, error = _difference(scores["nllh"] - theirs["nllh"], groups)
        clear = abs(mean) > CLEAR * error and len(scores) >= LEAST_INSTANCES
        how = "about as well as" if not clear else "better than" if mean < 0 else "worse than"
        helped = helped and (other != "Marginal" or how == "better than")
        amount = f"{'lower' if mean < 0 else 'higher'} by {abs(mean):.3f} ± {error:.3f}"
        phrases.append(f"{how} {other} ({'nllh ' if not phrases else ''}{amount})")
    if not phrases:
        return (
            f"Nothing to compare {name} with: only models that `bayes-distnet fit` wrote have yardsticks beside them."
        )
    sentence = f"{name} predicts these instances {' and '.join(phrases)}"
    return f"{sentence}." if helped else f"{sentence}: no clear gain from the features here."


def _difference(values: pd.Series, groups: pd.Series | None) -> tuple[float, float]:
    """Return the mean difference and its standard error; instances of a group count together."""
    differences = values.to_numpy(float)
    known = ~np.isnan(differences)
    infinite = np.unique(differences[np.isinf(differences)])
    if not known.any() or len(infinite) > 1:
        return 0.0, np.inf
    if len(infinite):  # one of the two models excluded a run that happened
        return float(infinite[0]), 0.0
    centre = float(differences[known].mean())
    unit = np.arange(len(differences)) if groups is None else pd.factorize(groups)[0]
    n = len(np.unique(unit[known]))
    if n < 2:
        return centre, np.inf
    sums = np.bincount(unit[known], weights=differences[known] - centre)
    return centre, float(np.sqrt((sums**2).sum() * n / (n - 1)) / known.sum())
