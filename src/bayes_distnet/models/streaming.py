"""Answers about many instances in constant memory: rows are predicted block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.validation import check_at_least

ROWS = 2000  # per block; larger blocks are no faster

Answer = TypeVar("Answer")


def in_blocks(
    model: RuntimeEstimator,
    X: Any,
    answer: Callable[[PredictedRuntimes], Answer],
    *,
    rows: int = ROWS,
    n_jobs: int | None = None,
) -> Iterator[Answer]:
    """Predict rows block by block, and yield the answer about every block.

    A prediction holds a hundred components per row; an answer, such as two quantiles, is two numbers. Memory is that of
    a few blocks, however many rows there are.

    Parameters
    ----------
    model : RuntimeEstimator
        A fitted model.
    X : array-like or DataFrame
        Features, one row per instance, with the columns of the training data.
    answer : callable
        Takes the prediction of a block.
    rows : int, default 2000
        Rows per block.
    n_jobs : int or None, default None
        Threads, one block each, as in scikit-learn.

    Returns
    -------
    iterator
        The answers, in the order of the rows.

    Examples
    --------
    >>> from bayes_distnet import Ridge, make_runs
    >>> data = make_runs(n_instances=50, n_runs=2, random_state=0)
    >>> model = Ridge().fit(data.features, data.seconds)
    >>> parts = in_blocks(model, data.features, lambda rtd: rtd.quantile([0.5, 0.9]), rows=20)
    >>> np.concatenate(list(parts)).shape
    (50, 2)
    """
    check_at_least("rows", rows, 1)
    table = X if isinstance(X, pd.DataFrame) else np.asarray(X)

    def one(start: int) -> Answer:
        part = table.iloc[start : start + rows] if isinstance(table, pd.DataFrame) else table[start : start + rows]
        return answer(model.predict_distribution(part))

    jobs = (delayed(one)(start) for start in range(0, len(table), rows))
    answers: Iterator[Answer] = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(jobs)
    return answers
