"""The command serve: its address, its warning, its end."""

import os
import signal
import subprocess
import sys
import urllib.request

import pytest

from bayes_distnet.cli import main


def started(folders, *words):
    command = [sys.executable, "-m", "bayes_distnet.cli", "serve", "--model", *map(str, folders), "--port", "0", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_until_it_is_stopped(folders, number):
    with started(folders) as process:
        address = process.stdout.readline().split()[0]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{address}api/models") as answer:
            assert b'"name": "portfolio"' in answer.read()
        os.kill(process.pid, number)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert errors == "stopped.\n"


@pytest.mark.slow
def test_another_address_is_bound_with_a_warning(folders):
    with started(folders[:1], "--host", "0.0.0.0") as process:
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert errors.startswith("warning: 0.0.0.0 lets other machines in. There are no passwords:")


def test_wrong_arguments_are_one_line(folders, tmp_path, capsys):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--model", str(folders[0]), "--port", str(port)]) == 2
    assert f"127.0.0.1, port {port}: cannot be bound (Address already in use)" in capsys.readouterr().err
    assert main(["serve", "--model", str(tmp_path), "--port", "0"]) == 2
    assert "no model there" in capsys.readouterr().err
    assert main(["serve", "--model", str(folders[0]), "--features", "x.csv"]) == 2
    assert "--features goes with --data" in capsys.readouterr().err
