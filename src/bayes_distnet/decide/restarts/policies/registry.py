"""The registry of restart policies, in the order of tables.

To add a policy, write a file with the function that makes it and one line here. The experiment on restarts replays
every registered policy. A function of a policy without predictions takes the runs of training instances and the
overhead of a restart, `(runs, overhead) -> policy`; that of a model-based one the distributions that one instance may
have and the rule, `(laws, rule) -> policy`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayes_distnet.registry import Registry, load


@dataclass(frozen=True)
class PolicyEntry:
    """A restart policy.

    Parameters
    ----------
    key : str
        Name of the policy.
    label : str
        Name in tables.
    summary : str
        Description in one line.
    source : str
        "package.module:function" that makes it.
    predicts : bool, default False
        Whether it decides from a prediction.
    """

    key: str
    label: str
    summary: str
    source: str
    predicts: bool = False

    def make(self, *arguments: Any) -> Any:
        """Make the policy: see the top of this file for the arguments."""
        return load(self.source)(*arguments)


_AT = "bayes_distnet.decide.restarts.policies"

#: All policies, in the order of tables.
POLICIES: Registry[PolicyEntry] = Registry(
    "restart policy",
    [
        PolicyEntry(
            "predicted",
            "adaptive",
            "best cutoff for the prediction, chosen anew after every failure",
            f"{_AT}.predicted:predicted",
            True,
        ),
        PolicyEntry(
            "one-cutoff", "one cutoff", "best cutoff for the prediction, kept", f"{_AT}.predicted:one_cutoff", True
        ),
        PolicyEntry("none", "no restarts", "every run goes on until it finishes", f"{_AT}.tuning:no_restarts"),
        PolicyEntry("fixed", "one cutoff for all", "best on the training instances", f"{_AT}.tuning:best_fixed"),
        PolicyEntry(
            "luby", "Luby", "universal sequence, unit tuned on the training instances", f"{_AT}.tuning:best_luby"
        ),
        PolicyEntry(
            "geometric",
            "geometric",
            "first cutoff and factor tuned on the training instances",
            f"{_AT}.tuning:best_geometric",
        ),
    ],
)
