import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Dataset, RunTable, plot_runs
from bayes_distnet.errors import RuntimeDataError

mpl.use("Agg")

FRAME = pd.DataFrame(
    {
        "instance": ["a", "b", "a", "b"],
        "solver": ["<i>one</i>", "<i>one</i>", "two", "two"],
        "seconds": [1.0, 3.0, 2.0, 4.0],
        "status": ["solved", "solved", "solved", "timeout"],
    }
)
RUNS = RunTable.from_frame(FRAME)


def test_runs_are_counted_per_solver_and_names_escaped():
    html = RUNS._repr_html_()
    assert "RunTable: 4 runs" in html
    assert "&lt;i&gt;one&lt;/i&gt;" in html
    assert "<i>" not in html
    assert all(text in html for text in (">100%<", ">50%<", ">2 s<"))
    features = pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"])
    assert "Dataset: 2 instances, 1 features" in Dataset(RUNS, features)._repr_html_()


def test_a_median_beyond_the_cutoffs_is_shown_as_a_bound():
    late = RunTable.from_frame(FRAME.assign(status=["timeout"] * 3 + ["solved"], seconds=[5.0, 5.0, 5.0, 1.0]))
    assert "over 5 s" in late._repr_html_()


def test_no_runs_are_shown_as_such():
    assert "no runs" in RunTable(FRAME.iloc[:0])._repr_html_()


def test_lines_rise_where_runs_finish_and_end_where_nothing_is_known():
    ax = plot_runs(RUNS)
    one, two = (line for line in ax.lines if len(line.get_xdata()) > 1)
    np.testing.assert_allclose(one.get_ydata(), [0.0, 0.5, 1.0])
    np.testing.assert_allclose(two.get_ydata(), [0.0, 0.5, 0.5])
    assert one.get_label() == "<i>one</i>: 100% of 2 runs"
    assert ax.get_legend() is not None
    with pytest.raises(RuntimeDataError, match="no run finished"):
        plot_runs(RunTable.from_frame(FRAME.assign(status="crashed")))
