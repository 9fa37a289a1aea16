"""Learning of the restart rule on training instances, whose runs and honest predictions are known.

Predictions of some data deserve more trust than those of other data. The rule weighs the predicted curve of total time
against the cutoff with the average curve of the training instances; replay of the training runs decides how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bayes_distnet.arrays import FloatArray
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.restarts.policies.predicted import Predicted
from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time, policy_time
from bayes_distnet.decide.restarts.rule import OBJECTIVES, CommonCurve, RestartLaws, RestartRule
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes, check_distribution
from bayes_distnet.errors import SettingError

TRUSTS = (0.0, 0.2, 0.35, 0.5, 0.75, 1.0)
# What failures teach: a policy adapts to them, or starts lower and grows; the first is taken unless another is faster.
_SCALES, _GROWTHS = (1.0, 0.85, 0.7), (1.0, 1.05, 1.1)
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


def learn_rule(
    unseen: PredictedRuntimes, runs: Sequence[RecordedRuns], *, overhead: float = 0.0, rule: RestartRule | None = None
) -> RestartRule:
    """Learn on training instances how to choose restart cutoffs.

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
        Rule with the least geometric mean of the total times: objective, trust in the prediction, and what failures
        teach. The gain may then rest on the slowest runs, since the common curve knows them.

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
    check_distribution(unseen)
    if len(unseen) != len(runs):
        raise SettingError(f"runs: found those of {len(runs)} instances; expected {len(unseen)}, one per prediction.")
    start = replace(rule or RestartRule(), common=common_curve(runs, overhead), tail=0.0)
    laws = [RestartLaws(LawTable.of(unseen[row]), overhead) for row in range(len(unseen))]
    rules = [replace(start, objective=name, trust=trust) for trust in TRUSTS for name in OBJECTIVES]
    best = min(rules, key=lambda one: _fixed_score(one, laws, runs, overhead))
    manners = [best] + [
        replace(best, adapts=False, doubt=0.0 if growth > 1 else best.doubt, scale=scale, growth=growth)
        for scale in _SCALES
        for growth in _GROWTHS
    ]
    return min(manners, key=lambda one: _policy_score(one, laws, runs, overhead))


def _fixed_score(
    rule: RestartRule, laws: Sequence[RestartLaws], runs: Sequence[RecordedRuns], overhead: float
) -> float:
    """Mean log of the total time if every attempt has the first cutoff."""
    logs = []
    for law, one in zip(laws, runs, strict=True):
        choice = rule.choose(law)
        cutoff: FloatArray = np.where(choice.pays, choice.cutoff, np.inf)
        logs.append(np.log(fixed_time(one, cutoff, overhead)[0]))
    return float(np.mean(logs))


def _policy_score(
    rule: RestartRule, laws: Sequence[RestartLaws], runs: Sequence[RecordedRuns], overhead: float
) -> float:
    """Mean log of the total time of the policy."""
    return float(
        np.mean([np.log(policy_time(one, Predicted(law, rule), overhead)) for law, one in zip(laws, runs, strict=True)])
    )
