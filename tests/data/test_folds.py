import pandas as pd

from bayes_distnet.data.folds import make_folds, read_folds, write_folds

NAMES = pd.Index(["a", "b", "c"], name="instance")


def folds():
    rows = [("b", 1, 2), ("a", 1, 1), ("b", 1, 9), ("a", 7, 2), ("b", 7, 1), ("unknown", 7, 1)]
    instance, repetition, fold = (pd.Series(column) for column in zip(*rows, strict=True))
    return make_folds(instance, repetition, fold, NAMES)


def test_there_is_a_row_per_instance_and_a_column_per_repetition():
    table = folds()
    assert table.columns.tolist() == [1, 2]
    assert table.loc[["a", "b"]].to_numpy().tolist() == [[1, 2], [2, 1]]
    assert table.loc["c"].isna().all()


def test_folds_are_the_same_after_saving(tmp_path):
    write_folds(folds(), tmp_path / "folds.parquet")
    pd.testing.assert_frame_equal(read_folds(tmp_path / "folds.parquet", NAMES), folds())
    write_folds(None, tmp_path / "folds.parquet")
    assert read_folds(tmp_path / "folds.parquet", NAMES) is None
