from pathlib import Path

import numpy as np
import pytest

from bayes_distnet.collect.instances.registry import KINDS, Kind, generate_instances
from bayes_distnet.errors import SettingError

CNF_KINDS = [key for key, kind in KINDS.items() if kind.suffix == ".cnf"]


def without_first_line(file):
    return file.read_text().split("\n", 1)[1]


def draw_toy(rng):
    return f"number {rng.integers(100)}\n"


TOY_RULES = "the rules\n"


def test_a_new_kind_takes_one_function_and_one_registry_line(tmp_path):
    beside = {"rules.txt": f"{__name__}:TOY_RULES"}
    toy = Kind("toy", "a random number", f"{__name__}:draw_toy", suffix=".txt", comment="#", beside=beside)
    with KINDS.extended(toy):
        files = generate_instances("toy", 2, folder=tmp_path, random_state=3)
    assert [file.name for file in files] == ["toy-0000.txt", "toy-0001.txt"]
    number = np.random.default_rng([3, 1]).integers(100)
    assert files[1].read_text() == f"# toy-0001.txt, seed 3\nnumber {number}\n"
    assert (tmp_path / "rules.txt").read_text() == TOY_RULES
    assert "toy" not in KINDS


@pytest.mark.parametrize("key", list(KINDS))
def test_the_random_state_fixes_every_byte_and_the_count_does_not_matter(key, tmp_path):
    first, again = (generate_instances(key, 3, random_state=1, folder=tmp_path / part) for part in ("first", "again"))
    fewer = generate_instances(key, 2, random_state=1, folder=tmp_path / "fewer")
    other = generate_instances(key, 2, random_state=2, folder=tmp_path / "other")
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in again]
    assert [file.read_bytes() for file in first[:2]] == [file.read_bytes() for file in fewer]
    assert all(without_first_line(a) != without_first_line(b) for a, b in zip(first, other, strict=False))


@pytest.mark.parametrize("key", CNF_KINDS)
def test_cnf_files_are_well_formed_and_start_with_their_name(key, tmp_path, read_dimacs):
    for file in generate_instances(key, 3, random_state=0, folder=tmp_path):
        text = file.read_text()
        read_dimacs(text)
        assert text.startswith(f"c {file.name}, seed 0\nc ")
        assert b"\r" not in file.read_bytes()


def test_file_names_are_sorted_and_the_folder_is_created(tmp_path):
    files = generate_instances("factoring", 2, random_state=0, folder=str(tmp_path / "a" / "b"))
    assert files == [tmp_path / "a" / "b" / f"factoring-000{i}.cnf" for i in range(2)]
    assert all(isinstance(file, Path) for file in files)


def test_every_kind_has_a_summary():
    assert all(kind.summary for kind in KINDS.values())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("sudoku", 1, 0), "kind of instance 'sudoku': expected one of factoring, .*zenotravel"),
        (("factoring", 0, 0), "count=0"),
        (("factoring", 1, -1), "random_state=-1"),
    ],
)
def test_unusable_settings_are_named(settings, message, tmp_path):
    kind, count, random_state = settings
    with pytest.raises(SettingError, match=message):
        generate_instances(kind, count, folder=tmp_path, random_state=random_state)
