"""Tables written block by block: a file appears under its name when it is complete, and not before."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bayes_distnet.data.tables import check_can_write
from bayes_distnet.files import written_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow.parquet as pq


def write_blocks(blocks: Iterable[pd.DataFrame], path: str | os.PathLike[str]) -> int:
    """Write a table block by block; if anything fails, an existing file stays as it was.

    Parameters
    ----------
    blocks : iterable of DataFrame
        Parts of the table, with the same columns; an index with a name becomes a column.
    path : path-like
        File whose name ends in .parquet, .csv or .csv.gz.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    SettingError
        If the name has another ending, or its folder does not exist.
    """
    path = Path(path)
    check_can_write(path)
    rows = 0
    with written_whole(path) as draft, (_parquet if path.suffix == ".parquet" else _csv)(draft) as write:
        for block in blocks:
            write(block if block.index.name is None else block.reset_index())
            rows += len(block)
    return rows


@contextlib.contextmanager
def _csv(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    import gzip

    with (
        gzip.open(path, "wt", encoding="utf-8", newline="")
        if path.suffix == ".gz"
        else path.open("w", encoding="utf-8", newline="") as file
    ):
        yield lambda block: block.to_csv(file, index=False, header=file.tell() == 0)


@contextlib.contextmanager
def _parquet(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer: pq.ParquetWriter | None = None

    def write(block: pd.DataFrame) -> None:
        nonlocal writer
        table = pa.Table.from_pandas(block, schema=None if writer is None else writer.schema, preserve_index=False)
        if writer is None:
            writer = pq.ParquetWriter(path, table.schema.remove_metadata(), compression="zstd")
        writer.write_table(table.replace_schema_metadata(None))

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
