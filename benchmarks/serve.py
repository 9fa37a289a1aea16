"""Requests per second and latency of `bayes-distnet serve`, single rows, on this machine's loopback.

python benchmarks/serve.py MODEL [--connections 16] [--seconds 10]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from urllib.parse import quote, urlsplit

MOST_CONNECTIONS, LONGEST = 64, 60.0
COLUMNS = ["mean", "median", "q10", "q25", "q75", "q90", "band", "familiar"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=10.0)
    parsed = parser.parse_args()
    command = [sys.executable, "-m", "bayes_distnet.cli", "serve", "--model", parsed.model, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = urlsplit(server.stdout.readline().split()[0])
            name, row = row_of(address)
            count, length = min(parsed.connections, MOST_CONNECTIONS), min(parsed.seconds, LONGEST)
            for title, columns in (("all columns", {}), ("without unsure", {"columns": COLUMNS})):
                body = json.dumps({"rows": [row], **columns}).encode()
                print(title, end=", ")
                measure(server.pid, address, f"/api/predict?model={quote(name)}", body, count, length)
        finally:
            server.terminate()


def row_of(address) -> tuple[str, dict]:
    connection = http.client.HTTPConnection(address.hostname, address.port)
    name = ask(connection, "/api/models")["models"][0]["name"]
    row = ask(connection, f"/api/example?model={quote(name)}")
    return name, row


def ask(connection, path):
    connection.request("GET", path)
    return json.loads(connection.getresponse().read())


def cpu_seconds(process: int) -> float:
    """CPU seconds of a process so far, where Linux shows them."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(server: int, address, path: str, body: bytes, connections: int, length: float) -> None:
    took: list[float] = []
    until = time.perf_counter() + length

    def client() -> None:
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        while (begun := time.perf_counter()) < until:
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
            took.append(time.perf_counter() - begun)

    threads = [threading.Thread(target=client) for _ in range(connections)]
    begun, before = time.perf_counter(), cpu_seconds(server)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate, p99 = len(took) / (time.perf_counter() - begun), statistics.quantiles(took, n=100)[98]
    median, cost = statistics.median(took), (cpu_seconds(server) - before) / len(took)
    print(
        f"{connections} connections: {rate:.0f} requests/s, median {1e3 * median:.0f} ms, p99 {1e3 * p99:.0f} ms, "
        f"{1e3 * cost:.2f} CPU ms of the server per request"
    )


if __name__ == "__main__":
    main()
