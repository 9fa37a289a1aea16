"""Pipelines on disk: a model folder with the transformers, and the folder of the last step inside."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

from bayes_distnet.errors import ModelFileError
from bayes_distnet.files import write_whole
from bayes_distnet.models.header import read_header, read_part
from bayes_distnet.models.library import load_model
from bayes_distnet.models.pipelines.plain import PlainWriter
from bayes_distnet.models.pipelines.restoring import PlainReader
from bayes_distnet.models.pipelines.typical_row import background_to_plain, from_plain, to_plain
from bayes_distnet.models.saving import read_model, write_model

KIND, LAST, STEPS = "RuntimePipeline", "model", "steps.json"
SAME = 1e-6  # relative difference up to which two predictions are the same


class OtherVersionWarning(UserWarning):
    """A pipeline that was saved with another release of scikit-learn could not be tested."""


@dataclass(frozen=True)
class SavedPipeline:
    """The checked contents of a folder.

    Parameters
    ----------
    path : Path
        The folder.
    steps : list of tuples
        Names and fitted steps.
    example : DataFrame, ndarray or None
        A typical row of the training features.
    expected : float
        Median runtime in seconds that was predicted for it; NaN if there is no such row.
    version : str
        Release of scikit-learn that it was saved with.
    background : DataFrame, ndarray or None
        Training rows with which explanations compare.
    """

    path: Path
    steps: list[tuple[str, Any]]
    example: Any
    expected: float
    version: str
    background: Any = None

    def check(self, predict: Any) -> None:
        """Compare the prediction of the typical row with that at the time of saving.

        Parameters
        ----------
        predict : callable
            Returns medians of rows.

        Raises
        ------
        ModelFileError
            Another prediction, or none.
        """
        versions = f"saved with scikit-learn {self.version}, read with {sklearn.__version__}"
        if self.example is None:
            if self.version != sklearn.__version__:
                warnings.warn(
                    f"{self.path}: {versions}; no row to test it with is stored. Fit and save it again if in doubt.",
                    OtherVersionWarning,
                    stacklevel=3,
                )
            return
        try:
            found = float(predict(self.example)[0])
        except Exception as error:  # whatever a changed file or another release leads to
            raise ModelFileError(
                f"{self.path}: the steps do not form a pipeline ({type(error).__name__}: {error}; {versions}). "
                "Fit and save it again."
            ) from error
        if not np.isclose(found, self.expected, rtol=SAME, atol=0.0):
            raise ModelFileError(
                f"{self.path}: predicts {found:g} s for a row for which it predicted {self.expected:g} s when it was "
                f"saved ({versions}). Fit and save it again."
            )


def write_pipeline(
    folder: Path,
    steps: list[tuple[str, Any]],
    *,
    n_features: int,
    feature_names: list[str] | None,
    example: Any,
    expected: float | None,
    background: Any = None,
) -> None:
    """Write a fitted pipeline.

    Parameters
    ----------
    folder : Path
        The folder; created if missing.
    steps : list of tuples
        Names and fitted steps, the last of which is a model.
    n_features : int
        Number of features of the first step.
    feature_names : list of str or None
        Their names.
    example : DataFrame, ndarray or None
        A typical row of the training features.
    expected : float or None
        Median runtime in seconds that is predicted for it.
    background : DataFrame, ndarray or None
        Training rows with which explanations compare; left out if they have values that JSON cannot hold.

    Raises
    ------
    ModelFileError
        A step that cannot be saved; nothing is written then.
    """
    writer = PlainWriter()
    plain = [[name, writer.plain(step, name)] for name, step in steps[:-1]]
    last, model = steps[-1]
    model.save(folder / LAST)
    content = {
        "steps": plain,
        "last": last,
        "last_sha256": read_header(folder / LAST)["sha256"],
        "scikit_learn": sklearn.__version__,
        "example": None if example is None else to_plain(example),
        "expected": expected,
        "background": background_to_plain(background),
    }
    try:
        write_whole(folder / STEPS, json.dumps(content, indent=1) + "\n")
    except OSError as error:
        raise ModelFileError(f"{folder}: cannot write a model there ({error}). Give another folder.") from error
    write_model(
        folder,
        KIND,
        parameters={"steps": [f"{name}: {_kind(step)}" for name, step in steps]},  # for readers
        n_features=n_features,
        feature_names=feature_names,
        arrays=writer.arrays,
    )


def read_pipeline(folder: Path) -> SavedPipeline:
    """Read a folder that `write_pipeline` wrote. Nothing in it is executed.

    Parameters
    ----------
    folder : Path
        The folder.

    Returns
    -------
    SavedPipeline
        Its contents.

    Raises
    ------
    ModelFileError
        A folder that is missing or damaged.
    """
    saved = read_model(folder, KIND)
    text, model = read_part(folder, STEPS), load_model(folder / LAST)
    reader = PlainReader(saved.arrays)
    try:
        found = json.loads(text)
        if found["last_sha256"] != read_header(folder / LAST)["sha256"]:
            raise ValueError(f"the folder {LAST} belongs to another pipeline")
        steps = [(_name(name), reader.value(plain)) for name, plain in found["steps"]]
        example = None if found["example"] is None else from_plain(found["example"], saved.feature_names)
        expected = np.nan if example is None else float(found["expected"])
        rows = found.get("background")  # an earlier release wrote none
        background = None if rows is None else from_plain(rows, saved.feature_names)
        return SavedPipeline(
            folder, [*steps, (_name(found["last"]), model)], example, expected, str(found["scikit_learn"]), background
        )
    except Exception as error:  # damage takes any form; none of it may pass
        raise ModelFileError(
            f"{folder / STEPS}: the steps do not form a pipeline ({type(error).__name__}: {error}). Save it again."
        ) from error


def _kind(step: Any) -> str:
    return str(step) if step is None or isinstance(step, str) else type(step).__name__


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise ValueError(f"a step with the name {name!r:.40}")
    return name
