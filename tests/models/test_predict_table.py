import numpy as np
import pandas as pd
import pytest

from bayes_distnet import open_table, predict_table, predictions, train
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.errors import BayesDistNetError, SettingError
from bayes_distnet.models import predict_table as module
from bayes_distnet.models.prediction_columns import PredictionColumns


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"job": [f"j{k}" for k in range(100)], "queue": ["fast", "slow"] * 50})
    frame = frame.assign(size=rng.uniform(0.0, 2.0, 100), age=[0.0, 1.5, None, 3.0] * 25)
    return frame.assign(seconds=np.exp(rng.normal(frame["size"], 0.3)))


@pytest.fixture(scope="module")
def model(table):
    return train(open_table(table, "seconds", drop=["age"]), "ridge")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_blocks_give_the_same_predictions_as_the_whole_table(model, table, tmp_path, name, monkeypatch):
    (table.to_parquet if name.endswith("parquet") else table.to_csv)(tmp_path / name, index=False)
    monkeypatch.setattr(module, "ROWS", 30)
    asked = ["median", "q90", "within:3600", "familiar"]
    assert predict_table(model, tmp_path / name, tmp_path / "out.csv", columns=asked, elapsed_column="age") == 100
    out = pd.read_csv(tmp_path / "out.csv", index_col="job")
    assert list(out) == ["median", "q90", "within_3600", "familiar"]
    assert out.index.tolist() == table["job"].tolist()
    whole = predictions(model, table, columns=asked, elapsed=table["age"].fillna(0.0))
    np.testing.assert_allclose(out["median"], whole["median"], rtol=1e-5)
    np.testing.assert_allclose(out["q90"], whole["q90"], rtol=1e-5)


def test_rows_without_names_are_numbered(model, table, tmp_path):
    table.drop(columns="job").to_csv(tmp_path / "t.csv", index=False)
    predict_table(model, tmp_path / "t.csv", tmp_path / "out.parquet", columns=["mean"])
    assert pd.read_parquet(tmp_path / "out.parquet")["row"].tolist() == list(range(1, 101))


@pytest.mark.parametrize(
    ("change", "asked", "message"),
    [
        (lambda t: t.drop(columns="queue"), {}, r"t.csv: no column queue \(1 of the 2"),
        (lambda t: t, {"elapsed_column": "since"}, "t.csv: no column 'since' for --elapsed-column; found job, queue"),
        (lambda t: t.assign(age="old"), {"elapsed_column": "age"}, "t.csv, row 1: age is 'old', expected seconds"),
        (lambda t: t[:0], {}, "t.csv: no rows"),
        (lambda t: t, {"columns": ["q90", "p50"]}, "columns: no column named 'p50'; expected some of mean, median"),
        (lambda t: t, {"columns": ["within:soon"]}, "columns: 'within:soon': expected a positive number of seconds"),
        (lambda t: t, {"columns": ["q100"]}, "columns: q100=1.0: expected a number between 0 and 1"),
        (lambda t: t, {"columns": []}, "at least one name"),
    ],
)
def test_bad_tables_and_questions_leave_no_file(model, table, tmp_path, change, asked, message):
    change(table).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(BayesDistNetError, match=message):
        predict_table(model, tmp_path / "t.csv", tmp_path / "out.csv", **asked)
    assert not (tmp_path / "out.csv").exists()


def test_further_columns_are_noted(model, table):
    predictor = module.TablePredictor(model)
    list(predictor.predict([table.assign(colour="red", queue="new")], "t.csv"))
    assert predictor.notes[0] == "ignored: column colour, which the model was not trained on"
    assert "queue=(unseen) (100)" in predictor.notes[1]


def test_runs_seen_have_to_match_some_row(model, table):
    seen = RunTable.from_frame(pd.DataFrame({"instance": ["j1"], "seconds": [1.0], "status": ["solved"]}))
    predictor = module.TablePredictor(model, seen=seen)
    with pytest.raises(SettingError, match="this model cannot learn from runs"):
        list(predictor.predict([table], "t.csv"))


def test_numbers_have_six_digits():
    values = np.array([1234567.0, 0.1234567, 12.5, 0.0, np.inf, np.nan, 3.00000049e-9])
    rounded = module.six_digits(pd.DataFrame({"x": values}))["x"].tolist()
    assert rounded[:5] == [1234570.0, 0.123457, 12.5, 0.0, np.inf]
    assert np.isnan(rounded[5])
    assert rounded[6] == pytest.approx(3e-9, rel=1e-12)


def test_the_usual_columns_have_names_of_their_levels():
    names = PredictionColumns.usual([0.5, 0.975], [2.5]).names
    assert names == ("mean", "median", "q50", "q97.5", "within_2.5", "low", "high", "unsure", "familiar")
