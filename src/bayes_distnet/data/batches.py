"""Tables in blocks of rows, from Parquet, CSV or standard input: a table of any length in constant memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayes_distnet.data.tables import check_table_name
from bayes_distnet.data.values import MISSING
from bayes_distnet.errors import RuntimeDataError

ROWS = 2000  # of a block


@dataclass(frozen=True)
class TableSource:
    """A table that is read block by block.

    Parameters
    ----------
    path : Path or None
        File whose name ends in .parquet, .csv or .csv.gz; None stands for CSV on standard input.
    """

    path: Path | None

    @classmethod
    def named(cls, name: str | os.PathLike[str]) -> TableSource:
        """Return the table of that name; "-" is standard input."""
        if os.fspath(name) == "-":
            return cls(None)
        path = Path(name)
        check_table_name(path)
        if not path.is_file():
            raise RuntimeDataError(f"{path}: no such file.")
        return cls(path)

    def __str__(self) -> str:
        return "standard input" if self.path is None else str(self.path)

    @property
    def _is_parquet(self) -> bool:
        return self.path is not None and self.path.suffix == ".parquet"

    def count(self) -> int | None:
        """Return the number of rows where it is cheap to find: exactly for Parquet, nearly for CSV."""
        if self.path is None or self.path.suffix == ".gz":
            return None
        if self._is_parquet:
            import pyarrow.parquet as pq

            rows: int = self._checked(lambda: pq.read_metadata(self.path).num_rows)
            return rows
        with self.path.open("rb") as file:
            lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 22), b""))
        return max(lines - 1, 1)

    def blocks(
        self, rows: int = ROWS, *, columns: Collection[str] | None = None, text: Collection[str] = ()
    ) -> Iterator[pd.DataFrame]:
        """Read the table block by block.

        Parameters
        ----------
        rows : int
            Largest number of rows of a block.
        columns : collection of str, optional
            Columns to read, of those that exist; by default all.
        text : collection of str
            Columns of CSV that stay text as it is written. In others, a block of numbers is one of floats.

        Yields
        ------
        DataFrame
            The next rows, indexed by their numbers in the table. A table without rows has one block without rows.

        Raises
        ------
        RuntimeDataError
            If the file is no table.
        """
        read = self._parquet(rows, columns) if self._is_parquet else self._csv(rows, columns)
        start = 0
        while (frame := self._checked(lambda: next(read, None))) is not None:
            if not self._is_parquet:
                frame = _with_numbers(frame, text)
            yield frame.set_axis(pd.RangeIndex(start, start + len(frame)), axis=0)
            start += len(frame)

    def whole(self, *, text: Collection[str] = ()) -> pd.DataFrame:
        """Read the whole table at once; `text` as in `blocks`."""
        return pd.concat(list(self.blocks(sys.maxsize, text=text)))

    def _checked(self, read: Any) -> Any:
        """Call a reader; each has its own errors, which are raised as one."""
        try:
            return read()
        except Exception as error:
            reason = " ".join(str(error).split())
            raise RuntimeDataError(f"{self}: cannot be read as a table ({reason}).") from error

    def _parquet(self, rows: int, columns: Collection[str] | None) -> Iterator[pd.DataFrame]:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            names = [name for name in file.schema_arrow.names if columns is None or name in columns]
            size = min(rows, max(file.metadata.num_rows, 1))
            empty = True
            for batch in file.iter_batches(batch_size=size, columns=names):
                empty = False
                yield batch.to_pandas()
            if empty:
                yield file.schema_arrow.empty_table().select(names).to_pandas()

    def _csv(self, rows: int, columns: Collection[str] | None) -> Iterator[pd.DataFrame]:
        source = sys.stdin.buffer if self.path is None else self.path
        with pd.read_csv(
            source,
            dtype=str,
            keep_default_na=False,
            index_col=False,
            usecols=None if columns is None else lambda name: name in columns,
            chunksize=min(rows, 2**31 - 1),
        ) as reader:
            yield from reader


def _with_numbers(frame: pd.DataFrame, text: Collection[str]) -> pd.DataFrame:
    """Make columns of numbers floats; the others stay text, in which missing values are None."""
    return frame.assign(**{name: _numbers_or_text(frame[name]) for name in frame.columns if name not in text})


def _numbers_or_text(column: pd.Series) -> pd.Series:
    known = column.mask(column.isin(MISSING) | column.isna(), None)
    try:
        return known.fillna("nan").astype(np.float64)  # exact, unlike pandas' own conversion of text
    except ValueError:
        return known
