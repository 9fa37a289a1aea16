"""Small tidy tables with known values."""

import pandas as pd


def made_up(values, score="nllh", axis="runs"):
    """Return a tidy table; values[model][level] is a list, one value per fold."""
    rows = [
        {axis: level, "model": model, "family": "", "fold": fold, "seed": 0, "score": score, "value": value}
        for model, levels in values.items()
        for level, folds in levels.items()
        for fold, value in enumerate(folds)
    ]
    return pd.DataFrame(rows)
