"""What a fitted `PortfolioModel` shows of what it has learnt."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from bayes_distnet.decide.laws.dependence import Dependence
from bayes_distnet.decide.portfolio.fitted import Portfolio
from bayes_distnet.decide.portfolio.quick_choice import QuickChoice
from bayes_distnet.decide.portfolio.selector import Selector
from bayes_distnet.decide.schedules.slot import Slot


class PortfolioAttributes:
    """Attributes of a fitted `PortfolioModel`, read from its `Portfolio`."""

    portfolio_: Portfolio

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "portfolio_")

    @property
    def _fitted(self) -> Portfolio:
        check_is_fitted(self)
        return self.portfolio_

    @property
    def solvers_(self) -> tuple[str, ...]:
        """Solvers that can be chosen."""
        return self._fitted.solvers

    @property
    def left_out_(self) -> dict[str, str]:
        """Solvers that cannot be chosen, with the reason."""
        return self._fitted.left_out

    @property
    def cutoff_(self) -> float:
        """Seconds after which a run is stopped."""
        return self._fitted.cutoff

    @property
    def sbs_(self) -> str:
        """Single best solver: the one with the least mean cost on the training instances."""
        return self._fitted.solvers[self._fitted.single_best]

    @property
    def dependence_(self) -> Dependence:
        """Correlation of the instance effects of the solvers."""
        return self._fitted.dependence

    @property
    def presolver_(self) -> tuple[Slot, ...]:
        """Schedule to run before features are computed; often empty."""
        return self._fitted.presolver

    @property
    def selector_(self) -> Selector | None:
        """Learnt choice of one solver; None where there is only one."""
        return self._fitted.selector

    @property
    def columns_(self) -> tuple[str, ...]:
        """Features that are used."""
        return self._fitted.columns

    @property
    def groups_(self) -> tuple[str, ...] | None:
        """Groups of features that are used; None if the training data have no groups."""
        return self._fitted.groups

    @property
    def quick_(self) -> QuickChoice | None:
        """Choice that needs no model, where the model is not worth its overhead and this choice is."""
        return self._fitted.quick

    @property
    def feature_cost_(self) -> float:
        """Median seconds of a decision by features of a training instance, with its overhead; 0 if unknown."""
        return self._fitted.feature_cost

    @property
    def uses_features_(self) -> bool:
        """Whether choices by features are worth their seconds; if not, run `sbs_` without computing them."""
        return self._fitted.uses_features
