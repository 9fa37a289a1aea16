"""Which features moved a prediction, and its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayes_distnet.arrays import BoolArray, FloatArray, IntArray
from bayes_distnet.models.explanation.background import evenly_spaced
from bayes_distnet.models.explanation.explanation import Explanation
from bayes_distnet.models.explanation.grouping import CORRELATED, check_names, group_features
from bayes_distnet.models.explanation.quantities import check_quantities, measure, usual
from bayes_distnet.models.explanation.rows import ExplainedRows
from bayes_distnet.models.explanation.shapley import Value, sample_orders, shapley
from bayes_distnet.validation import check_at_least, check_seed

ORDERS = 64


def explain_rows(
    rows: ExplainedRows,
    *,
    groups: Any = CORRELATED,
    quantities: Sequence[str] | None = None,
    n_orders: int = ORDERS,
    random_state: int = 0,
) -> Explanation:
    """Explain predictions: see `RuntimeEstimator.explain`.

    Parameters
    ----------
    rows : ExplainedRows
        Instances and background.
    groups : str, mapping or FeatureGroups
        Features that are explained together.
    quantities : sequence of str or None
        Names of quantities.
    n_orders : int
        Least number of orders per instance.
    random_state : int
        Seed of the orders.

    Returns
    -------
    Explanation
        Contributions of the groups.
    """
    check_at_least("n_orders", n_orders, 2)
    seed = check_seed("random_state", random_state)
    names = check_names(rows.shown.columns)
    # A feature that became several columns correlates with none.
    dealt = group_features(
        groups,
        names,
        rows.background[[c[0] for c in rows.columns.values() if len(c) == 1]].set_axis(
            [name for name, c in rows.columns.items() if len(c) == 1], axis=1
        ),
    )
    places = {name: j for j, name in enumerate(rows.instances.columns)}
    players = [[places[c] for feature in features for c in rows.columns[feature]] for features in dealt.values()]
    used = evenly_spaced(len(rows.background), max(1, n_orders // 2))
    first = rows.model.predict_distribution(rows.mixed(0, np.ones((1, len(places)), dtype=bool), used[:1]))
    asked = usual(first) if quantities is None else check_quantities(quantities, first)
    orders, chosen = sample_orders(len(players), len(used), -(-n_orders // 2), seed)
    player_of = np.empty(len(places), dtype=np.intp)
    for player, columns in enumerate(players):
        player_of[columns] = player
    found = [
        shapley(_value(rows, row, player_of, used, asked), rows.differs(row, players)[used], orders, chosen)
        for row in range(len(rows.instances))
    ]
    return Explanation(
        groups=dealt,
        quantities=asked,
        contributions=np.stack([one.values for one in found]),
        errors=np.stack([one.errors for one in found]),
        predicted=np.stack([one.predicted for one in found]),
        base=found[0].base,
        features=rows.shown,
        n_background=len(used),
    )


def _value(
    rows: ExplainedRows, row: int, player_of: IntArray | Any, used: IntArray | Any, asked: Sequence[str]
) -> Value:
    def value(own: BoolArray, background: IntArray) -> FloatArray:
        table = rows.mixed(row, own[:, player_of], used[background])
        return measure(rows.model.predict_distribution(table), asked)

    return value
