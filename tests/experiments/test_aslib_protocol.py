"""The protocol's numbers on a scenario of six instances, computed by hand."""

import numpy as np
import pandas as pd
import pytest

from bayes_distnet.decide.selection.feature_charge import Charge
from bayes_distnet.experiments.aslib_protocol import normalised
from bayes_distnet.experiments.decision_records import Outcome, decision_rows, record_of
from bayes_distnet.experiments.selection import MEASURES, ORACLE, SINGLE_BEST, measure_name
from bayes_distnet.experiments.selection_summary import summary_table
from bayes_distnet.models.registry import Role

# Six instances in two folds, cutoff 10 s; the last one is solved by nobody. In the first fold the single best solver
# loses 0, 8 and 90 s, in the second one 4 and 0 s.
ORACLE_COST = [1.0, 2.0, 10.0, 3.0, 5.0, 100.0]
BEST_COST = [1.0, 10.0, 100.0, 7.0, 5.0, 100.0]
PEER_COST = [2.0, 2.0, 59.0, 4.0, 5.0, 100.0]
FOLD = [0, 0, 0, 1, 1, 1]
KEY = {"runs": 1, "cutoffs": "none", "censored": 0.0, "model": "m", "family": "", "seed": 0}


def records(costs_used=PEER_COST):
    names = list("abcdef")
    for fold in (0, 1):
        rows = [row for row in range(6) if FOLD[row] == fold]

        def outcome(policy, role, cost, rows=rows, used=None):
            values = {}
            for charge in Charge:
                chosen = np.array(used if used is not None and charge is Charge.USED else cost)[rows]
                solved = (chosen < 100).astype(float)
                of = {"par10": chosen, "time": np.minimum(chosen, 10.0), "solved": solved}
                values |= {measure_name(measure, charge): of[measure] for measure in MEASURES}
            return Outcome(policy, role, values)

        outcomes = [
            outcome("peer", Role.PEER, PEER_COST, used=costs_used),
            outcome(SINGLE_BEST, Role.LIMIT, BEST_COST),
            outcome(ORACLE, Role.LIMIT, ORACLE_COST),
        ]
        yield {"kind": "selection", "key": KEY | {"fold": fold}, **record_of(outcomes, [names[row] for row in rows])}


def table(**settings):
    rows = pd.DataFrame([row for record in records(**settings) for row in decision_rows(record)])
    return summary_table(rows).set_index("policy")


def test_both_averages_by_hand():
    found = table().loc["peer"]
    # Lost: 1 + 0 + 49 of 98 in the first fold, 1 + 0 of 4 in the second one, where the unsolved instance is left out.
    assert found["mean_of_ratios"] == pytest.approx((50 / 98 + 1 / 4) / 2)
    assert found["ratio_of_means"] == pytest.approx(51 / 102)
    assert found["gap_closed"] == pytest.approx(0.5)
    assert (found["instances"], found["folds"]) == (5, 2)
    assert found["solved"] == 1.0
    assert found["regret"] == pytest.approx(51 / 5)
    assert found["par10"] == pytest.approx((2 + 2 + 59 + 4 + 5) / 5)


def test_instances_that_nobody_solves_can_be_kept():
    found = table().loc["peer"]
    assert found["mean_of_ratios_kept"] == pytest.approx((50 / 98 + 1 / 4) / 2)  # they add nothing to any difference
    assert found["ratio_of_means_kept"] == pytest.approx(51 / 102)
    assert found["solved_kept"] == pytest.approx(5 / 6)


def test_the_charge_of_features_changes_the_scores_of_that_charge_alone():
    found = table(costs_used=ORACLE_COST).loc["peer"]
    assert found["ratio_of_means_used"] == 0.0
    assert found["ratio_of_means"] == pytest.approx(0.5)


def test_limits_are_zero_and_one():
    found = table()
    for score in ("mean_of_ratios", "ratio_of_means", "ratio_of_means_kept", "mean_of_ratios_used"):
        assert found.loc[ORACLE, score] == 0.0
        assert found.loc[SINGLE_BEST, score] == 1.0
    assert found.loc[SINGLE_BEST, "ratio_of_means_error"] == 0.0


def test_a_fold_without_a_gap_has_no_ratio():
    cost, best, least = np.array([2.0, 7.0]), np.array([3.0, 5.0]), np.array([1.0, 5.0])
    found = normalised(cost, best, least, pd.Series([0, 1]))
    assert found.mean_of_ratios == pytest.approx(0.5)
    assert found.ratio_of_means == pytest.approx(3.0 / 2.0)


def test_the_error_of_a_ratio_agrees_with_a_bootstrap():
    rng = np.random.default_rng(0)
    gap = rng.exponential(10.0, 400)
    lost = 0.4 * gap + rng.normal(0.0, 3.0, 400)
    found = normalised(lost, gap, np.zeros(400), pd.Series(np.zeros(400)))
    draws = rng.integers(400, size=(2000, 400))
    spread = (lost[draws].mean(axis=1) / gap[draws].mean(axis=1)).std()
    assert found.ratio_of_means_error == pytest.approx(spread, rel=0.1)
