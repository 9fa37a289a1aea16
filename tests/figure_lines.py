"""Lines of a figure, without those that have no label."""


def lines_of(ax):
    """Return the lines of some axes by label."""
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def looks_of(ax):
    """Return colour and marker of every line by label."""
    return {label: (line.get_color(), line.get_marker()) for label, line in lines_of(ax).items()}
