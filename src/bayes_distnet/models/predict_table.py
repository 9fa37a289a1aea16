"""Predictions for tables of any length: read, predicted and written block by block, in constant memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayes_distnet.data.batches import ROWS, TableSource
from bayes_distnet.data.columns import Kind
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.outcomes import seconds_in
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.values import as_floats, shown
from bayes_distnet.data.write_batches import write_blocks
from bayes_distnet.errors import FeatureError, SettingError
from bayes_distnet.models.base import RuntimeEstimator
from bayes_distnet.models.bounds.calibrate import calibration_of
from bayes_distnet.models.familiarity import FamiliarityTally
from bayes_distnet.models.prediction_columns import PredictionColumns
from bayes_distnet.models.predictions import aligned, predict_rows
from bayes_distnet.models.table_model import TableModel

INSTANCE = "instance"
TOO_FEW = (
    "too few calibration instances for bounds at this level: all lower bounds are 0 and all upper bounds infinite. "
    "Keep more of them (fit --bounds 0.4), or ask for a lower level"
)


@dataclass
class TablePredictor:
    """Predictions of a model, block by block.

    Parameters
    ----------
    model : RuntimeEstimator
        A fitted model.
    columns : PredictionColumns
        Columns wanted.
    elapsed : float
        Seconds that all runs have been going already.
    elapsed_column : str or None
        Column of the seconds that each run has been going; 0 where it is empty.
    band : float
        Level of the columns low and high.
    seen : RunTable or None
        Runs of these instances that have been made already.
    bounds : float or None
        Level of the columns lower and upper.
    cutoff_column : str or None
        Column of the cutoff of each row, for bounds under cutoffs that are a function of the features.
    """

    model: RuntimeEstimator
    columns: PredictionColumns = field(default_factory=PredictionColumns.usual)
    elapsed: float = 0.0
    elapsed_column: str | None = None
    band: float = 0.9
    seen: RunTable | None = None
    bounds: float | None = None
    cutoff_column: str | None = None
    _tally: FamiliarityTally = field(default_factory=FamiliarityTally, init=False)
    _ignored: list[str] = field(default_factory=list, init=False)

    @property
    def text(self) -> list[str]:
        """Columns of a CSV file that have to stay text as it is written."""
        if not isinstance(self.model, TableModel):
            return [INSTANCE]
        levels = [column.name for column in self.model.encoder_.columns_ if column.kind is Kind.LEVELS]
        layout = self.model.layout
        return [INSTANCE, *levels, *(() if layout is None else layout.identifiers[:1])]

    @property
    def notes(self) -> list[str]:
        """Notes on the rows so far: columns that were ignored, and rows that are not familiar."""
        ignored = [f"ignored: {_listed(self._ignored)}, which the model was not trained on"] if self._ignored else []
        familiar = self._tally.note()
        few = [TOO_FEW] if self.columns.bounds and calibration_of(self.model).too_few_for(self.bounds) else []
        return ignored + few + ([] if familiar is None else [familiar])

    def predict(self, blocks: Iterable[pd.DataFrame], where: str) -> Iterator[pd.DataFrame]:
        """Predict the rows of a table.

        Parameters
        ----------
        blocks : iterable of DataFrame
            Blocks of raw rows; an index named "instance" names them, else a column.
        where : str
            Name of the table in messages.

        Yields
        ------
        DataFrame
            Predictions of a block, indexed by the names of its rows, with six significant digits.

        Raises
        ------
        FeatureError
            Columns that are missing, or values that are no numbers where the model needs them.
        SettingError
            Runs seen, none of which is of these instances.
        """
        matched = self.seen is None
        for number, block in enumerate(blocks):
            if not number:
                self._check_first(block, where)
            known = self._features(block, where)
            waited = self._waited(block, where)
            runs = None if self.seen is None else Dataset(self.seen, known)
            matched = matched or (runs is not None and runs.seconds.size > 0)
            table, familiar = predict_rows(
                self.model,
                known,
                self.columns,
                elapsed=waited,
                band=self.band,
                seen=runs,
                bounds=self.bounds,
                cutoff=self._cutoff(block, where),
            )
            self._tally.add(familiar)
            yield six_digits(table)
        if not matched:
            raise SettingError("seen: none of these runs is of an instance in features. Names have to match.")

    def features(self, block: pd.DataFrame, where: str) -> pd.DataFrame:
        """Return the features of a block, checked and in the order of the model, indexed by the names of its rows.

        Parameters
        ----------
        block : DataFrame
            Raw rows.
        where : str
            Name of the table in messages.

        Returns
        -------
        DataFrame
            One row per row of the block.
        """
        self._check_first(block, where)
        return self._features(block, where)

    def _check_first(self, block: pd.DataFrame, where: str) -> None:
        if not len(block):
            raise FeatureError(f"{where}: no rows; expected one row per instance.")
        for option, column in (("elapsed", self.elapsed_column), ("cutoff", self.cutoff_column)):
            if column is not None and column not in block:
                raise SettingError(
                    f"{where}: no column {column!r} for --{option}-column; found "
                    f"{', '.join(map(str, block.columns[:8]))}{' ...' if block.shape[1] > 8 else ''}."
                )
        self._names(block, where)
        aligned(block, self.model, where)
        known = {
            *getattr(self.model, "feature_names_in_", block.columns),
            self.elapsed_column,
            self.cutoff_column,
            INSTANCE,
        }
        if isinstance(self.model, TableModel):
            layout = self.model.layout
            known |= {*self.model.encoder_.left_out_, *(() if layout is None else layout.outcome + layout.identifiers)}
        self._ignored = [str(name) for name in block.columns if name not in known]

    def _names(self, block: pd.DataFrame, where: str) -> pd.Index[Any]:
        """Return the names of rows: a column `instance`, the column that identifies rows, or their numbers from 1."""
        if block.index.name == INSTANCE:
            return block.index
        if INSTANCE in block:
            return _index(block[INSTANCE], INSTANCE)
        if not isinstance(self.model, TableModel):
            found = ", ".join(map(str, block.columns[:5]))
            raise FeatureError(f"{where}: no column 'instance'; found {found}.")
        layout = self.model.layout
        if layout is not None and layout.identifiers and layout.identifiers[0] in block:
            return _index(block[layout.identifiers[0]], layout.identifiers[0])
        return _index(block.index + 1, "row")

    def _features(self, block: pd.DataFrame, where: str) -> pd.DataFrame:
        known = aligned(block.drop(columns=[INSTANCE, self.elapsed_column], errors="ignore"), self.model, where)
        if not isinstance(self.model, TableModel):
            known = pd.DataFrame({name: _numbers(known[name], where) for name in known}, index=known.index)
        return known.set_axis(self._names(block, where), axis=0)

    def _waited(self, block: pd.DataFrame, where: str) -> Any:
        if self.elapsed_column is None:
            return self.elapsed
        return np.nan_to_num(seconds_in(block[self.elapsed_column], self.elapsed_column, where), nan=0.0)

    def _cutoff(self, block: pd.DataFrame, where: str) -> Any:
        if self.cutoff_column is None:
            return None
        return np.nan_to_num(seconds_in(block[self.cutoff_column], self.cutoff_column, where), nan=np.inf)


def predict_table(
    model: RuntimeEstimator,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    elapsed: float = 0.0,
    elapsed_column: str | None = None,
    band: float = 0.9,
    seen: RunTable | None = None,
    bounds: float | None = None,
    cutoff_column: str | None = None,
    progress: bool = False,
) -> int:
    """Predict the rows of a table file and write the predictions to another, block by block in constant memory.

    Parameters
    ----------
    model : RuntimeEstimator
        A fitted model.
    source, out : path-like
        Files whose names end in .parquet, .csv or .csv.gz. The output appears when it is complete.
    columns : sequence of str, optional
        Columns wanted: see `predictions`.
    elapsed : float, default 0.0
        Seconds that all runs have been going already; all columns are then about the time left.
    elapsed_column : str, optional
        Column of the seconds that each run has been going; 0 where it is empty.
    band : float, default 0.9
        Level of the columns low and high.
    seen : RunTable, optional
        Runs of these instances that have been made already.
    bounds : float, optional
        Level of the columns lower and upper, which it adds: see `predictions`.
    cutoff_column : str, optional
        Column of the cutoff of each row, where cutoffs of the calibration runs were a function of the features.
    progress : bool, default False
        Whether to show a progress bar.

    Returns
    -------
    int
        Number of rows.
    """
    asked = PredictionColumns.usual() if columns is None else PredictionColumns.parse(columns)
    asked = asked if bounds is None else asked.with_bounds()
    predictor = TablePredictor(model, asked, elapsed, elapsed_column, band, seen, bounds, cutoff_column)
    table = TableSource.named(source)
    blocks = with_progress(table.blocks(ROWS, text=predictor.text), table.count(), progress)
    return write_blocks(predictor.predict(blocks, str(table)), out)


def with_progress(blocks: Iterable[pd.DataFrame], total: int | None, shown: bool) -> Iterator[pd.DataFrame]:
    """Show on stderr how many rows have been predicted, if it takes longer than a few seconds.

    Parameters
    ----------
    blocks : iterable of DataFrame
        Blocks of rows, taken one by one.
    total : int or None
        Number of rows, as far as it is known.
    shown : bool
        Whether to show anything.

    Yields
    ------
    DataFrame
        The blocks.
    """
    from tqdm.auto import tqdm

    with tqdm(total=total, unit="row", unit_scale=True, disable=not shown, delay=3.0) as bar:
        for block in blocks:
            yield block
            bar.update(len(block))


def six_digits(table: pd.DataFrame) -> pd.DataFrame:
    """Round the numbers of a table to six significant digits."""
    numbers = table.select_dtypes("number")
    return table.assign(**{str(name): _rounded(numbers[name].to_numpy(float)) for name in numbers})


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        digits = 5 - np.floor(np.log10(np.abs(values)))
        unit = 10.0 ** np.abs(digits)  # exact, so that a rounded value is the float nearest to its decimal form
        rounded = np.where(digits >= 0, np.round(values * unit) / unit, np.round(values / unit) * unit)
    return np.where(np.isfinite(rounded), rounded, values)


def _numbers(column: pd.Series, where: str) -> NDArray[np.float64]:
    numbers, stray = as_floats(column)
    if stray.any():
        row = int(np.argmax(stray))
        place = column.index[row]
        at = f"row {place + 1}" if isinstance(place, int | np.integer) else str(place)
        raise FeatureError(
            f"{where}, {at}: {column.name} is {shown(column.iloc[row])}, expected a number, as in the training data. "
            "Correct the value, or leave it empty if it is unknown."
        )
    return numbers


def _index(values: Any, name: str) -> pd.Index[Any]:
    index: pd.Index[Any] = pd.Index(values)
    return index.rename(name)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"column{'s' if len(names) > 1 else ''} {', '.join(names[:5])}{more}"
