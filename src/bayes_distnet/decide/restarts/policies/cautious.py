"""Model-based cutoffs where the prediction is sure, and the universal sequence where it is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.decide.restarts.rule import RestartLaws, RestartRule
from bayes_distnet.errors import SettingError
from bayes_distnet.validation import is_number


def unsureness(laws: RestartLaws, rule: RestartRule | None = None) -> FloatArray:
    """Return how little is known of the expected time at the best cutoff.

    Parameters
    ----------
    laws : RestartLaws
        Distributions that the instances may have.
    rule : RestartRule, optional
        Rule that chooses the cutoff.

    Returns
    -------
    ndarray
        (n,) ratio of the ends of the range that holds the instance's own expected time with 90 % probability; 1 for a
        prediction without draws.
    """
    choice = (rule or RestartRule()).choose(laws)
    costs = np.where(choice.pays[:, None], choice.costs, choice.alone)
    low, high = np.quantile(costs, [0.05, 0.95], axis=1, method="inverted_cdf")
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(low), 1.0, high / low)


def learn_threshold(unsure: FloatArray, predicted: FloatArray, universal: FloatArray) -> float:
    """Learn from which unsureness on the universal sequence is the better choice.

    Parameters
    ----------
    unsure : ndarray
        (n,) unsureness of the predictions of instances that the model has not seen.
    predicted, universal : ndarray
        (n,) seconds of the two policies on these instances.

    Returns
    -------
    float
        Threshold with the least geometric mean of the seconds; of several the largest. Infinite if the prediction is
        always the better choice.

    Examples
    --------
    >>> learn_threshold(np.array([1.2, 1.5, 9.0]), np.array([1.0, 1.0, 8.0]), np.array([2.0, 2.0, 3.0]))
    1.5
    """
    order = np.argsort(unsure)
    gains = np.log(universal[order]) - np.log(predicted[order])  # of trusting the prediction
    trusted = np.concatenate([[0.0], np.cumsum(gains)])
    ends = np.concatenate([unsure[order][1:] > unsure[order][:-1], [True]])  # equals are trusted together
    allowed = np.concatenate([[True], ends])
    best = len(trusted) - 1 - int(np.argmax(np.where(allowed, trusted, -np.inf)[::-1]))
    return np.inf if best == len(unsure) else float(unsure[order][best - 1]) if best else 0.0


class Cautious(RestartPolicy):
    """A model-based policy, or another one where the prediction is too unsure.

    Parameters
    ----------
    predicted, universal : RestartPolicy
        Policy of a prediction that is sure enough, and policy of all others.
    unsure : float
        Unsureness of the prediction.
    threshold : float
        Largest unsureness at which the prediction is trusted: see `learn_threshold`.
    """

    def __init__(self, predicted: RestartPolicy, universal: RestartPolicy, *, unsure: float, threshold: float) -> None:
        for name, value in (("unsure", unsure), ("threshold", threshold)):
            if not is_number(value) or np.isnan(value):
                raise SettingError(f"{name}={value!r}: expected a number.")
        self.chosen = predicted if unsure <= threshold else universal

    def next_cutoff(self, failed: Sequence[float]) -> float:
        """Return the next cutoff of the policy that was chosen."""
        return self.chosen.next_cutoff(failed)

    def sequence(self, length: int) -> FloatArray:
        """Return the cutoffs of the policy that was chosen."""
        return self.chosen.sequence(length)
