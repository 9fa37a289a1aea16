"""Common looks of plots. They need Matplotlib: the extra `plots`, which is imported when the first plot is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bayes_distnet.errors import SettingError, not_installed
from bayes_distnet.files import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours of lines, in turns. All can be seen on white and on black: their contrast is 3 or more.
COLORS = ("#2f86c4", "#d1495b", "#2a9d8f", "#c47d14", "#8a6fd1", "#b3679b", "#6f7d96", "#7f7f55")
GREY = "#7b818c"
PICTURES = (".png", ".svg", ".pdf")


def new_axes(ax: Axes | None, size: tuple[float, float] = (6.0, 3.6)) -> Axes:
    """Return the given axes, or those of a new figure, without needless ink.

    Parameters
    ----------
    ax : Axes or None
        Axes to draw on, if there are some.
    size : tuple of float
        Width and height of a new figure in inches.

    Returns
    -------
    Axes
        Axes to draw on.

    Raises
    ------
    SettingError
        If Matplotlib is not installed.
    """
    if ax is None:
        (ax,) = new_figure(1, size)[1]
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(visible=True, color=GREY, alpha=0.2, lw=0.6)
    ax.set_axisbelow(True)
    return ax


def new_figure(panels: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """Return a new figure with panels side by side.

    Parameters
    ----------
    panels : int
        Number of axes.
    size : tuple of float
        Width and height in inches.

    Returns
    -------
    figure : Figure
        The figure.
    axes : list of Axes
        Its axes, from left to right.

    Raises
    ------
    SettingError
        If Matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        raise not_installed("matplotlib", extra="plots") from error
    figure, axes = plt.subplots(1, panels, figsize=size, layout="constrained", squeeze=False)
    return figure, list(axes[0])


def check_picture(path: Path) -> None:
    """Raise a `SettingError` unless a picture can be written there."""
    if path.suffix not in PICTURES:
        raise SettingError(f"{path}: expected a name that ends in {', '.join(PICTURES)}.")
    if not path.absolute().parent.is_dir():
        raise SettingError(f"{path}: no folder {path.parent}.")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a file, whole or not at all, and free its memory.

    Parameters
    ----------
    figure : Figure
        The figure.
    path : Path
        File whose name ends in .png, .svg or .pdf.
    """
    import matplotlib.pyplot as plt

    check_picture(path)
    with written_whole(path) as draft:
        figure.savefig(draft, dpi=150, format=path.suffix[1:])
    plt.close(figure)


def log_seconds(ax: Axes, axis: str, low: float, high: float) -> None:
    """Make an axis of seconds logarithmic, with plain numbers.

    Parameters
    ----------
    ax : Axes
        The axes.
    axis : {"x", "y"}
        Which of the two.
    low, high : float
        Ends of the values that are drawn.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set(**{f"{axis}scale": "log"})
    shown = ax.xaxis if axis == "x" else ax.yaxis
    shown.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,)))
    shown.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    shown.set_minor_formatter(NullFormatter())


def legend_or_label(ax: Axes, lines: int, title: str | None = None) -> None:
    """Add a legend if there is more than one line."""
    if lines > 1:
        ax.legend(frameon=False, fontsize="small", title=title, title_fontsize="small", alignment="left")
