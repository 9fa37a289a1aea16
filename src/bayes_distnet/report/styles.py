"""Looks of lines in figures: main models strong, their variants and peers thin, limits dotted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from bayes_distnet.experiments.roles import role_of
from bayes_distnet.models.registry import MODELS, ModelEntry, Role, by_label
from bayes_distnet.report.names import family_rank, roles_of

# Colours of main models. All lines can be seen on white and on black paper: their contrast is 3 or more.
_MAIN_COLORS = ("#d1495b", "#2f86c4", "#2a9d8f", "#c47d14", "#8a6fd1", "#b3679b")
# A variant has the colour of its model; peers share muted colours and differ by their markers.
_VARIANT_MARKERS = "xXP*"
_PEER_MARKERS, _PEER_COLORS = "s^vDP*Xd<>", ("#6f7d96", "#8f7396", "#7f7f55", "#96704f", "#5f8281")
_PEERS = tuple(product(_PEER_MARKERS, _PEER_COLORS))
GREY = "#7b818c"
# Lengths of dash, gap, dash, ... in line widths; one entry per registered family, then one for all others.
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (4, 1.6)),
    (0, (6, 1.5, 1, 1.5, 1, 1.5)),
    (0, (2, 1.2)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (8, 3)),
    (0, (1, 1.2)),
)
# Lengths of dot and gap in line widths; limits take turns.
_DOTS: tuple[Any, ...] = ((0, (1, 3)), (0, (1, 1.5)), (0, (1, 5)), (0, (1, 2.2)))


@dataclass(frozen=True)
class Styles:
    """Looks of the models of one figure: a model looks the same in all of its panels and in the legend.

    Parameters
    ----------
    roles : mapping of str to Role
        All models of the figure in the order of tables, each with its role.

    Examples
    --------
    >>> styles = Styles({"DistNet": Role.MODEL, "mine": Role.PEER})
    >>> styles.line("DistNet")["lw"], styles.line("mine")["lw"]
    (2.0, 1.0)
    """

    roles: Mapping[str, Role]

    @classmethod
    def of(cls, table: pd.DataFrame) -> Styles:
        """Return the looks of all models of a table."""
        return cls(roles_of(table))

    def line(self, model: str, family: str = "") -> dict[str, Any]:
        """Return the look of a line with few points.

        Parameters
        ----------
        model : str
            Label of the model.
        family : str, default ""
            Its family, which decides the dashes.

        Returns
        -------
        dict
            Arguments of Matplotlib's `plot`.
        """
        entry, dashes = by_label(model), _dashes(family)
        if self._role(model) is Role.LIMIT:
            return {"color": GREY, "lw": 1.4, "ls": self._dots(model), "marker": "", "ms": 0.0, "zorder": 1}
        if entry is not None and entry.main:
            return {"color": _main_color(entry), "lw": 2.0, "ls": dashes, "marker": "o", "ms": 4.0, "zorder": 4}
        if entry is not None and entry.variant_of is not None:
            color, marker = _main_color(MODELS[entry.variant_of]), _variant_marker(entry)
            return {"color": color, "lw": 1.2, "ls": dashes, "marker": marker, "ms": 4.5, "zorder": 3}
        marker, color = self._peer(model)
        return {"color": color, "lw": 1.0, "ls": dashes, "marker": marker, "ms": 3.5, "zorder": 2}

    def curve(self, model: str, family: str = "") -> dict[str, Any]:
        """Return the look of a curve with many points: as `line`, but only peers have markers, and few.

        Parameters
        ----------
        model : str
            Label of the model.
        family : str, default ""
            Its family.

        Returns
        -------
        dict
            Arguments of Matplotlib's `plot`.
        """
        style = self.line(model, family)
        return style | ({"marker": ""} if style["zorder"] > 2 else {"markevery": 5})

    def _role(self, model: str) -> Role:
        return self.roles[model] if model in self.roles else role_of(model)

    def _dots(self, limit: str) -> Any:
        limits = [name for name, role in self.roles.items() if role is Role.LIMIT]
        return _DOTS[limits.index(limit) % len(_DOTS) if limit in limits else 0]

    def _peer(self, model: str) -> tuple[str, str]:
        """Marker and colour of a peer: both change from one to the next, and a pair comes back only after all."""
        others = [name for name, role in self.roles.items() if role is not Role.LIMIT and not has_own_color(name)]
        number, markers, colors = others.index(model) if model in others else 0, len(_PEER_MARKERS), len(_PEER_COLORS)
        return _PEERS[(number % markers) * colors + (number + number // markers) % colors]


def has_own_color(model: str) -> bool:
    """Whether a model is drawn in a colour of its own, or is a variant of one that is."""
    entry = by_label(model)
    return entry is not None and (entry.main or entry.variant_of is not None)


def is_main(model: str) -> bool:
    """Whether experiments are about a model."""
    entry = by_label(model)
    return entry is not None and entry.main


def _dashes(family: str) -> Any:
    return _DASHES[min(family_rank(family), len(_DASHES) - 1) if family else 0]


def _main_color(entry: ModelEntry) -> str:
    own = [key for key, other in MODELS.items() if other.main]
    return _MAIN_COLORS[own.index(entry.key) % len(_MAIN_COLORS)] if entry.key in own else GREY


def _variant_marker(entry: ModelEntry) -> str:
    variants = [key for key, other in MODELS.items() if other.variant_of == entry.variant_of]
    return _VARIANT_MARKERS[variants.index(entry.key) % len(_VARIANT_MARKERS)]


def label_text(text: object) -> str:
    r"""Escape text for Matplotlib, which reads text between two dollar signs as mathematics.

    Parameters
    ----------
    text : object
        Text, or something to be shown as text.

    Returns
    -------
    str
        Text that Matplotlib shows unchanged.

    Examples
    --------
    >>> print(label_text("$5 or $6"))
    \$5 or \$6
    """
    return str(text).replace("$", r"\$")
