import io
import sys

import numpy as np
import pandas as pd
import pytest

from bayes_distnet.data.batches import TableSource
from bayes_distnet.data.write_batches import write_blocks
from bayes_distnet.errors import RuntimeDataError, SettingError

FRAME = pd.DataFrame(
    {"instance": ["007", "NA", "c", "d", "e"], "size": [1.0, np.nan, 3.0, 4.0, 5.0], "q": list("xyxyx")}
)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_blocks_put_together_are_the_table(tmp_path, name):
    assert write_blocks([FRAME[:2], FRAME[2:4], FRAME[4:]], tmp_path / name) == 5
    source = TableSource.named(tmp_path / name)
    blocks = list(source.blocks(2, text=["instance"]))
    assert [len(block) for block in blocks] == [2, 2, 1]
    pd.testing.assert_frame_equal(pd.concat(blocks), FRAME)
    assert source.count() in (5, None)
    assert list(next(source.blocks(2, columns=["q"]))) == ["q"]


def test_standard_input_is_read_block_by_block(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n2,y\n3,z\n")))
    assert [block["a"].tolist() for block in TableSource.named("-").blocks(2)] == [[1.0, 2.0], [3.0]]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_table_without_rows_has_one_block_without_rows(tmp_path, name):
    (FRAME[:0].to_parquet if name.endswith("parquet") else FRAME[:0].to_csv)(tmp_path / name, index=False)
    (block,) = TableSource.named(tmp_path / name).blocks()
    assert list(block) == list(FRAME)
    assert len(block) == 0


def test_files_that_are_no_tables_are_named(tmp_path):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 no")
    (tmp_path / "t.csv").write_bytes(b"")
    for name in ("t.parquet", "t.csv"):
        with pytest.raises(RuntimeDataError, match=f"{name}: cannot be read as a table"):
            list(TableSource.named(tmp_path / name).blocks())
    with pytest.raises(RuntimeDataError, match="no such file"):
        TableSource.named(tmp_path / "none.csv")
    with pytest.raises(SettingError, match="ends in"):
        TableSource.named(tmp_path / "t.xls")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_an_interrupted_table_does_not_appear(tmp_path, name):
    def blocks():
        yield FRAME
        raise KeyboardInterrupt

    (tmp_path / name).write_text("before")
    with pytest.raises(KeyboardInterrupt):
        write_blocks(blocks(), tmp_path / name)
    assert (tmp_path / name).read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == [name]
