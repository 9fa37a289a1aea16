"""Hostile requests are refused with one sentence, and the server goes on."""

import gzip
import json
import socket
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from served import LIMITS, client_of, running

from bayes_distnet.serve.app import create_app
from bayes_distnet.serve.limits import Limits


def refused(answer, status):
    assert answer.status_code == status, answer.text
    sentence = answer.json()["error"]
    assert "\n" not in sentence
    assert "/tmp" not in sentence
    return sentence


def post(client, text, path="/api/predict?model=clasp"):
    return client.post(path, content=text, headers={"content-type": "application/json"})


# -- bodies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(client, number):
    assert "finite" in refused(post(client, f'{{"rows": [{{"features": {{"a": {number}}}}}]}}'), 422)


def test_wrong_columns_are_named(client):
    sentence = refused(post(client, '{"rows": [{"features": {"size": 1}}]}'), 422)
    assert "no column structure.clauses" in sentence
    sentence = refused(post(client, '{"features": {"size": 1}}', "/api/advise?model=clasp"), 422)
    assert "no column structure.clauses" in sentence


@pytest.mark.parametrize(
    "body",
    [
        '{"rows": [{"features": {"a": {"b": 1}}}]}',
        '{"rows": [{"features": {"a": [1]}}]}',
        '{"rows": "all"}',
        '{"rows": []}',
        '{"rows": [{"features": {}}]}',
        '{"rows": [{"features": {"a": 1}, "path": "/etc/passwd"}]}',
        '{"rows": [{"features": {"a": 1}}], "elapsed": -1}',
        '{"rows": [{"features": {"a": 1}}], "quantiles": [2]}',
        "[" * 100_000,
        '{"rows":' * 20_000,
        '{"rows": [{"features": {"a": 1' + "0" * 100_000 + "}}]}",
        "not JSON",
        "\x00",
        "",
    ],
    ids=range(14),
)
def test_bodies_of_another_form_are_refused(client, body):
    answer = post(client, body)
    assert 400 <= answer.status_code < 500
    refused(answer, answer.status_code)


def test_more_rows_than_allowed_are_refused(client):
    rows = json.dumps({"rows": [{"features": {"a": 1}}] * 1001})
    assert "1000" in refused(post(client, rows), 422)


def test_large_bodies_are_refused_before_and_while_they_arrive(client):
    large = b" " * (LIMITS.body + 1)
    assert refused(post(client, large), 413) == "The request is larger than 0.25 MiB."
    pieces = (b" " * 2**16 for _ in range(10))
    assert "larger than" in refused(client.post("/api/rows", content=pieces, headers={"content-type": "text/csv"}), 413)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_body_makes_the_server_fail(client, value):
    for path in ("/api/predict?model=clasp", "/api/advise?model=clasp", "/api/forecast?model=portfolio"):
        assert post(client, json.dumps(value), path).status_code < 500
        assert post(client, json.dumps({"features": value}), path).status_code < 500


def test_unknown_models_instances_and_pages_are_not_found(client):
    assert refused(post(client, '{"rows": [{"features": {"a": 1}}]}', "/api/predict?model=x"), 404).startswith(
        "No model 'x'"
    )
    assert "no instance" in refused(client.get("/api/data/instance?name=../../etc/passwd"), 422)
    for path in (
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/static/app.py",
        "/app.py",
        "//etc/passwd",
        "/.git/config",
    ):
        refused(client.get(path), 404)
    refused(client.put("/api/predict"), 405)
    for path in (b"/../../etc/passwd", b"//etc/passwd", b"/static/../app.py", b"file:///etc/passwd"):
        answer = raw(
            client.base_url.port, b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        assert b" 404 " in answer.splitlines()[0]


def test_predict_refuses_a_portfolio_and_names_the_way_out(client):
    sentence = refused(
        post(client, '{"rows": [{"features": {"x": 1, "noise": 0}}]}', "/api/predict?model=portfolio"), 422
    )
    assert "advise or forecast" in sentence


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../../evil.cnf", "/etc/evil.cnf", "a\\b.cnf", ".cnf", "a\x00.cnf", "x" * 300 + ".cnf"]
)
def test_names_that_are_paths_are_refused(client, name):
    from urllib.parse import quote

    body = (
        f'--b\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\np cnf 1 1\n1 0\n\r\n--b--\r\n'
    )
    answer = client.post(
        "/api/features", content=body.encode(), headers={"content-type": "multipart/form-data; boundary=b"}
    )
    assert 400 <= answer.status_code < 500, quote(name)
    refused(answer, answer.status_code)


def test_files_that_are_no_instances_are_refused(client):
    assert "expected a file named" in refused(client.post("/api/features", files={"files": ("a.exe", b"MZ")}), 415)
    sentence = refused(client.post("/api/features", files={"files": ("a.cnf", b"p cnf 1 1\n1 2 0\n")}), 422)
    assert sentence == "a.cnf, line 2: literal 2; expected variables 1 to 1, as in the header."
    many = [("files", (f"{i}.cnf", b"p cnf 1 1\n1 0\n")) for i in range(3)]
    refused(client.post("/api/features", files=many), 422)
    refused(client.post("/api/features", content=b"x", headers={"content-type": "multipart/form-data"}), 400)


@pytest.mark.slow
def test_a_file_that_unpacks_to_too_much_meets_the_memory_limit(shelf):
    line = b"1 2 3 4 5 6 7 8 9 10 0\n"
    bomb = gzip.compress(b"p cnf 10 9000000\n" + line * 9_000_000)
    limits = Limits(feature_seconds=20.0, feature_memory=150 * 2**20)
    with running(create_app(shelf, limits=limits), limits) as port, client_of(port) as client:
        sentence = refused(client.post("/api/features", files={"files": ("bomb.cnf.gz", bomb)}), 422)
    assert sentence.startswith("bomb.cnf.gz: computing its features took more than 0.146 GiB of memory")


# -- names, origins, connections --------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", "[", "192.168.0.1"])
def test_other_host_names_are_refused(client, host):
    refused(client.get("/api/models", headers={"host": host}), 421)


def test_any_address_in_numbers_is_accepted_only_where_the_server_listens_everywhere(shelf):
    with running(create_app(shelf, hosts=["*", "mybox"]), Limits()) as port, client_of(port) as everywhere:
        for host in ("192.168.0.7:8517", "[2001:db8::7]:8517", "mybox:8517"):
            assert everywhere.get("/api/models", headers={"host": host}).status_code == 200
        refused(everywhere.get("/api/models", headers={"host": "evil.example"}), 421)


def test_requests_of_other_sites_are_refused(client):
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        refused(client.post("/api/rows", content="a\n1\n", headers=headers), 403)
    own = {"origin": f"http://localhost:{client.base_url.port}", "sec-fetch-site": "same-origin"}
    assert client.post("/api/rows", content="a\n1\n", headers=own).status_code == 200


def test_every_answer_has_the_headers_that_protect_a_page(client):
    for answer in (client.get("/"), client.get("/none"), client.get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def raw(port, text, wait=5.0):
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        connection.sendall(text)
        return received(connection)


def received(connection):
    parts = []
    while part := connection.recv(2**16):
        parts.append(part)
    return b"".join(parts)


GET = b"GET /api/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def test_slow_requests_end_with_a_timeout(port):
    begun = time.monotonic()
    assert b" 408 " in raw(port, b"GET /api/models HTTP/1.1\r\nHost: loc")  # headers that never end
    head = b"POST /api/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\na,b\n"
    answer = raw(port, head)  # a body that never ends
    assert b" 408 " in answer
    assert b'{"error": "The request did not arrive within 1 s."}' in answer
    form = head.replace(b"text/csv", b"multipart/form-data; boundary=b")
    assert b" 408 " in raw(port, form)
    assert time.monotonic() - begun < 10
    assert b" 200 " in raw(port, GET)


def test_more_connections_than_allowed_are_refused_and_idle_ones_closed(port):
    opened = []
    try:
        opened.extend(socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(150))
        assert b'{"error": "Too many connections; try again."}' in received(opened[-1])
    finally:
        for connection in opened[40:]:
            connection.close()
    assert b"408" in received(opened[0])  # it never sent a request
    for connection in opened[:40]:
        connection.close()
    assert b" 200 " in raw(port, GET)


def test_requests_at_once_are_bounded(shelf, row):
    from concurrent.futures import ThreadPoolExecutor

    limits, pool = Limits(requests=2), ThreadPoolExecutor(16)
    with running(create_app(shelf, limits=limits), limits) as port, client_of(port) as client, pool:
        answers = list(pool.map(lambda _: client.post("/api/forecast?model=clasp", json=row), range(32)))
    assert {answer.status_code for answer in answers} == {200, 429}
    assert {answer.json().get("error") for answer in answers if answer.status_code == 429} == {
        "Too many requests at once; try again."
    }
