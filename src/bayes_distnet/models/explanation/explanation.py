"""Explanation: contributions of features to predictions, as arrays, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.errors import SettingError
from bayes_distnet.models.explanation.grouping import Groups
from bayes_distnet.models.explanation.quantities import MEDIAN
from bayes_distnet.notebook import table as html_table
from bayes_distnet.validation import check_at_least, check_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP = 10  # groups that tables and plots show


@dataclass(frozen=True, eq=False)
class Explanation:
    """Contributions of features to the predictions of n instances.

    Contributions to a quantity add up to its value for the instance, less its average over the background. All are
    natural logs: exp of a contribution is the factor by which the features multiply the median, or the ratio of the
    ends of a band or interval.

    Parameters
    ----------
    groups : dict
        G groups of features: names of features by name of the group.
    quantities : tuple of str
        Q quantities: median, and ignorance and luck, or spread.
    contributions, errors : ndarray of shape (n, G, Q)
        Contributions and their standard errors.
    predicted : ndarray of shape (n, Q)
        Quantities of the instances.
    base : ndarray of shape (Q,)
        Their averages over the background.
    features : DataFrame
        Features of the instances.
    n_background : int
        Number of background instances.
    """

    groups: Groups
    quantities: tuple[str, ...]
    contributions: FloatArray
    errors: FloatArray
    predicted: FloatArray
    base: FloatArray
    features: pd.DataFrame
    n_background: int

    def __len__(self) -> int:
        return len(self.contributions)

    def __repr__(self) -> str:
        return (
            f"Explanation({len(self)} instances, {self.features.shape[1]} features in {len(self.groups)} groups, "
            f"{', '.join(self.quantities)})"
        )

    def _repr_html_(self) -> str:
        """Show the first instance in a notebook."""
        found = self.as_text(0)
        cells = [list(map(str, row)) for row in found.itertuples()]
        title = f"{self.features.index[0]}: {self.sentence(0)}"
        return html_table(title, ["features", *found.columns], cells)

    def place(self, quantity: str) -> int:
        """Return the place of a quantity on the last axis of the arrays."""
        if quantity not in self.quantities:
            raise SettingError(f"quantity={quantity!r}: expected one of {', '.join(self.quantities)}.")
        return self.quantities.index(quantity)

    def order(self, row: int, quantity: str | None = None) -> list[int]:
        """Return the groups of an instance, those with the largest contributions first."""
        check_row("row", row, len(self))
        at = self.place(self.quantities[0] if quantity is None else quantity)
        return [int(group) for group in np.argsort(-np.abs(self.contributions[row, :, at]), kind="stable")]

    def label(self, row: int, group: int) -> str:
        """Return the value of the first feature of a group, as text; empty for a group that has a name of its own."""
        name, features = list(self.groups.items())[group]
        named = len(features) > 1 and not name.startswith(features[0])
        return "" if named else _text(self.features[features[0]].iloc[row])

    def table(self, row: int = 0, *, top: int | None = TOP) -> pd.DataFrame:
        """Return the contributions to one prediction.

        Parameters
        ----------
        row : int, default 0
            Instance.
        top : int or None, default 10
            Number of groups; None for all.

        Returns
        -------
        DataFrame
            One row per group, the largest contribution to the first quantity first: value (of its first feature), and
            contribution and standard error per quantity.
        """
        if top is not None:
            check_at_least("top", top, 1)
        order, names = self.order(row)[:top], list(self.groups)
        columns: dict[str, Any] = {"value": [self.label(row, group) for group in order]}
        for at, quantity in enumerate(self.quantities):
            columns[quantity] = self.contributions[row, order, at]
            columns[f"{quantity}_error"] = self.errors[row, order, at]
        return pd.DataFrame(columns, index=pd.Index([names[group] for group in order], name="features"))

    def as_text(self, row: int = 0, *, top: int = TOP) -> pd.DataFrame:
        """Return the contributions to one prediction as factors for readers, such as "× 1.25 ± 3 %".

        Parameters
        ----------
        row : int, default 0
            Instance.
        top : int, default 10
            Number of groups; the last row has the product of all others.

        Returns
        -------
        DataFrame
            Texts: value, and one column per quantity.
        """
        found, rest = self.table(row, top=top), self.order(row)[top:]
        cells: dict[str, list[str]] = {"value": [*found["value"], *([""] if rest else [])]}
        for at, quantity in enumerate(self.quantities):
            pairs = zip(found[quantity], found[f"{quantity}_error"], strict=True)
            cells[quantity] = [f"× {np.exp(value):.2f} ± {_per_cent(error):>2} %" for value, error in pairs]
            if rest:
                cells[quantity].append(f"× {np.exp(self.contributions[row, rest, at].sum()):.2f}       ")
        return pd.DataFrame(cells, index=[*found.index, *([f"{len(rest)} others"] if rest else [])])

    def frame(self) -> pd.DataFrame:
        """Return all contributions as a tidy table: one row per instance, group of features and quantity."""
        n, groups, quantities = self.contributions.shape
        each = np.indices((n, groups, quantities)).reshape(3, -1)
        names, labels = np.array(list(self.groups), dtype=object), self.features.index.to_numpy(object)
        return pd.DataFrame(
            {
                "instance": labels[each[0]],
                "features": names[each[1]],
                "value": [self.label(row, group) for row, group, _ in each.T],
                "quantity": np.array(self.quantities, dtype=object)[each[2]],
                "contribution": self.contributions.ravel(),
                "error": self.errors.ravel(),
                "factor": np.exp(self.contributions.ravel()),
            }
        )

    def average(self) -> pd.DataFrame:
        """Return the mean absolute contribution of every group over the instances, the largest first."""
        means = pd.DataFrame(
            np.abs(self.contributions).mean(axis=0), index=list(self.groups), columns=list(self.quantities)
        )
        return means.rename_axis("features").sort_values(self.quantities[0], ascending=False, kind="stable")

    def sentence(self, row: int = 0) -> str:
        """Describe one prediction: its median and that of the background."""
        check_row("row", row, len(self))
        against = f"{self.n_background} background instance{'s' if self.n_background > 1 else ''}"
        if MEDIAN not in self.quantities:
            return f"compared with {against}"
        at = self.place(MEDIAN)
        base, found = np.exp(self.base[at]), np.exp(self.predicted[row, at])
        return f"median {found:.3g} s, {found / base:.3g} times the {base:.3g} s of {against}"

    def plot(self, row: int = 0, quantity: str | None = None, *, top: int = TOP, ax: Axes | None = None) -> Axes:
        """Draw how features lead from the background to one prediction, step by step.

        Parameters
        ----------
        row : int, default 0
            Instance.
        quantity : str or None
            One of `quantities`; by default the first.
        top : int, default 10
            Groups that are drawn by themselves; the others are one step.
        ax : Axes or None
            Axes to draw on; new ones by default.

        Returns
        -------
        Axes
            The axes, with a log axis: seconds for the median, ratios for the others.
        """
        from bayes_distnet.models.explanation.plots import plot_steps

        check_at_least("top", top, 1)
        return plot_steps(self, row, self.quantities[0] if quantity is None else quantity, top, ax)

    def figure(self, row: int = 0, *, top: int = TOP, quantities: Sequence[str] | None = None) -> Figure:
        """Draw all quantities of one prediction side by side, with the same features in the same order.

        Parameters
        ----------
        row : int, default 0
            Instance.
        top : int, default 10
            Groups that are drawn by themselves.
        quantities : sequence of str or None
            Some of `quantities`; by default all.

        Returns
        -------
        Figure
            One panel per quantity.
        """
        from bayes_distnet.models.explanation.plots import figure_of

        check_at_least("top", top, 1)
        return figure_of(self, row, self.quantities if quantities is None else tuple(quantities), top)


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return "missing" if value is None or value is pd.NA else str(value)
    return "missing" if np.isnan(value) else f"{value:.4g}"


def _per_cent(error: float) -> str:
    return "?" if np.isnan(error) else f"{100 * error:.0f}"
