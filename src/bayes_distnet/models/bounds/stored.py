"""Calibrations in the folder of their model: `bounds.json` and `bounds.safetensors`."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import safetensors.numpy
from safetensors import SafetensorError

from bayes_distnet.errors import ModelFileError, SettingError
from bayes_distnet.files import write_whole
from bayes_distnet.models.bounds.calibration import Calibration
from bayes_distnet.models.header import read_header, read_part

ABOUT, SCORES = "bounds.json", "bounds.safetensors"


def write_bounds(folder: Path, calibration: Calibration) -> None:
    """Write a calibration into the folder of its model, which has been written before.

    Parameters
    ----------
    folder : Path
        The folder.
    calibration : Calibration
        The calibration.
    """
    payload = safetensors.numpy.save(calibration.to_arrays())
    cutoff = calibration.cutoff
    about = {
        "model": read_header(folder)["sha256"],
        "sha256": hashlib.sha256(payload).hexdigest(),
        "cutoff": "none" if cutoff == math.inf else "by features" if cutoff is None else cutoff,
        "level": calibration.level,
        "instances": calibration.n_instances,
        "runs": len(calibration.hazards),
    }
    write_whole(folder / SCORES, payload)
    write_whole(folder / ABOUT, json.dumps(about, indent=1) + "\n")


def read_bounds(folder: Path) -> Calibration | None:
    """Read the calibration of a model.

    Parameters
    ----------
    folder : Path
        Folder of the model.

    Returns
    -------
    Calibration or None
        None where there is none, or that of another model which was in this folder before.

    Raises
    ------
    ModelFileError
        Files that are damaged.
    """
    if not (folder / ABOUT).is_file():
        return None
    try:
        about = json.loads(read_part(folder, ABOUT))
        if about["model"] != read_header(folder).get("sha256"):
            return None
        payload = read_part(folder, SCORES)
        if hashlib.sha256(payload).hexdigest() != about["sha256"]:
            raise ValueError("the checksum differs")
        cutoff = {"none": math.inf, "by features": None}.get(about["cutoff"], about["cutoff"])
        return Calibration.from_arrays(
            safetensors.numpy.load(payload), None if cutoff is None else float(cutoff), about["level"]
        )
    except (SafetensorError, SettingError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFileError(f"{folder / ABOUT}: not the bounds of this model ({error}). Fit it again.") from error
