"""Transformers, functions and types that a saved pipeline may hold.

A file names one of these; it is looked up here and never imported by a name from the file. To add a transformer, add a
line: its settings and fitted attributes must be plain values, arrays, or other transformers of this list.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

_PREPROCESSING, _IMPUTE = "sklearn.preprocessing", "sklearn.impute"
_SELECTION, _DECOMPOSITION = "sklearn.feature_selection", "sklearn.decomposition"

#: Classes by name, and the modules that define them.
TRANSFORMERS: dict[str, str] = {
    "Binarizer": _PREPROCESSING,
    "FunctionTransformer": _PREPROCESSING,
    "KBinsDiscretizer": _PREPROCESSING,
    "MaxAbsScaler": _PREPROCESSING,
    "MinMaxScaler": _PREPROCESSING,
    "Normalizer": _PREPROCESSING,
    "OneHotEncoder": _PREPROCESSING,
    "OrdinalEncoder": _PREPROCESSING,
    "PolynomialFeatures": _PREPROCESSING,
    "PowerTransformer": _PREPROCESSING,
    "QuantileTransformer": _PREPROCESSING,
    "RobustScaler": _PREPROCESSING,
    "StandardScaler": _PREPROCESSING,
    "KNNImputer": _IMPUTE,
    "MissingIndicator": _IMPUTE,
    "SimpleImputer": _IMPUTE,
    "GenericUnivariateSelect": _SELECTION,
    "SelectFdr": _SELECTION,
    "SelectFpr": _SELECTION,
    "SelectFwe": _SELECTION,
    "SelectKBest": _SELECTION,
    "SelectPercentile": _SELECTION,
    "VarianceThreshold": _SELECTION,
    "PCA": _DECOMPOSITION,
    "TruncatedSVD": _DECOMPOSITION,
    "ColumnTransformer": "sklearn.compose",
    "FeatureUnion": "sklearn.pipeline",
    "Pipeline": "sklearn.pipeline",
}

#: Functions by name, and the modules that define them: of `FunctionTransformer` and of the selectors of features.
FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("abs", "arcsinh", "cbrt", "exp", "expm1", "log", "log10", "log1p", "log2", "sqrt"), "numpy"),
    **dict.fromkeys(("f_classif", "f_regression", "mutual_info_regression", "r_regression"), _SELECTION),
}

#: Types of values, as settings `dtype` and `dtype_include` have them.
TYPES: dict[str, Any] = {
    kind.__name__: kind for kind in (bool, int, float, object, str, np.number, np.integer, np.floating)
} | {name: np.dtype(name).type for name in ("bool_", "int8", "int16", "int32", "int64", "float32", "float64")}

#: Settings that belong to the machine, not to the model: they are not saved. A cache would be read with pickle.
OF_THE_MACHINE = {"memory": None, "n_jobs": None}

#: Fitted attributes with one entry (or column) per input.
PER_INPUT = frozenset(
    {"mean_", "var_", "scale_", "min_", "data_min_", "data_max_", "data_range_", "center_", "max_abs_", "lambdas_"}
    | {"statistics_", "variances_", "scores_", "pvalues_", "components_", "quantiles_", "n_bins_", "bin_edges_"}
    | {"categories_", "feature_names_in_", "_fit_X", "_valid_mask"}
)


def find_class(name: str) -> Any:
    """Return the class of a transformer by its name."""
    return getattr(importlib.import_module(TRANSFORMERS[name]), name)


def find_function(name: str) -> Any:
    """Return a function by its name."""
    return getattr(importlib.import_module(FUNCTIONS[name]), name)
