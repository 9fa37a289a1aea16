import numpy as np
import pytest

from bayes_distnet import Marginal
from bayes_distnet.data.importers.distnet import import_distnet
from bayes_distnet.errors import FeatureError, RuntimeDataError

TRAIN, TEST = (
    f"validate-random-{part}/validationRunResultLineMatrix-cli-1-walltimeworker.csv" for part in ("train", "test")
)
HEADER = '"Problem Instance","Seed","Run result line of validation config #1"\n'


def archive(folder, train=(), test=(), features="instance,size,depth\na.cnf,10,-512\nb.cnf,20,3.5\n"):
    """Write a scenario of the archive; a run is instance, seed and result line."""
    folder.mkdir(exist_ok=True)
    for name, runs in ((TRAIN, train), (TEST, test)):
        if runs:
            (folder / name).parent.mkdir()
            (folder / name).write_text(HEADER + "".join('"{}","{}","{}"\n'.format(*run) for run in runs))
    if features is not None:
        (folder / "features.txt").write_text(features)
    return folder


A1, A2 = ("a.cnf", 11, "SAT, 1.5, 0, 0, 11"), ("a.cnf", 12, "SAT, 2.5, 0, 0, 12")
B1, B2 = ("b.cnf", 11, "UNSAT, 3.5, 0, 0, 11"), ("b.cnf", 12, "SUCCESS, 4, 0, 0, 12, remark")


def test_both_parts_of_the_archive_are_read_and_kept_apart(tmp_path):
    table = import_distnet(archive(tmp_path, train=[A1, A2], test=[B1, B2]), cutoff=60, solver="saps")
    assert table.runs.frame[
        ["instance", "solver", "seed", "seconds", "status", "answer", "cutoff"]
    ].to_numpy().tolist() == [
        ["a.cnf", "saps", 11, 1.5, "solved", "SAT", 60.0],
        ["a.cnf", "saps", 12, 2.5, "solved", "SAT", 60.0],
        ["b.cnf", "saps", 11, 3.5, "solved", "UNSAT", 60.0],
        ["b.cnf", "saps", 12, 4.0, "solved", "SUCCESS", 60.0],
    ]
    assert table.parts.to_dict() == {"a.cnf": "train", "b.cnf": "test"}
    assert table.feature_cost is None


def test_minus_512_is_a_missing_feature(tmp_path):
    table = import_distnet(archive(tmp_path, train=[A1], test=[B1]), cutoff=60)
    np.testing.assert_equal(table.features.to_numpy(), [[10, np.nan], [20, 3.5]])
    assert table.features.columns.tolist() == ["size", "depth"]
    assert table.notes == ("1 feature values are -512.0; they count as missing.",)


def test_runs_at_or_past_the_cutoff_are_timeouts_whatever_their_status(tmp_path):
    train = [
        ("a.cnf", i, f"{result}, 0, 0, 1")
        for i, result in enumerate(["SAT, 60", "SAT, 61", "TIMEOUT, 60.3", "SAT, 59"])
    ]
    table = import_distnet(archive(tmp_path, train=train), cutoff=60)
    assert table.runs.frame["status"].tolist() == ["timeout", "timeout", "timeout", "solved"]
    assert table.runs.seconds.tolist() == [60.0, 60.0, 60.0, 59.0]
    assert "2 runs are marked as solved at or after the cutoff of 60 s; they are timeouts now." in table.notes


def test_runs_that_did_not_end_by_themselves_keep_their_kind(tmp_path):
    train = [
        ("a.cnf", i, f"{result}, 5, 0, 0, 1")
        for i, result in enumerate(["CRASHED", "ABORT", "KILLED", "MEMOUT", "Sat"])
    ]
    table = import_distnet(archive(tmp_path, train=train), cutoff=60)
    assert table.runs.frame["status"].tolist() == ["crashed", "crashed", "interrupted", "memout", "solved"]


@pytest.mark.parametrize(
    ("name", "solver", "cutoff"), [("CP06_CV-VAR", "saps", 60.0), ("lpg-zenotravel", "lpg", 300.0)]
)
def test_published_scenarios_are_recognised_by_their_folder(tmp_path, name, solver, cutoff):
    frame = import_distnet(archive(tmp_path / name, train=[A1])).runs.frame
    assert frame[["solver", "cutoff"]].to_numpy().tolist() == [[solver, cutoff]]


def test_a_scenario_of_another_name_has_no_cutoff_and_a_note(tmp_path):
    table = import_distnet(archive(tmp_path / "mine", train=[A1]))
    assert table.runs.frame[["solver", "cutoff"]].to_numpy().tolist() == [["mine", np.inf]]
    assert table.notes[0].startswith("The archive names no cutoff")


def test_missing_parts_runs_and_instances_are_noted(tmp_path):
    table = import_distnet(archive(tmp_path, train=[A1, A2, ("c.cnf", 11, "SAT, 1, 0, 0, 11")]), cutoff=60)
    assert table.notes[0].startswith("There is no test part")
    assert table.notes[1].startswith("1 runs are missing: 1 of 2 pairs")
    assert table.notes[-2:] == (
        "1 instances have runs but no features; matched() leaves them out.",
        "1 instances have features but no runs; matched() leaves them out.",
    )
    assert table.matched().runs.instance.tolist() == ["a.cnf", "a.cnf"]


def test_result_lines_without_quotes_and_without_a_header_are_read_too(tmp_path):
    folder = archive(tmp_path, train=[A1])
    (folder / TRAIN).write_text("a.cnf,11,SAT,1.5,0,0,11\na.cnf,12,SAT, 2.5,0,0,12\n")
    assert import_distnet(folder, cutoff=60).runs.seconds.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("instance,f,g", ["f", "g"]),
        ("f,g", ["f", "g"]),
        ("x,f,f", ["f", "f.1"]),
        ("features", ["feature_1", "feature_2"]),
    ],
)
def test_the_header_of_the_features_may_leave_out_the_instance(tmp_path, header, names):
    folder = archive(tmp_path, train=[A1], features=f"{header}\na.cnf,1,2\n")
    assert import_distnet(folder, cutoff=60).features.columns.tolist() == names


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("a,12,SAT,fast,0,0,1", "worker.csv, line 3: the runtime is 'fast'; expected seconds"),
        ("a,12,SAT", "line 3: the runtime is missing"),
        ("a,x,SAT,1", "line 3: instance 'a', seed 'x'; expected a name and a whole number"),
        ("a,12,FINE,1,0,0,1", "line 3: the run ended in 'FINE'; expected one of SAT"),
        ("a,12,SAT,-1,0,0,1", "line 3: a runtime of -1 s"),
        ("a,12", "line 3: 2 fields; expected instance, seed and the result line"),
        ('a,12,"SAT, 1","SAT, 2"', "line 3: 4 fields; expected .* one configuration"),
    ],
)
def test_a_run_of_the_archive_that_cannot_be_read_is_reported(tmp_path, run, message):
    folder = archive(tmp_path, train=[A1])
    (folder / TRAIN).write_text((folder / TRAIN).read_text() + run)
    with pytest.raises(RuntimeDataError, match=message):
        import_distnet(folder, cutoff=60)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (None, "features.txt: cannot be read"),
        ("i,f\na.cnf,1\nb.cnf,x", "features.txt, line 3: a feature is 'x'"),
        ("i,f\na.cnf,1\nb.cnf,1,2", "line 3: 2 features, but the rows before have 1"),
        ("i,f\n", "no features"),
    ],
)
def test_features_of_the_archive_that_cannot_be_read_are_reported(tmp_path, features, message):
    with pytest.raises(FeatureError, match=message):
        import_distnet(archive(tmp_path, train=[A1], features=features), cutoff=60)


def test_a_folder_without_runs_is_an_error_that_names_the_files(tmp_path):
    with pytest.raises(RuntimeDataError, match=r"no runs: neither .*validate-random-train.* exists"):
        import_distnet(archive(tmp_path), cutoff=60)


def test_runs_in_a_file_of_older_encoding_are_read(tmp_path):
    folder = archive(tmp_path, train=[A1])
    (folder / TRAIN).write_bytes((HEADER + '"grün.cnf","1","SAT, 1, 0, 0, 1"').encode("latin-1"))
    assert import_distnet(folder, cutoff=60).runs.instance.tolist() == ["grün.cnf"]


def test_imported_data_train_a_model(tmp_path):
    both = import_distnet(archive(tmp_path, train=[A1, A2], test=[B1, B2]), cutoff=60).matched()
    x = both.features.loc[both.runs.instance].fillna(0)
    model = Marginal().fit(x, both.runs.seconds, finished=both.runs.finished, groups=both.runs.instance)
    assert 1.5 < float(np.ravel(model.predict_distribution(x[:1]).quantile(0.5))[0]) < 4
