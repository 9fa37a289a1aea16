"""Selectors of the literature and of other packages, compared on the same folds as the models of this package."""
