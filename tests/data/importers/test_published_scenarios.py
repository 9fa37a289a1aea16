"""Scenarios as they are published: set ASLIB to a folder of them (github.com/coseal/aslib_data) to run these tests."""

import os
from pathlib import Path

import pytest

from bayes_distnet import Dataset, import_aslib
from bayes_distnet.data.importers.description import read_description
from bayes_distnet.errors import RuntimeDataError

HOME = Path(os.environ.get("ASLIB", "nowhere"))
SCENARIOS = sorted(file.parent for file in HOME.glob("*/description.txt"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SCENARIOS, reason="no folder of scenarios in the environment variable ASLIB"),
    pytest.mark.filterwarnings("ignore::bayes_distnet.data.observations.ZeroRuntimeWarning"),
]


@pytest.mark.parametrize("folder", SCENARIOS, ids=lambda folder: folder.name)
def test_a_published_scenario_is_imported_or_measures_no_runtime(folder, tmp_path):
    if "runtime" not in read_description(folder / "description.txt").types:
        with pytest.raises(RuntimeDataError, match="not a runtime"):
            import_aslib(folder)
        return
    data = import_aslib(folder)
    both, groups = data.matched(), data.feature_groups
    assert len(both) > 0.9 * len(data)
    assert both.folds[1].nunique() == 10
    assert both.folds[1].value_counts().min() >= len(both) // 10 - 1
    assert set(groups.features_of(groups.names)) == set(data.features.columns)
    data.save(tmp_path)
    back = Dataset.load(tmp_path)
    assert back.folds.equals(data.folds)
    assert back.feature_groups.groups == groups.groups
    assert back.feature_groups.cost.equals(groups.cost)
    assert back.feature_groups.presolved().equals(groups.presolved())
