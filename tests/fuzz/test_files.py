"""Damaged files of every format that is read: only the package's own errors come out, with the file's name."""

import gzip
import json
import shutil

import numpy as np
import pandas as pd
import pytest
from aslib_files import scenario, table_arff
from fake_results import fake_results
from fuzzing import damaged_bytes, damaged_json, damaged_table, damaged_text, only_own_errors, written
from hypothesis import given
from hypothesis import strategies as st

from bayes_distnet import Marginal
from bayes_distnet.collect.further import read_plan
from bayes_distnet.data.batches import TableSource
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.importers.aslib import import_aslib
from bayes_distnet.data.importers.distnet import _RUNS as DISTNET_RUNS
from bayes_distnet.data.importers.distnet import import_distnet
from bayes_distnet.data.open import open_dataset, read_features
from bayes_distnet.data.open_table import open_table
from bayes_distnet.data.run import Run
from bayes_distnet.data.store import Store
from bayes_distnet.data.tables import read_runs
from bayes_distnet.experiments.results import Results
from bayes_distnet.models.library import load_model
from bayes_distnet.report.contents import contents

RUNS = pd.DataFrame(
    {
        "instance": ["a.cnf", "a.cnf", "b.cnf", "b.cnf"],
        "solver": "clasp",
        "seed": [1, 2, 1, 2],
        "seconds": [0.5, 1.25, 30.0, 7.0],
        "status": ["solved", "solved", "timeout", "solved"],
        "cutoff": 30.0,
        "wall_seconds": [0.6, 1.3, 30.1, 7.2],
        "answer": ["SAT", "SAT", None, "UNSAT"],
        "memory": [1000, 2000, 3000, 4000],
    }
)
FEATURES = pd.DataFrame(
    {"size": [10.0, 20.0], "ratio": [0.5, np.nan]}, index=pd.Index(["a.cnf", "b.cnf"], name="instance")
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def read_everything(path):
    runs = read_runs(path)
    if len(runs):
        runs.summary()
        runs.counts()
    return runs


@given(st.data())
def test_run_tables_as_csv(place, data):
    path = place / "runs.csv"
    path.write_bytes(data.draw(damaged_text(RUNS.to_csv(index=False))))
    with only_own_errors(path):
        read_everything(path)


@given(st.data())
def test_run_tables_as_compressed_csv(place, data):
    path = place / "runs.csv.gz"
    if data.draw(st.booleans()):  # a whole archive of a damaged table
        path.write_bytes(gzip.compress(data.draw(damaged_text(RUNS.to_csv(index=False)))))
    else:
        path.write_bytes(data.draw(damaged_bytes(gzip.compress(RUNS.to_csv(index=False).encode(), mtime=0))))
    with only_own_errors(path):
        read_everything(path)
    with only_own_errors(path):
        list(TableSource.named(str(path)).blocks())


@given(st.data())
def test_run_tables_as_parquet(place, data):
    path = place / "runs.parquet"
    RUNS.to_parquet(path)
    path.write_bytes(data.draw(damaged_bytes(path.read_bytes())))
    with only_own_errors(path):
        read_everything(path)


@given(st.data())
def test_run_tables_with_columns_of_another_kind(place, data):
    path, frame = place / "typed.parquet", data.draw(damaged_table(RUNS))
    features = place / "typed-features.csv"
    FEATURES.to_csv(features)
    if written(lambda: frame.to_parquet(path)):
        with only_own_errors(path):
            read_everything(path)
            assert open_dataset(path, features, "clasp").seconds.shape[0] == 2


@given(st.data())
def test_stores_with_damaged_pages(place, data):
    path = place / "runs.sqlite"
    path.unlink(missing_ok=True)
    with Store(path) as store:
        store.begin_session("2026-01-01", {"cores": 2})
        store.register_solver("clasp", ["clasp", "{instance}"], "SAT", "1")
        store.add(Run("clasp", f"{i}.cnf", i, "solved", 0.5, 0.6, cutoff=10.0) for i in range(200))
    path.write_bytes(data.draw(damaged_bytes(path.read_bytes())))
    with only_own_errors(path):
        read_everything(path)
    with only_own_errors(path), Store(path, read_only=True) as store:
        store.sessions(), store.solvers(), store.repeats(), store.done()
    with only_own_errors(path), Store(path) as store:
        store.claim([("clasp", "new.cnf", 1)])
        store.add([Run("clasp", "new.cnf", 1, "solved", 0.5, 0.6, cutoff=10.0)])


@given(st.data())
def test_stores_with_values_of_another_kind(place, data):
    import sqlite3

    path = place / "typed.sqlite"
    path.unlink(missing_ok=True)
    with Store(path) as store:
        store.begin_session("2026-01-01", {"cores": 2})
        store.add([Run("clasp", "a.cnf", 1, "solved", 0.5, 0.6, cutoff=10.0)])
    column = data.draw(
        st.sampled_from(["solver", "instance", "seed", "seconds", "wall_seconds", "cutoff", "answer", "memory"])
    )
    value = data.draw(st.sampled_from([b"\xff\x00", "text", 1e308, -1, 2**62, float("inf"), ""]))
    database = sqlite3.connect(path)
    database.execute("DROP TRIGGER no_update")
    try:
        database.execute(f"UPDATE runs SET {column} = ?", (value,))
        database.execute("UPDATE sessions SET facts = ?", (data.draw(st.sampled_from(["[1]", "{", "", b"\xff", "3"])),))
        database.commit()
    except sqlite3.IntegrityError:
        pass
    database.close()
    with only_own_errors(path):
        read_everything(path)
    with only_own_errors(path), Store(path, read_only=True) as store:
        store.sessions(), store.solvers(), store.repeats(), store.done()


@given(st.data())
def test_feature_tables(place, data):
    path = place / "features.csv"
    path.write_bytes(data.draw(damaged_text(FEATURES.to_csv())))
    with only_own_errors(path):
        read_features(path)
    with only_own_errors(path):
        list(TableSource.named(str(path)).blocks())


@given(st.data())
def test_plans_of_further_runs(place, data):
    path = place / "plan.csv"
    path.write_bytes(
        data.draw(damaged_text("instance,seeds,cutoff,seconds,gain\na.cnf,1,0.5,0.1,0.02\nb.cnf,2,3,1,0.1\n"))
    )
    with only_own_errors(path):
        read_plan(path)


@given(st.data())
def test_one_table_with_features_times_and_outcomes(place, data):
    path = place / "jobs.csv"
    text = RUNS[["instance", "seconds", "status", "memory"]].assign(size=[1, 2, 3, 4], kind="x").to_csv(index=False)
    path.write_bytes(data.draw(damaged_text(text)))
    with only_own_errors(path):
        open_table(path, time="seconds", status="status", group="instance")


@pytest.fixture(scope="module")
def dataset(place):
    folder = scenario(_made(place / "published"), **_tables())
    import_aslib(folder).save(place / "data")
    return place / "data"


def _made(folder):
    folder.mkdir(parents=True)
    return folder


def _tables():
    return {
        "feature_costs": table_arff(["Static", "Probing"], "a.cnf,1,0.5,1", "b.cnf,1,2,3"),
        "feature_runstatus": table_arff(["Static", "Probing"], "a.cnf,1,ok,ok", "b.cnf,1,ok,presolved", kind="STRING"),
        "cv": table_arff(["fold"], "a.cnf,1,1", "b.cnf,1,2", "a.cnf,2,2", "b.cnf,2,1"),
    }


@given(st.data())
def test_folders_of_data_sets(place, dataset, data):
    folder = place / "damaged-data"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(dataset, folder)
    file = folder / data.draw(st.sampled_from(sorted(path.name for path in folder.iterdir())))
    if file.suffix == ".json" and data.draw(st.booleans()):
        file.write_text(json.dumps(data.draw(damaged_json(json.loads(file.read_text())))))
    elif file.suffix == ".parquet" and data.draw(st.booleans()):
        frame = data.draw(damaged_table(pd.read_parquet(file)))
        if not written(lambda: frame.to_parquet(file)):
            return
    else:
        file.write_bytes(data.draw(damaged_bytes(file.read_bytes())))
    with only_own_errors(folder):
        Dataset.load(folder)


@given(st.data())
def test_aslib_scenarios(place, data):
    folder = place / "scenario"
    shutil.rmtree(folder, ignore_errors=True)
    scenario(_made(folder), **_tables())
    file = folder / data.draw(st.sampled_from(sorted(path.name for path in folder.iterdir())))
    file.write_bytes(data.draw(damaged_text(file.read_text())))
    with only_own_errors(folder):
        import_aslib(folder)


@given(st.data())
def test_archives_of_distnet(place, data):
    folder = place / "archive"
    shutil.rmtree(folder, ignore_errors=True)
    header = '"Problem Instance","Seed","Run result line of validation config #1"\n'
    texts = {"features.txt": "instance,size,depth\na.cnf,10,-512\nb.cnf,20,3.5\n"}
    for part, instance in (("train", "a.cnf"), ("test", "b.cnf")):
        runs = f'"{instance}","11","SAT, 1.5, 0, 0, 11"\n"{instance}","12","TIMEOUT, 60.1, 0, 0, 12"\n'
        texts[f"validate-random-{part}/{DISTNET_RUNS}"] = header + runs
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    name = data.draw(st.sampled_from(sorted(texts)))
    (folder / name).write_bytes(data.draw(damaged_text(texts[name])))
    with only_own_errors(folder):
        import_distnet(folder, cutoff=60.0)


@pytest.fixture(scope="module")
def results(place):
    models = {"HybridDistNet": (("",), -0.52, 0.17, 0.25), "Ridge": (("",), -0.40, 0.2, 0.5)}
    fake_results(place / "results", folds=2, seeds=1, models=models, experiments=["low-samples", "uncertainty"])
    fake_results(
        place / "tables", folds=2, seeds=1, models=models, experiments=["low-samples", "uncertainty"], tables=True
    )
    return place / "results", place / "tables"


def read_results(folder):
    found = Results.load(folder)
    contents(folder)
    found.done()
    for experiment in found.about["experiments"]:
        found.planned(experiment), found.of(experiment)


@given(st.data())
def test_folders_of_results_about_and_journal(place, results, data):
    folder = place / "damaged-results"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(results[0], folder)
    about, journal = folder / "about.json", folder / "journal.jsonl"
    lines = journal.read_text().splitlines()[-12:]
    what = data.draw(st.sampled_from(["about", "about", "line", "line", "bytes", "deep"]))
    if what == "about":
        about.write_text(json.dumps(data.draw(damaged_json(json.loads(about.read_text())))))
    elif what == "line":
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = json.dumps(data.draw(damaged_json(json.loads(lines[at]))))
    elif what == "deep":
        about.write_text('{"format": 1, "data": ' + "[" * 100_000 + "]" * 100_000 + "}")
    journal.write_text("\n".join(lines) + "\n")
    if what == "bytes":
        file = data.draw(st.sampled_from([about, journal]))
        file.write_bytes(data.draw(damaged_bytes(file.read_bytes())))
    with only_own_errors(folder):
        read_results(folder)


@given(st.data())
def test_folders_of_results_tables(place, results, data):
    folder = place / "damaged-tables"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(results[1], folder)
    file = data.draw(st.sampled_from(sorted(folder.glob("*.parquet"))))
    if data.draw(st.booleans()):
        frame = data.draw(damaged_table(pd.read_parquet(file)))
        if not written(lambda: frame.to_parquet(file)):
            return
    else:
        file.write_bytes(data.draw(damaged_bytes(file.read_bytes())))
    with only_own_errors(folder):
        read_results(folder)


@pytest.fixture(scope="module")
def model(place):
    X = np.random.default_rng(0).normal(size=(20, 2))
    Marginal().fit(X, np.exp(X[:, 0])).save(place / "model")
    return place / "model"


@given(st.data())
def test_folders_of_models(place, model, data):
    folder = place / "damaged-model"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(model, folder)
    file = folder / data.draw(st.sampled_from(sorted(path.name for path in folder.iterdir())))
    if file.suffix == ".json" and data.draw(st.booleans()):
        file.write_text(json.dumps(data.draw(damaged_json(json.loads(file.read_text())))))
    else:
        file.write_bytes(data.draw(damaged_bytes(file.read_bytes())))
    with only_own_errors(folder):
        load_model(folder).predict(np.zeros((1, 2)))
    with only_own_errors(folder):
        contents(folder)
