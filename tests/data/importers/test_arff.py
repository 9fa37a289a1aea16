import time

import numpy as np
import pytest

from bayes_distnet.data.importers.arff import read_arff, split_row
from bayes_distnet.errors import RuntimeDataError

HEAD = "@relation r\n@attribute instance_id string\n@attribute size numeric\n"


def read(tmp_path, text):
    (tmp_path / "t.arff").write_bytes(text.encode())
    return read_arff(tmp_path / "t.arff", RuntimeDataError)


def test_rows_split_at_commas_outside_quotes():
    assert split_row("a,b") == ["a", "b"]
    assert split_row("'a,b',\"c,d\" , e,") == ["a,b", "c,d", "e", ""]


def test_a_hundred_thousand_rows_take_seconds(tmp_path):
    header = "@attribute instance_id string\n@attribute repetition numeric\n@attribute runtime numeric\n@data\n"
    rows = "\n".join(f"i{i // 100}.cnf,{i % 100},1.5" for i in range(100_000))
    (tmp_path / "runs.arff").write_text(header + rows)
    begin = time.process_time()
    assert len(read_arff(tmp_path / "runs.arff", RuntimeDataError).frame) == 100_000
    assert time.process_time() - begin < 15  # about 1 s on a busy core; anything quadratic takes minutes


@pytest.mark.parametrize(
    "line", ["@DATA", "@data,", "@Data ;", "@DATA:", "  @DATA\t", "@data % rows", "@DATA,,,", "@data.", "@DATA \t, "]
)
def test_the_line_before_the_data_may_end_in_anything_but_words(tmp_path, line):
    assert read(tmp_path, f"{HEAD}{line}\na.cnf,3\n").frame["size"].tolist() == [3.0]


def test_a_file_without_that_line_is_no_arff_file(tmp_path):
    with pytest.raises(RuntimeDataError, match="no ARFF file"):
        read(tmp_path, HEAD + "@database\na.cnf,3\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_comments_and_any_line_ends_are_accepted(tmp_path, end):
    text = "\ufeff% made by hand\n\n" + HEAD + "\n% rows\n@data\n\n% first\na.cnf,3\n   \n\t% second\nb.cnf , 4 \n\n%\n"
    frame = read(tmp_path, text.replace("\n", end)).frame
    assert frame["instance_id"].tolist() == ["a.cnf", "b.cnf"]
    assert frame["size"].tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("size numeric", "size"),
        ("size\t \tREAL", "size"),
        ("size Integer % bytes", "size"),
        ("size NUMERIC,", "size"),
        ("size numeric [0, 1]", "size"),
        ("size float", "size"),
        ("'size of file' numeric", "size of file"),
        ('"size, of file"numeric', "size, of file"),
        ("size of file numeric", "size of file"),
        ("real size numeric", "real size"),
        ("size{1} numeric", "size{1}"),
        ("numeric real", "numeric"),
        (r"'it\'s' numeric", "it's"),
        ("%size numeric", "%size"),
    ],
)
def test_a_numeric_attribute_may_be_written_in_any_of_these_ways(tmp_path, attribute, name):
    frame = read(tmp_path, f"@attribute instance_id string\n@attribute {attribute}\n@data\na.cnf,3\n").frame
    assert frame.columns.tolist() == ["instance_id", name]
    assert frame[name].tolist() == [3.0]


@pytest.mark.parametrize(
    "kind", ["{ok, 'time out'}", '{ ok ,"time out" }', "{ok,'time out'},", "{ok,'time out'} % ends"]
)
@pytest.mark.parametrize("space", [" ", "", "\t"])
def test_a_nominal_attribute_has_its_values(tmp_path, kind, space):
    table = read(tmp_path, f"@attribute instance_id string\n@attribute status{space}{kind}\n@data\na,'time out'\n")
    assert table.nominal == {"status": ("ok", "time out")}
    assert table.frame["status"].tolist() == ["time out"]


@pytest.mark.parametrize("unknown", ["?", "", " ? ", "NA", "nan", "NaN", "'?'"])
def test_an_unknown_number_is_nan(tmp_path, unknown):
    frame = read(tmp_path, f"{HEAD}@data\na.cnf,{unknown}\nb.cnf,1e-3\n").frame
    np.testing.assert_equal(frame["size"].to_numpy(), [np.nan, 0.001])


def test_a_comma_at_the_end_of_a_row_is_no_value(tmp_path):
    assert read(tmp_path, f"{HEAD}@data\na.cnf,3,\n").frame["size"].tolist() == [3.0]
    with pytest.raises(RuntimeDataError, match="line 5: 4 values, but the header has 2 attributes"):
        read(tmp_path, f"{HEAD}@data\na.cnf,3,,\n")


@pytest.mark.parametrize("line", ["@attribute", "@attribute size", "@attribute 'size'"])
def test_an_attribute_without_a_type_is_an_error_that_names_the_line(tmp_path, line):
    with pytest.raises(RuntimeDataError, match=r"line 1: expected '@attribute name type'"):
        read(tmp_path, f"{line}\n@data\n3\n")
