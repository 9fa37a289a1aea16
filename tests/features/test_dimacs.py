import gzip

import pytest

from bayes_distnet.errors import FeatureError
from bayes_distnet.features.dimacs import clean_dimacs

TINY = "p cnf 3 4\n1 2 0\n-1 3 0\n-2 -3 0\n1 -2 3 0\n"


def test_comments_and_the_end_mark_of_satlib_are_left_out(write):
    text = "c one\n" + TINY.replace("-1 3", "c 9 9 0\n-1 3") + "%\n0\n"
    assert clean_dimacs(write(text), lambda: None).text.split() == TINY.encode().split()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no line 'p cnf VARIABLES CLAUSES'"),
        ("hello\n", "line 1: found 'hello' before the header"),
        (b"\x00\xff\x13", r"line 1: found '\\x00\\xff\\x13' before the header"),
        ("p cnf x 1\n1 0\n", "line 1: found 'p cnf x 1'"),
        ("p cnf 999999999999 1\n1 0\n", "less than 2\\^28 variables"),
        ("c\np cnf 2 1\n1 a 0\n", "line 3: found '1 a 0'; expected literals"),
        ("p cnf 2 1\n1 0\np cnf 2 1\n", "line 3: found 'p cnf 2 1'; expected literals"),
        ("p cnf 20 1\n1_0 0\n", "line 2: found '1_0 0'; expected literals"),
        ("p cnf 2 1\n99999999999999999999 0\n", "line 2: found '9999"),
        ("p cnf 2 2\n1 2 0\nc\n1 5 0\n", "line 4: literal 5; expected variables 1 to 2"),
        ("p cnf 2 2\n1 2 0\n1 -2\n", "line 3: the last clause does not end"),
        ("p cnf 2 3\n1 2 0\n", "the header has 3 clauses, and the file 1"),
        ("p cnf 2 2\n1 0\n0\n", "line 3: an empty clause"),
        ("p cnf 0 0\n", "no clauses"),
    ],
)
def test_a_malformed_cnf_is_reported_with_its_line(write, text, message):
    file = write(text)
    with pytest.raises(FeatureError, match=message) as raised:
        clean_dimacs(file, lambda: None)
    assert str(raised.value).startswith(str(file))


def test_lines_are_counted_across_blocks(write):
    lines = ["c comment", "p cnf 9 100000", *["1 -2 3 0"] * 70_000, "c comment", "", *["4 5 0"] * 30_000]
    assert clean_dimacs(write("\n".join(lines)), lambda: None).clauses == 100_000
    lines[90_000] = "4 10 0"
    with pytest.raises(FeatureError, match="line 90001: literal 10"):
        clean_dimacs(write("\n".join(lines)), lambda: None)


def test_clauses_may_span_lines_and_share_them(write):
    cnf = clean_dimacs(write("p cnf 256 3\n1\n2 0 256 -1 0\n-256 0\n"), lambda: None)
    assert (cnf.variables, cnf.clauses, list(cnf.literals)) == (256, 3, [1, 2, 0, 256, -1, 0, -256, 0])


def test_a_compressed_file_cut_short_is_an_error(write):
    with pytest.raises(FeatureError, match="cannot be read"):
        clean_dimacs(write(gzip.compress(TINY.encode())[:-9], "one.cnf.gz"), lambda: None)
