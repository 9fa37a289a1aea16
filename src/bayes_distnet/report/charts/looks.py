"""Looks of models: the same in all figures of a report, at most eight lines in colour, no two lines alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from bayes_distnet.experiments.statistics import row_name
from bayes_distnet.models.registry import MODELS, Role, by_label
from bayes_distnet.report.names import BASE_LABEL, family_rank, main_labels, roles_of, rows_of

MOST_COLOURED = 8
# Eight colours of text and lines that people with any colour blindness can tell apart, for a light and a dark page;
# their contrast with the page is 4.5 or more, and tests/report/charts/test_looks.py measures both.
LIGHT = ("#d62456", "#0073d2", "#7d2ae0", "#a95c0e", "#026740", "#4b0f10", "#744814", "#a71198")
DARK = ("#f4597b", "#2f93d4", "#ac64ff", "#ff9a58", "#1fccaf", "#f6efc4", "#c9b400", "#ffb0ee")
GREY = "#7b818c"

_MAIN_MARKER, _VARIANT_MARKERS, _MARKERS = "o", "xP", "s^vDX*<>d"
# Lengths of dash, gap, dash, ... in line widths; one entry per registered family, then one for all others.
_DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (4, 1.6),
    (6, 1.5, 1, 1.5, 1, 1.5),
    (2, 1.2),
    (6, 1.5, 1, 1.5),
    (8, 3),
    (1, 1.2),
)
# Lengths of dot and gap in line widths; limits take turns.
_DOTS: tuple[tuple[float, ...], ...] = ((1, 3), (1, 1.5), (1, 5), (1, 2.2))


@dataclass(frozen=True)
class Look:
    """The look of a line.

    Parameters
    ----------
    color : int, default 0
        Number of its colour from 1 on; 0 is grey.
    dashes : tuple of float, default ()
        Lengths of dash, gap, dash, ... in line widths; none for a solid line.
    marker : str, default ""
        Marker of its points, by Matplotlib's letter.
    width : float, default 1.6
        Width of the line in points.
    on : bool, default True
        Whether it is drawn in its colour at first; else it is one of the grey lines in the background.
    reference : bool, default False
        Whether it is something to compare with: grey, but with a label.
    """

    color: int = 0
    dashes: tuple[float, ...] = ()
    marker: str = ""
    width: float = 1.6
    on: bool = True
    reference: bool = False

    @property
    def labelled(self) -> bool:
        """Whether the end of the line has a label at first."""
        return self.on or self.reference

    def marks_every(self, points: bool) -> int:
        """Return which points of a line are marked: every first; on curves every fifth, of main models none (0)."""
        return 1 if points else 0 if self.marker in ("", _MAIN_MARKER) else 5


#: The look of recorded runs.
RECORDED = Look(width=1.8, reference=True)


@dataclass(frozen=True)
class Looks:
    """Looks of all models and families of a report.

    Parameters
    ----------
    looks : mapping of (str, str) to Look
        By model and family, in the order of tables.

    Examples
    --------
    >>> looks = Looks.of(pd.DataFrame({"model": ["DistNet", "Marginal"], "family": ""}))
    >>> looks.look("DistNet", "").on, looks.look("Marginal", "").on
    (True, False)
    """

    looks: Mapping[tuple[str, str], Look]

    @classmethod
    def of(cls, table: pd.DataFrame, ranked: Sequence[str] = ()) -> Looks:
        """Return the looks of the models of a table.

        Parameters
        ----------
        table : DataFrame
            Rows with the columns `model` and `family`; the column `role` is optional.
        ranked : sequence of str, default ()
            Models from the best on: after the main models, these get the first colours.

        Returns
        -------
        Looks
            Their looks.
        """
        rows, roles = rows_of(table), roles_of(table)
        limits = [model for model, role in roles.items() if role is Role.LIMIT]
        colored = _colored([model for model in roles if model not in limits], ranked)
        on = _on(rows, colored)
        looks = {}
        for model, family in rows:
            if model in limits:
                dots = _DOTS[limits.index(model) % len(_DOTS)]
                looks[model, family] = Look(dashes=dots, width=1.4, on=False, reference=True)
            elif model == BASE_LABEL:
                first = (model, family) == next(row for row in rows if row[0] == model)
                looks[model, family] = Look(0, _dashes(family), "d", 1.4, on=False, reference=first)
            else:
                color, marker = _color(model, colored), _marker(model, colored)
                width = 2.4 if model in main_labels() else 1.6
                looks[model, family] = Look(color, _dashes(family), marker, width, on=(model, family) in on)
        return cls(looks)

    def look(self, model: str, family: str = "") -> Look:
        """Return the look of a model and family; grey for one that is not in the report."""
        return self.looks.get((model, family), Look(on=False))

    def label(self, model: str, family: str) -> str:
        """Return a short name: the first family of a model is left out."""
        first = next((own for name, own in self.looks if name == model), family)
        return model if family == first else row_name(model, family)


def _colored(models: Iterable[str], ranked: Sequence[str]) -> list[str]:
    """Return the models that have a colour of their own, in the order in which they get it."""
    own = [model for model in models if model != BASE_LABEL and _origin(model) == model]
    main = [model for model in own if model in main_labels()]
    place = {model: rank for rank, model in enumerate(ranked)}
    return main + sorted((model for model in own if model not in main), key=lambda m: place.get(m, len(place)))


def _origin(model: str) -> str:
    """Return the model whose colour a variant has: itself for all others."""
    entry = by_label(model)
    return model if entry is None or entry.variant_of is None else MODELS[entry.variant_of].label


def _on(rows: list[tuple[str, str]], colored: list[str]) -> set[tuple[str, str]]:
    """Choose the lines in colour: first families first."""
    own = [row for row in rows if row[0] in colored or _origin(row[0]) != row[0]]
    place = {model: rank for rank, model in enumerate(colored)}
    seen: dict[str, int] = {}
    keys = {}
    for row in own:
        seen[row[0]] = seen.get(row[0], -1) + 1
        keys[row] = (seen[row[0]], place.get(row[0], len(place)))
    return set(sorted(own, key=lambda row: keys[row])[:MOST_COLOURED])


def _color(model: str, colored: list[str]) -> int:
    origin = _origin(model)
    if origin in colored:
        return colored.index(origin) % MOST_COLOURED + 1
    # A variant without its model: its colour stays free for it, after all others.
    return (len(colored) + main_labels().index(origin)) % MOST_COLOURED + 1 if origin in main_labels() else 0


def _marker(model: str, colored: list[str]) -> str:
    if model in main_labels():
        return _MAIN_MARKER
    if _origin(model) != model:
        variants = [e.label for e in MODELS.values() if e.variant_of is not None and _origin(e.label) == _origin(model)]
        return _VARIANT_MARKERS[variants.index(model) % len(_VARIANT_MARKERS)]
    return _MARKERS[colored.index(model) % len(_MARKERS)]


def _dashes(family: str) -> tuple[float, ...]:
    return _DASHES[min(family_rank(family), len(_DASHES) - 1) if family else 0]
