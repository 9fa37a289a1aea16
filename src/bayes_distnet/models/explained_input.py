"""Rows of a table, or instance files, that are explained: chosen by name, read block by block."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import pandas as pd

from bayes_distnet.data.batches import TableSource
from bayes_distnet.errors import SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.predict_instances import are_instances, files_of, instance_blocks
from bayes_distnet.models.predict_table import TablePredictor

Inputs = Sequence[str | os.PathLike[str]]


def read_features_for(
    model: RuntimeEstimator,
    inputs: Inputs,
    instances: Sequence[str] | None = None,
    *,
    most: int | None = None,
    cores: int = 1,
) -> tuple[pd.DataFrame, bool]:
    """Read features as a model takes them.

    Parameters
    ----------
    model : RuntimeEstimator
        Fitted model.
    inputs : sequence of path-like
        One table, or instance files and folders, whose features are computed.
    instances : sequence of str, optional
        Names of the rows wanted; by default all.
    most : int, optional
        Number of rows after which nothing is read.
    cores : int, default 1
        Instance files at once.

    Returns
    -------
    features : DataFrame
        One row per instance, indexed by name.
    more : bool
        Whether there are further rows.

    Raises
    ------
    SettingError
        A name of no row.
    """
    found: list[pd.DataFrame] = []
    left, count = None if instances is None else {*instances}, 0
    first = ""
    for block in _blocks(model, inputs, cores):
        names = block.index.map(str)
        first = first or str(names[0])
        some = block if left is None else block[names.isin(left)]
        found.append(some)
        count += len(some)
        left = left if left is None else left - {*names}
        if (most is not None and count > most) or (left is not None and not left):
            break
    if left:
        raise SettingError(f"no instance {min(left)!r} in {', '.join(map(str, inputs[:3]))}; the first is {first!r}.")
    table = pd.concat(found)
    return table.iloc[:most], most is not None and count > most


def _blocks(model: RuntimeEstimator, inputs: Inputs, cores: int) -> Iterator[pd.DataFrame]:
    reader = TablePredictor(model)
    if are_instances(inputs):
        names = [str(name) for name in getattr(model, "feature_names_in_", ())]
        for block in instance_blocks(files_of(inputs), names, cores):
            yield reader.features(block, "features of these files")
        return
    source = TableSource.named(inputs[0])
    for block in source.blocks(text=reader.text):
        yield reader.features(block, str(source))
