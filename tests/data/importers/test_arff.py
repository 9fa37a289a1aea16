import time

from bayes_distnet.data.importers.arff import read_arff, split_row
from bayes_distnet.errors import RuntimeDataError


def test_rows_split_at_commas_outside_quotes():
    assert split_row("a,b") == ["a", "b"]
    assert split_row("'a,b',\"c,d\" , e,") == ["a,b", "c,d", "e", ""]


def test_a_hundred_thousand_rows_take_seconds(tmp_path):
    header = "@attribute instance_id string\n@attribute repetition numeric\n@attribute runtime numeric\n@data\n"
    rows = "\n".join(f"i{i // 100}.cnf,{i % 100},1.5" for i in range(100_000))
    (tmp_path / "runs.arff").write_text(header + rows)
    begin = time.perf_counter()
    assert len(read_arff(tmp_path / "runs.arff", RuntimeDataError).frame) == 100_000
    assert time.perf_counter() - begin < 15  # about 1 s on a busy core; anything quadratic takes minutes
