"""Forms that the commands share."""

import pandas as pd
import pytest

from bayes_distnet.cli.arguments import print_table

WIDE = pd.DataFrame({f"column_{number}": [number] for number in range(12)})


@pytest.mark.parametrize(("screen", "lines"), [(True, 4), (False, 2)])
def test_tables_fit_into_a_screen_and_stay_whole_in_a_file(monkeypatch, capsys, screen, lines):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: screen)
    print_table(WIDE)
    shown = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert len(shown) == lines
    assert all(len(line) <= 80 for line in shown) == screen
