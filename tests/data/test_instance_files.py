import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from bayes_distnet.data.compressed import open_plain, plain_file
from bayes_distnet.data.instances import counts_in_words, instance_files
from bayes_distnet.errors import CollectError, SettingError


def make(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def test_folders_are_searched_to_the_bottom(tmp_path):
    make(tmp_path, "b.cnf", "easy/a.cnf", "easy/deep/c.cnf", "easy/domain.pddl", ".hidden/d.cnf", "easy/.e.cnf")
    found = [str(file.relative_to(tmp_path)) for file in instance_files([tmp_path])]
    assert found == ["b.cnf", "easy/a.cnf", "easy/deep/c.cnf"]


def test_the_files_of_each_folder_are_counted(tmp_path):
    make(tmp_path, "b.cnf", "easy/a.cnf", "easy/c.cnf")
    assert counts_in_words(instance_files([tmp_path])) == [f"{tmp_path}: 1 file", f"{tmp_path}/easy: 2 files"]


def test_of_many_folders_the_first_are_counted(tmp_path):
    make(tmp_path, *(f"{number:02}/a.cnf" for number in range(30)))
    lines = counts_in_words(instance_files([tmp_path]))
    assert len(lines) == 21
    assert lines[-1] == "and 10 more folders"


def test_links_between_folders_do_not_lead_in_circles(tmp_path):
    make(tmp_path, "a/x.cnf")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    assert [file.name for file in instance_files([tmp_path])] == ["x.cnf"]


def test_a_folder_without_files_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingError, match="a folder without files"):
        instance_files([tmp_path])


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip), (".xz", lzma), (".bz2", bz2)])
def test_a_compressed_file_has_a_private_plain_copy_for_a_while(tmp_path, ending, pack):
    packed = tmp_path / f"a.cnf{ending}"
    packed.write_bytes(pack.compress(b"p cnf 1 1\n1 0\n"))
    with open_plain(packed) as file:
        assert file.read() == b"p cnf 1 1\n1 0\n"
    with plain_file(packed) as copy:
        assert (copy.name, copy.read_bytes()) == ("a.cnf", b"p cnf 1 1\n1 0\n")
        assert copy.parent.stat().st_mode & 0o77 == 0
    assert not copy.parent.exists()


def test_a_plain_file_is_its_own_copy(tmp_path):
    make(tmp_path, "a.cnf")
    with plain_file(tmp_path / "a.cnf") as copy:
        assert copy == tmp_path / "a.cnf"


def test_a_damaged_file_is_named(tmp_path):
    damaged = tmp_path / "a.cnf.gz"
    damaged.write_bytes(gzip.compress(bytes(1000))[:-10])
    with pytest.raises(CollectError, match=r"a\.cnf\.gz: it cannot be decompressed"), plain_file(damaged):
        pass
    with pytest.raises(CollectError, match="cannot be decompressed"), plain_file(Path("none.xz")):
        pass
