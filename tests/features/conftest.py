import pytest


@pytest.fixture
def write(tmp_path):
    def write(text, name="one.cnf"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write
