import pandas as pd
import pytest

from bayes_distnet import make_runs, write_runs
from bayes_distnet.data.open import open_dataset, read_features
from bayes_distnet.data.tables import write_frame
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError


@pytest.fixture
def files(tmp_path):
    """A file of runs of two solvers on a, b, c, and a table of features of b, c, d, e."""
    frame = pd.DataFrame({"instance": list("abc") * 2, "solver": ["s"] * 3 + ["t"] * 3, "seconds": 1.5})
    frame.assign(status="solved").to_csv(tmp_path / "runs.csv", index=False)
    write_frame(
        pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0]}, index=pd.Index(list("bcde"), name="instance")), tmp_path / "f.csv"
    )
    return tmp_path / "runs.csv", tmp_path / "f.csv"


def test_a_file_of_runs_is_opened_with_its_features(files):
    data = open_dataset(*files, solver="t")
    assert data.features.index.tolist() == ["b", "c"]
    assert data.solvers == ["t"]
    assert data.notes == ("left out: 1 instances without features, 2 without runs",)


def test_a_store_and_a_folder_are_opened(tmp_path):
    made = make_runs(n_instances=4, n_runs=2, n_features=2, random_state=0)
    write_runs(made.runs, tmp_path / "runs.sqlite")
    write_frame(made.features, tmp_path / "features.parquet")
    made.save(tmp_path / "folder")
    for data in (
        open_dataset(tmp_path / "runs.sqlite", tmp_path / "features.parquet"),
        open_dataset(tmp_path / "folder"),
    ):
        assert (data.seconds == made.seconds).all()
        assert data.notes == ()


def test_a_data_set_of_the_package_comes_before_a_folder_of_its_name(tmp_path, monkeypatch):
    (tmp_path / "lpg-zenotravel").mkdir()
    monkeypatch.chdir(tmp_path)
    assert open_dataset("lpg-zenotravel").solvers == ["lpg"]


def test_several_solvers_need_a_choice(files):
    with pytest.raises(SettingError, match="runs of s, t; choose one"):
        open_dataset(*files)
    with pytest.raises(RuntimeDataError, match="no run of solver 'u'"):
        open_dataset(*files, solver="u")


def test_wrong_sources_are_reported(files, tmp_path):
    runs, features = files
    with pytest.raises(SettingError, match=r"runs\.csv: these are runs only; give the features of the instances"):
        open_dataset(runs)
    with pytest.raises(SettingError, match="lpg-zenotravel is no file of runs"):
        open_dataset("lpg-zenotravel", features)
    with pytest.raises(SettingError, match="no such file, folder or data set; data sets are clasp-factoring, lpg-"):
        open_dataset(tmp_path / "nothing")
    with pytest.raises(RuntimeDataError, match="no data set here"):
        open_dataset(tmp_path)
    (tmp_path / "other.csv").write_text("instance,size\nz,1\n")
    with pytest.raises(FeatureError, match="No instance has both runs and features"):
        open_dataset(runs, tmp_path / "other.csv", solver="s")


def test_features_are_indexed_by_instance(tmp_path):
    file = tmp_path / "features.csv"
    file.write_text("instance,size\n007,1.5\nNA,\n")
    table = read_features(file)
    assert table.index.tolist() == ["007", "NA"]
    assert table["size"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,size\na,1\n", "no column 'instance'; found name, size"),
        ("instance,size\n", "expected one row per instance"),
    ],
)
def test_features_without_instances_are_refused(tmp_path, text, message):
    (tmp_path / "features.csv").write_text(text)
    with pytest.raises(FeatureError, match=message):
        read_features(tmp_path / "features.csv")
