"""Numbers and lists as words, for sentences and tables of a report."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bayes_distnet.experiments.statistics import CUTOFFS, level_name


def joined(texts: Iterable[str], comma: str = ", ") -> str:
    """Join words as a sentence does.

    Parameters
    ----------
    texts : iterable of str
        Words.
    comma : str, default ", "
        Text between two words, except the last two.

    Returns
    -------
    str
        The list in words.

    Examples
    --------
    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    words = list(texts)
    return words[0] if len(words) == 1 else f"{comma.join(words[:-1])} and {words[-1]}" if words else ""


def count(number: int, thing: str) -> str:
    """Count things in words.

    Parameters
    ----------
    number : int
        Number of things.
    thing : str
        Name of one of them.

    Returns
    -------
    str
        Number and name.

    Examples
    --------
    >>> count(1, "job"), count(2, "job")
    ('1 job', '2 jobs')
    """
    return f"{number} {thing}{'s' if number != 1 else ''}"


def splits_name(number: int) -> str:
    """Name the folds and seeds of a comparison.

    Parameters
    ----------
    number : int
        Number of pairs of a fold and a seed.

    Returns
    -------
    str
        A phrase for captions.

    Examples
    --------
    >>> splits_name(1), splits_name(10)
    ('the one fold and seed', 'the 10 folds and seeds')
    """
    return "the one fold and seed" if number == 1 else f"the {number} folds and seeds"


def condition_name(runs: int, cutoffs: str, censored: float) -> str:
    """Describe the runs that models have learnt from.

    Parameters
    ----------
    runs : int
        Runs per instance.
    cutoffs : str
        Kind of cutoffs, as in the tidy table.
    censored : float
        Fraction of the runs that were cut off.

    Returns
    -------
    str
        A phrase for titles and captions.

    Examples
    --------
    >>> condition_name(8, "none", 0.0)
    '8 runs per instance to learn from'
    """
    cut = f", {level_name('censored', censored)} of them cut off, {CUTOFFS.get(cutoffs, cutoffs)}" if censored else ""
    return f"{count(runs, 'run')} per instance to learn from{cut}"


def without(models: Iterable[str]) -> str:
    """Return a sentence on models that are left out since they have fewer folds; empty if there are none."""
    names = joined(models)
    return f" Without {names}: fewer folds." if names else ""


def signed(value: float, digits: int = 3) -> str:
    """Return a difference as text, with its sign; a missing one as a dash."""
    return "–" if np.isnan(value) else f"{value:+.{digits}f}".replace("-", "−")


def plain(value: float, digits: int = 3) -> str:
    """Return a score or a standard error as text; a missing one as a dash."""
    return "–" if np.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def short_seconds(value: float) -> str:
    """Return seconds as text with three significant digits; a missing value as a dash."""
    return "–" if np.isnan(value) else f"{value:.3f}" if value < 1 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours.

    Parameters
    ----------
    seconds : float
        Duration.

    Returns
    -------
    str
        Number and unit.

    Examples
    --------
    >>> duration(90), duration(600), duration(9000)
    ('90 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
