import sys
import textwrap

import pytest

from bayes_distnet.collect.executor import Executor


@pytest.fixture
def instances(tmp_path):
    """Six small files with different contents."""
    folder = tmp_path / "instances"
    folder.mkdir()
    files = [folder / f"i{index}.txt" for index in range(6)]
    for index, file in enumerate(files):
        file.write_text(f"instance {index}")
    return files


@pytest.fixture(scope="module")
def executor():
    with Executor() as executor:
        yield executor


@pytest.fixture
def python():
    """A function that returns the command which runs a program text in a bare interpreter."""
    return lambda code: [sys.executable, "-I", "-S", "-c", textwrap.dedent(code)]
