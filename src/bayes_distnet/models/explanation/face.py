"""The methods by which a model explains its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.utils.validation import check_is_fitted

from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.explanation.explain import ORDERS, explain_rows
from bayes_distnet.models.explanation.explanation import Explanation
from bayes_distnet.models.explanation.grouping import CORRELATED
from bayes_distnet.models.explanation.rows import NO_BACKGROUND, ExplainedRows
from bayes_distnet.models.explanation.trust import trust_table

if TYPE_CHECKING:
    from bayes_distnet.arrays import FloatArray
    from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
    from bayes_distnet.models.familiarity import TrainingRange


class ExplainedModel:
    """A model that explains its predictions, and how far they can be trusted."""

    if TYPE_CHECKING:
        training_range_: TrainingRange
        background_: FloatArray | None

        def predict_distribution(self, X: Any) -> PredictedRuntimes: ...  # noqa: D102

        def _check_features(self, X: Any, *, reset: bool) -> FloatArray: ...

    def familiarity(self, X: Any) -> pd.DataFrame:
        """Compare instances with the training data.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance, with the columns of the training data.

        Returns
        -------
        DataFrame
            One row per row of X: verdict (familiar, unusual, outside), distance (1 is the edge of the training data),
            n_out_of_range, out_of_range (features, the farthest first), farthest (a few with values and ranges).
        """
        check_is_fitted(self)
        features, names = self._check_features(X, reset=False), getattr(self, "feature_names_in_", None)
        table = self.training_range_.table(features, names)
        return table.set_axis(X.index, axis=0) if isinstance(X, pd.DataFrame) else table

    def explain(
        self,
        X: Any,
        background: Any = None,
        *,
        groups: Any = CORRELATED,
        quantities: Sequence[str] | None = None,
        n_orders: int = ORDERS,
        random_state: int = 0,
    ) -> Explanation:
        """Return which features moved predictions, and their uncertainty, away from those of other instances.

        Contributions are Shapley values: they add up to the prediction less the average over the background.

        Parameters
        ----------
        X : array-like or DataFrame
            Features of the instances to explain, one row each.
        background : array-like or DataFrame, optional
            Features of instances to compare with; by default training instances that the model keeps. At most half as
            many as orders are used, at even distances.
        groups : {"correlated", "each", "computed"}, mapping or FeatureGroups, default "correlated"
            Features that are replaced together: those that correlate by 0.9 or more on the background, none, those
            that this package computes together, or features by group. Fewer groups take less time.
        quantities : sequence of str, optional
            Some of median, ignorance, luck, spread. By default median, ignorance and luck; of a model that cannot
            separate the last two, median and spread.
        n_orders : int, default 64
            Orders in which features are replaced, per instance, in pairs of an order and its reverse. More take more
            time and have smaller errors.
        random_state : int, default 0
            Seed of the orders.

        Returns
        -------
        Explanation
            Contributions per instance, group and quantity, with standard errors.

        Raises
        ------
        SettingError
            Settings that are not allowed, or a model that holds no background.
        FeatureError
            Features that are not those of the model.

        Examples
        --------
        >>> from bayes_distnet import Ridge, make_runs
        >>> data = make_runs(n_instances=60, n_runs=2, random_state=0)
        >>> why = Ridge().fit(data.features, data.seconds).explain(data.features[:2])
        >>> gaps = why.predicted - why.base - why.contributions.sum(axis=1)
        >>> bool(abs(gaps).max() < 1e-9)
        True
        """
        check_is_fitted(self)
        rows = self._explained_rows(X, background)
        return explain_rows(rows, groups=groups, quantities=quantities, n_orders=n_orders, random_state=random_state)

    def trust(self, X: Any) -> pd.DataFrame:
        """Return how far predictions can be trusted.

        Parameters
        ----------
        X : array-like or DataFrame
            Features, one row per instance.

        Returns
        -------
        DataFrame
            One row per row of X: verdict (familiar, unusual, outside the training data), out_of_range (features, the
            farthest first), median (s), spread (factor by which runs differ from it, up or down, with 90 %
            probability), ignorance (factor within which the instance's own median is known), luck (factor within which
            its runs differ), unsure (fraction of the variance of log time that is ignorance) and words (all of it in
            one line). Ignorance, luck and unsure are NaN of a model that cannot separate them.
        """
        check_is_fitted(self)
        return trust_table(self.predict_distribution(X), self.familiarity(X))

    def _explained_rows(self, X: Any, background: Any) -> ExplainedRows:
        """Return instances and background in the form that the model takes: here, as checked numbers."""
        known = self.background_ if background is None else self._checked_background(background)
        if known is None:
            raise SettingError(NO_BACKGROUND)
        features, names = self._check_features(X, reset=False), getattr(self, "feature_names_in_", None)
        if names is None:
            return ExplainedRows.of(self, features, known)
        index = X.index if isinstance(X, pd.DataFrame) else None
        tables = (pd.DataFrame(rows, columns=list(map(str, names))) for rows in (features, known))
        own, other = tables
        return ExplainedRows.of(self, own if index is None else own.set_axis(index, axis=0), other)

    def _checked_background(self, background: Any) -> FloatArray:
        try:
            return self._check_features(background, reset=False)
        except FeatureError as error:
            lines = str(error).removeprefix("X: ").split("\n")
            raise FeatureError(f"background: {' '.join(line.strip() for line in lines).strip()}") from error
