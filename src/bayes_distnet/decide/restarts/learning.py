"""Learning of the restart rule on training instances, whose runs and honest predictions are known.

Predictions of some data deserve more trust than those of other data. The rule weighs the predicted curve of total time
against the cutoff with the average curve of the training instances; replay of the training runs decides how.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.restarts.policies.fixed import Fixed
from bayes_distnet.decide.restarts.policies.geometric import Geometric
from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time, policy_time
from bayes_distnet.decide.restarts.rule import OBJECTIVES, CommonCurve, RestartLaws, RestartRule
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes, check_distribution
from bayes_distnet.errors import SettingError

TRUSTS = (0.0, 0.2, 0.35, 0.5, 0.75, 1.0)
SCALES, GROWTHS = (0.7, 0.85, 1.0), (1.0, 1.05, 1.1)
_CUTOFFS = 200  # points of the common curve


def common_curve(runs: Sequence[RecordedRuns], overhead: float = 0.0) -> CommonCurve:
    """Average the total time against the cutoff over instances.

    Parameters
    ----------
    runs : sequence of RecordedRuns
        Runs of training instances.
    overhead : float, default 0.0
        Seconds lost per restart.

    Returns
    -------
    CommonCurve
        Mean logs of the total times.

    Raises
    ------
    SettingError
        No instance.
    """
    if not runs:
        raise SettingError("runs: expected those of at least one training instance.")
    shortest, longest = min(one.seconds[0] for one in runs), max(one.seconds[-1] for one in runs)
    cutoffs = np.geomspace(max(shortest, np.finfo(float).tiny), longest * 1.001, _CUTOFFS)
    logs = np.log([fixed_time(one, np.append(cutoffs, np.inf), overhead) for one in runs]).mean(axis=0)
    return CommonCurve(cutoffs, logs[:-1], float(logs[-1]))


def check_rule(
    unseen: PredictedRuntimes, runs: Sequence[RecordedRuns], *, overhead: float = 0.0, rule: RestartRule | None = None
) -> RestartRule:
    """Turn a rule off unless training instances gain from the cutoffs that it chooses for them.

    A prediction can be wide because runs differ, or because little is known of the instance. Where its draws do not
    tell the two apart, all of them promise a gain, and one cutoff that is too short for the instance is never made up
    for. Runs of instances that the model has not seen show whether such promises are kept on these data.

    Parameters
    ----------
    unseen : PredictedRuntimes
        Predictions of the training instances by models that have not seen them: `model.fit_unseen(X, y)`.
    runs : sequence of RecordedRuns
        Their runs, one entry per row of `unseen`.
    overhead : float, default 0.0
        Seconds lost per restart.
    rule : RestartRule, optional
        Rule to check; its cutoffs are replayed as they are, never revised.

    Returns
    -------
    RestartRule
        The same rule. It never restarts if the mean gain of all training instances, in logs, is below its margin or two
        standard errors.

    Raises
    ------
    SettingError
        Runs of another number of instances.

    Examples
    --------
    >>> from bayes_distnet import Marginal, make_runs
    >>> data = make_runs(n_instances=30, n_runs=8, random_state=0)
    >>> unseen = Marginal().fit_unseen(data.features, data.seconds)
    >>> runs = [RecordedRuns.of(*one) for one in zip(data.seconds, data.finished)]
    >>> check_rule(unseen, runs).active
    False
    """
    laws, smooth = _matched(unseen, runs, overhead)
    rule = rule or RestartRule()
    cutoffs = [np.array([np.inf, _first_cutoff(rule, law)]) for law in laws]
    # Not `policy_time`: a cutoff below all of a few recorded times would seem to fail thousands of times.
    logs = np.log([fixed_time(one, pair, overhead) for one, pair in zip(smooth, cutoffs, strict=True)])
    return replace(rule, active=rule.active and _are_gains(logs[:, 0] - logs[:, 1], rule.margin))


def learn_rule(
    unseen: PredictedRuntimes, runs: Sequence[RecordedRuns], *, overhead: float = 0.0, rule: RestartRule | None = None
) -> RestartRule:
    """Learn on training instances how to choose restart cutoffs.

    Rules of several objectives, trusts, scales and growths are replayed on the training runs. The scores are noisy, and
    neighbours are almost as good as the best: the learnt rule is the average of all, each weighted by how compatible
    its score is with being the best. If the training instances do not gain from it, the rule never restarts: a single
    prediction that looks like luck may be ignorance.

    Parameters
    ----------
    unseen : PredictedRuntimes
        Predictions of the training instances by models that have not seen them: `model.fit_unseen(X, y)`.
    runs : sequence of RecordedRuns
        Their runs, one entry per row of `unseen`.
    overhead : float, default 0.0
        Seconds lost per restart.
    rule : RestartRule, optional
        Rule to start from: margin, confidence and the shortest cutoff are kept.

    Returns
    -------
    RestartRule
        Objective, trust in the prediction, scale and growth of cutoffs. The gain may rest on the slowest runs, since
        the common curve knows them, and growing cutoffs take the place of adapting to failures.

    Raises
    ------
    SettingError
        Runs of another number of instances.

    Examples
    --------
    >>> from bayes_distnet import Marginal, make_runs
    >>> data = make_runs(n_instances=30, n_runs=8, random_state=0)
    >>> unseen = Marginal().fit_unseen(data.features, data.seconds)
    >>> runs = [RecordedRuns.of(*one) for one in zip(data.seconds, data.finished)]
    >>> learn_rule(unseen, runs).trust <= 1
    True
    """
    laws, smooth = _matched(unseen, runs, overhead)
    start = replace(rule or RestartRule(), common=common_curve(smooth, overhead), tail=0.0, adapts=False, doubt=0.0)
    rules: list[RestartRule] = []
    scores: list[list[float]] = []
    for name, trust in product(OBJECTIVES, TRUSTS):
        candidate = replace(start, objective=name, trust=trust)
        cutoffs = [_first_cutoff(candidate, law) for law in laws]
        for scale, growth in product(SCALES, GROWTHS):
            rules.append(replace(candidate, scale=scale, growth=growth))
            scores.append([_log_time(one, c * scale, growth, overhead) for one, c in zip(smooth, cutoffs, strict=True)])
    learnt = _averaged(rules, _weights(np.array(scores)))
    return replace(learnt, active=_gains(learnt, laws, smooth, overhead))


def _matched(
    unseen: PredictedRuntimes, runs: Sequence[RecordedRuns], overhead: float
) -> tuple[list[RestartLaws], list[RecordedRuns]]:
    """Distributions and smoothed runs of each training instance."""
    check_distribution(unseen)
    if len(unseen) != len(runs):
        raise SettingError(f"runs: found those of {len(runs)} instances; expected {len(unseen)}, one per prediction.")
    laws = [RestartLaws(LawTable.of(unseen[row]), overhead) for row in range(len(unseen))]
    return laws, [one.smoothed() for one in runs]


def _gains(rule: RestartRule, laws: Sequence[RestartLaws], runs: Sequence[RecordedRuns], overhead: float) -> bool:
    """Whether a rule is faster than no restarts, by more than its margin and by two standard errors."""
    gains = [
        _log_time(one, np.inf, 1.0, overhead)
        - _log_time(one, _first_cutoff(rule, law) * rule.scale, rule.growth, overhead)
        for one, law in zip(runs, laws, strict=True)
    ]
    return _are_gains(np.array(gains), rule.margin)


def _are_gains(gains: FloatArray, margin: float) -> bool:
    """Whether the mean of log gains is above a margin and above two standard errors."""
    error = np.std(gains) / np.sqrt(len(gains))
    return bool(np.mean(gains) > max(np.log1p(margin), 2.0 * error))


def _first_cutoff(rule: RestartRule, laws: RestartLaws) -> float:
    choice = rule.choose(laws)
    return float(choice.cutoff[0]) if choice.pays[0] else np.inf


def _log_time(runs: RecordedRuns, first: float, growth: float, overhead: float) -> float:
    policy = Geometric(first, growth) if growth > 1 and first < np.inf else Fixed(first)
    return float(np.log(policy_time(runs, policy, overhead)))


def _weights(scores: FloatArray) -> FloatArray:
    """Weights of rules with scores (rules, instances): normal densities of the distances from the best, in errors."""
    behind = scores - scores[np.argmin(scores.mean(axis=1))]
    error = behind.std(axis=1) / np.sqrt(behind.shape[1])
    weights = np.exp(-0.5 * (behind.mean(axis=1) / np.maximum(error, 1e-9)) ** 2)
    return np.asarray(weights / weights.sum())


def _averaged(rules: Sequence[RestartRule], weights: FloatArray) -> RestartRule:
    def mean(values: Iterable[float]) -> float:
        return float(np.dot(weights, list(values)))

    chances = {name: mean(rule.objective == name for rule in rules) for name in OBJECTIVES}
    return replace(
        rules[0],
        objective=max(chances, key=lambda name: chances[name]),
        trust=min(mean(rule.trust for rule in rules), 1.0),
        scale=mean(rule.scale for rule in rules),
        growth=max(mean(rule.growth for rule in rules), 1.0),
    )
