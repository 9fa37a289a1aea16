"""The feature sets: for which files each is, and where its code is.

A feature set is a function of a path with the keywords `random_state` and `time_limit`, and `groups` if it has groups,
that returns `Features`. To add one, write the function and add an entry here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayes_distnet.data.compressed import ENDINGS
from bayes_distnet.errors import FeatureError
from bayes_distnet.features.cnf_groups import CNF_GROUPS
from bayes_distnet.features.groups import Group, with_required
from bayes_distnet.registry import Registry, load

if TYPE_CHECKING:
    from bayes_distnet.features.base import Features


@dataclass(frozen=True)
class FeatureSet:
    """Features of one kind of instance files.

    Parameters
    ----------
    key : str
        Name of the feature set.
    summary : str
        Contents in one line, for help texts.
    suffixes : tuple of str
        Endings of the names of the files that it describes; compressed files (.gz, .xz, .bz2) count as what they hold.
    source : str
        Function that computes the features, as "package.module:function".
    groups : tuple of Group, default ()
        Groups that can be computed apart; without any, all features are computed together.
    """

    key: str
    summary: str
    suffixes: tuple[str, ...]
    source: str
    groups: tuple[Group, ...] = ()

    def compute(
        self, path: Path, *, random_state: int = 0, time_limit: float = 30.0, groups: Iterable[str] | None = None
    ) -> Features:
        """Compute the features of one file.

        Parameters
        ----------
        path : Path
            The instance file.
        random_state : int, default 0
            Seed of random probes.
        time_limit : float, default 30.0
            Limit in wall-clock seconds.
        groups : iterable of str or None, default None
            Groups to compute, with those that they require; None computes all.

        Returns
        -------
        Features
            Named numbers, and the CPU seconds that they took.

        Raises
        ------
        FeatureError
            If the file is not valid, or the time limit is reached.
        SettingError
            If there is no such group.
        """
        features: Features = load(self.source)(path, time_limit=time_limit, **self.settings(random_state, groups))
        return features

    def settings(self, random_state: int, groups: Iterable[str] | None) -> dict[str, Any]:
        """Return the arguments of the function: the seed, and the groups with those that they require."""
        chosen = {} if groups is None else {"groups": with_required(self.groups, groups)}
        return {"random_state": random_state, **chosen}


_AT = "bayes_distnet.features"

FEATURE_SETS = Registry(
    "feature set",
    [
        FeatureSet(
            "cnf",
            "structure of a CNF, unit propagation, and short runs of clasp and MiniSat",
            (".cnf", ".dimacs"),
            f"{_AT}.cnf:cnf_features",
            CNF_GROUPS,
        ),
        FeatureSet(
            "pddl",
            "size of a planning problem, its numbers, and its delete relaxation",
            (".pddl",),
            f"{_AT}.pddl:pddl_features",
        ),
    ],
)


def feature_set_of(path: Path) -> FeatureSet:
    """Find the feature set of an instance file by the ending of its name.

    Parameters
    ----------
    path : Path
        The instance file.

    Returns
    -------
    FeatureSet
        The first feature set with such an ending.

    Raises
    ------
    FeatureError
        If there is none.
    """
    plain = path.stem if path.suffix in ENDINGS else path.name
    for entry in FEATURE_SETS.values():
        if plain.endswith(entry.suffixes):
            return entry
    endings = [ending for entry in FEATURE_SETS.values() for ending in entry.suffixes]
    raise FeatureError(f"{path}: expected a file named *{', *'.join(endings)}. Rename it, or leave it out.")
