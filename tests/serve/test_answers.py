"""Answers of the API are those of the command line and of the library."""

import bz2
import gzip
import json
import tempfile

import numpy as np
import pytest

from bayes_distnet.cli import main
from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.data.kaplan_meier import median_runtime


def printed(capsys, *words):
    assert main([str(word) for word in words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_predict_has_the_records_of_the_command(client, folders, data, tmp_path, capsys):
    names = ["factoring-0002.cnf", "factoring-0005.cnf"]
    data.features.loc[names].to_csv(tmp_path / "two.csv")
    words = ("--within", "0.05", "--elapsed", "0.01", "--quantiles", "0.5,0.99", "--json")
    expected = printed(capsys, "predict", folders[0], tmp_path / "two.csv", *words)
    rows = [{"instance": name, "features": data.features.loc[name].to_dict()} for name in names]
    body = {"rows": rows, "within": [0.05], "elapsed": 0.01, "quantiles": [0.5, 0.99]}
    assert client.post("/api/predict?model=clasp", json=body).json()["predictions"] == expected


def test_columns_are_chosen_as_in_the_command(client, row):
    body = {"rows": [row], "columns": ["median", "within:0.05", "familiar"]}
    (record,) = client.post("/api/predict?model=clasp", json=body).json()["predictions"]
    assert list(record) == ["instance", "median", "within_0.05", "familiar"]
    answer = client.post("/api/predict?model=clasp", json={**body, "within": [1.0]})
    assert answer.status_code == 422
    assert "name all columns there" in answer.json()["error"]


@pytest.mark.parametrize("elapsed", [None, 0.05])
def test_advise_has_the_object_of_the_command(client, folders, row, data, tmp_path, capsys, elapsed):
    data.features.loc[[row["instance"]]].to_csv(tmp_path / "one.csv")
    words = ["--model", folders[0], "--deadline", "2", "--json", *([] if elapsed is None else ["--elapsed", elapsed])]
    (expected,) = printed(capsys, "advise", tmp_path / "one.csv", *words)
    answer = client.post("/api/advise?model=clasp", json={**row, "deadline": 2.0, "elapsed": elapsed})
    assert answer.json() == expected


def test_forecast_of_a_portfolio_has_curves_of_every_solver(client):
    answer = client.post(
        "/api/forecast?model=portfolio", json={"features": {"x": 0.9, "noise": 0.0}, "points": 50}
    ).json()
    curves = {one["solver"]: one for one in answer["solvers"]}
    assert set(curves) == {"left", "right"}
    assert curves["left"]["copies"]["1"] > 10 * curves["right"]["copies"]["1"]  # 30 s against 1 s
    for one in curves.values():
        assert len(one["times"]) == 50
        assert np.all(np.diff(one["cdf"]) >= 0)
        assert np.all(np.array(one["low"]) <= np.array(one["high"]))
        middle = np.interp(0.5, one["cdf"], one["times"])
        assert middle == pytest.approx(one["copies"]["1"], rel=0.05)


def test_plan_of_a_portfolio_chooses_the_specialist(client):
    answer = client.post("/api/advise?model=portfolio", json={"features": {"x": 0.9, "noise": 0.0}}).json()
    assert answer["plan"]["slots"][0]["solver"] == "right"


def test_rows_of_concurrent_requests_do_not_mix(client, data):
    from concurrent.futures import ThreadPoolExecutor

    def median(name):
        body = {"rows": [{"instance": name, "features": data.features.loc[name].to_dict()}]}
        (record,) = client.post("/api/predict?model=clasp", json=body).json()["predictions"]
        return record["instance"], record["median"]

    names = list(data.features.index[:16])
    alone = [median(name) for name in names]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(median, names)) == alone


def test_a_bad_row_does_not_spoil_the_batch_that_it_is_in(shelf, row):
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from bayes_distnet.serve.batches import Batches
    from bayes_distnet.serve.bodies import Predict

    good, bad = Predict(rows=[row]), Predict(rows=[{"features": {"size": 1.0}}])

    async def ask():
        with ThreadPoolExecutor(1) as thread:
            batches = Batches(thread)
            wanted = [batches.predict(shelf["clasp"], body.rows, body.settings()) for body in (good, bad, good)]
            return await asyncio.gather(*wanted, return_exceptions=True)

    first, second, third = asyncio.run(ask())
    assert first[0]["median"] == third[0]["median"] > 0
    assert "no column structure.clauses" in str(second)


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_features_of_an_uploaded_file_are_those_of_the_library(client, tmp_path, monkeypatch, ending, pack):
    from bayes_distnet.features import cnf_features

    (path,) = generate_instances("factoring", 1, folder=tmp_path, random_state=3)
    expected, private = cnf_features(path).values, tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    name = f"mine.cnf{ending}"
    answer = client.post("/api/features", files={"files": (name, pack(path.read_bytes()))}).json()
    assert answer.get("instance") == name, answer
    assert answer["features"] == pytest.approx(expected)
    assert list(private.glob("bayes-distnet-served-*")) == []  # nothing is left


def test_a_pddl_problem_comes_with_its_domain(client, tmp_path):
    from bayes_distnet.features import pddl_features

    (path,) = generate_instances("zenotravel", 1, folder=tmp_path, random_state=3)
    domain = path.with_name("domain.pddl").read_bytes()
    files = [("files", ("zeno.pddl", domain)), ("files", ("p.pddl", path.read_bytes()))]
    answer = client.post("/api/features", files=files).json()
    assert answer["instance"] == "p.pddl"
    assert answer["features"] == pytest.approx(pddl_features(path).values)
    alone = client.post("/api/features", files=files[1:])
    assert (alone.status_code, alone.json()["error"]) == (
        422,
        "p.pddl: a PDDL problem needs its domain; send both files together.",
    )


def test_rows_of_a_table_keep_names_numbers_and_gaps(client):
    answer = client.post("/api/rows", content="instance,a,b\nNA,1.5,\nx,2,3\n", headers={"content-type": "text/csv"})
    assert answer.json()["rows"] == [
        {"instance": "NA", "features": {"a": 1.5, "b": None}},
        {"instance": "x", "features": {"a": 2.0, "b": 3.0}},
    ]


def test_the_data_set_is_searched_sorted_and_paged(client, data, shelf):
    query = {"model": "clasp", "sort": "recorded", "descending": True, "count": 5}
    found = client.get("/api/data", params=query).json()
    runs = zip(data.features.index, data.seconds, data.finished, strict=True)
    medians = {name: median_runtime(seconds, finished) for name, seconds, finished in runs}
    slowest = sorted(medians, key=medians.get)[::-1]
    assert [row["instance"] for row in found["rows"]] == slowest[:5]
    assert client.get("/api/data", params={**query, "start": 5}).json()["rows"][0]["instance"] == slowest[5]
    one = client.get("/api/data", params={"model": "clasp", "search": "0002"}).json()["rows"]
    assert [row["instance"] for row in one] == ["factoring-0002.cnf"]
    predicted = shelf["clasp"].estimator.predict(data.features.loc[["factoring-0002.cnf"]])[0]
    assert one[0]["predicted"] == pytest.approx(predicted)
    assert one[0]["trained"] == ("factoring-0002.cnf" in shelf["clasp"].record.names)


def test_an_instance_of_the_data_has_the_empirical_cdf_of_its_runs(client, data):
    found = client.get("/api/data/instance", params={"name": "factoring-0002.cnf"}).json()
    runs = found["runs"]["clasp"]
    assert runs["times"] == sorted(data.take([2]).seconds[0])
    assert runs["cdf"] == pytest.approx(np.arange(1, 101) / 100)
    assert found["features"] == data.features.loc["factoring-0002.cnf"].to_dict()


def test_the_example_is_an_instance_that_the_model_has_not_seen(client, shelf):
    found = client.get("/api/example?model=clasp").json()
    assert found["instance"] not in shelf["clasp"].record.names
    made_up = client.get("/api/example?model=portfolio").json()
    assert set(made_up["features"]) == {"x", "noise"}
    assert abs(made_up["features"]["x"]) < 0.3


def test_the_description_names_every_request(client):
    paths = set(client.get("/openapi.json").json()["paths"])
    assert {"/api/predict", "/api/advise", "/api/forecast", "/api/features", "/api/rows", "/api/data"} <= paths
