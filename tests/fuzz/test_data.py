"""Runs of any kind: what is taken is consistent, and what is not is refused with a reason."""

import warnings

import numpy as np
import pandas as pd
from fuzzing import STRANGE, only_own_errors
from hypothesis import given
from hypothesis import strategies as st

from bayes_distnet.data.observations import observe
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.statuses import STATUSES
from bayes_distnet.data.tables import read_runs, write_runs

SECONDS = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([np.nan, np.inf, -1.0, 0.0, 1e-300, 1e300]))


@st.composite
def matrices(draw):
    """Return seconds and flags, instances x runs."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    size = rows * columns
    seconds = np.array(draw(st.lists(SECONDS, min_size=size, max_size=size))).reshape(rows, columns)
    finished = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(rows, columns)
    return seconds, finished


@given(matrices())
def test_observations_keep_every_run_and_its_instance(made):
    seconds, finished = made
    features = np.arange(float(len(seconds)))[:, None]
    with only_own_errors(""):
        _, observed = observe(features, seconds, finished)
        kept = ~np.isnan(seconds)
        assert len(observed.seconds) == kept.sum()
        np.testing.assert_array_equal(observed.finished, finished[kept])
        assert (observed.seconds > 0).all()
        np.testing.assert_array_equal(observed.runs_of_each(), kept.sum(axis=1)[kept.any(axis=1)])


@given(STRANGE, STRANGE)
def test_observations_of_another_kind_are_refused(seconds, finished):
    with only_own_errors(""):
        observe(np.zeros((2, 1)), seconds, finished)


@st.composite
def run_tables(draw):
    rows = draw(st.integers(1, 5))

    def column(values):
        return draw(st.lists(values, min_size=rows, max_size=rows))

    names = st.one_of(st.sampled_from(["a", "b", "NA", "1"]), st.text(max_size=4))
    return pd.DataFrame(
        {
            "instance": column(names),
            "solver": column(st.sampled_from(["x", "y"])),
            "seed": column(st.integers(-(2**53), 2**53)),
            "seconds": column(SECONDS),
            "status": column(st.sampled_from(STATUSES)),
            "cutoff": draw(st.sampled_from([1e7, np.inf, 1.0])),
        }
    )


@given(run_tables())
def test_run_tables_are_refused_or_read_back_as_they_were_written(tmp_path_factory, frame):
    with only_own_errors(""):
        runs = RunTable.from_frame(frame)
        runs.summary(), runs.counts()
        path = tmp_path_factory.mktemp("tables") / "runs.parquet"
        write_runs(runs, path)
        pd.testing.assert_frame_equal(read_runs(path).frame, runs.frame, check_dtype=False)


@given(st.dictionaries(st.sampled_from(["instance", "solver", "seed", "seconds", "status", "cutoff"]), STRANGE))
def test_run_tables_of_strange_values_are_refused(values):
    usual = {"instance": "a", "seconds": 1.0, "status": "solved"}
    frame = pd.DataFrame({name: pd.Series([value, value], dtype=object) for name, value in (usual | values).items()})
    with only_own_errors(""), warnings.catch_warnings():
        runs = RunTable.from_frame(frame)
        runs.summary(), runs.counts()
