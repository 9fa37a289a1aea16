"""One table in, answers out: fit, predict and evaluate on job records from a known law."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import load_model
from bayes_distnet.cli import main

LAYOUT = ["--time", "elapsed", "--status", "state", "--finished-values", "COMPLETED,OK"]


def job_records(n, seed):
    """Records with text, numbers, truth values, dates and names; log time is normal around a known location."""
    rng = np.random.default_rng(seed)
    queue, rows = rng.choice(["debug", "short", "long"], n), np.exp(rng.normal(8.0, 1.0, n)).round()
    loc = 0.5 * (np.log(rows) - 8.0) + pd.Series(queue).map({"debug": -1.0, "short": 0.5, "long": 2.0}).to_numpy()
    seconds, limit = np.exp(rng.normal(loc, 0.4)), 20.0
    state = np.where(seconds > limit, "TIMEOUT", rng.choice(["COMPLETED", "OK"], n)).astype(object)
    state[rng.random(n) < 0.05] = "FAILED"
    submit = pd.Timestamp("2026-01-05") + pd.to_timedelta(rng.integers(0, 10**7, n), unit="s")
    frame = pd.DataFrame({"job_id": [f"{seed}-{k}" for k in range(n)], "queue": queue, "rows": rows})
    frame = frame.assign(urgent=rng.random(n) < 0.2, submit=submit, cluster="alpha", age=rng.choice([0.0, 1.0], n))
    frame.loc[rng.random(n) < 0.02, "rows"] = np.nan
    return frame.assign(elapsed=np.minimum(seconds, limit), state=state), np.exp(loc)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    jobs, _ = job_records(1500, 1)
    new, truth = job_records(300, 2)
    jobs.to_csv(folder / "jobs.csv", index=False)
    jobs.to_parquet(folder / "jobs.parquet", index=False)
    new.to_csv(folder / "new.csv", index=False)
    np.save(folder / "truth.npy", truth)
    words = [str(folder / "jobs.csv"), *LAYOUT, "--drop", "age", "--model", "forest", "--holdout", "0.2"]
    assert main(["fit", *words, "--out", str(folder / "model")]) == 0
    return folder


def test_fit_notes_what_it_leaves_out(folder, tmp_path, capsys):
    words = ["fit", str(folder / "jobs.parquet"), *LAYOUT, "--drop", "age", "--model", "ridge", "--out"]
    assert main([*words, str(tmp_path / "m")]) == 0
    said = capsys.readouterr()
    assert "rows, whose state is neither finished nor cut off: FAILED (" in said.err
    assert "note: left out: column job_id, which identifies rows" in said.err
    assert "note: left out: column cluster, which is constant" in said.err
    assert "Ridge learnt in" in said.out


def test_predict_answers_with_the_law_behind_the_records(folder, tmp_path, capsys):
    words = ["predict", str(folder / "model"), str(folder / "new.csv"), "--columns", "median,q90,within:20,band"]
    for name in ("p.csv", "p.parquet"):
        assert main([*words, "--out", str(tmp_path / name)]) == 0
    said = capsys.readouterr()
    assert "predictions for 300 instances" in said.out
    table = pd.read_csv(tmp_path / "p.csv")
    assert list(table) == ["job_id", "median", "q90", "within_20", "low", "high"]
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "p.parquet")[["job_id", "median"]], table[["job_id", "median"]]
    )
    truth = np.load(folder / "truth.npy")
    short = truth < 10.0  # medians past the cutoff are not observed
    error = np.abs(np.log(table["median"] / truth))[short]
    assert np.median(error) < 0.2  # the marginal is wrong by 1.1
    assert main([*words, "--elapsed-column", "age", "--out", str(tmp_path / "left.csv")]) == 0
    left, age = pd.read_csv(tmp_path / "left.csv"), pd.read_csv(folder / "new.csv")["age"]
    np.testing.assert_allclose(left["median"][age == 0], table["median"][age == 0])
    assert (left["median"][age == 1] != table["median"][age == 1]).all()


def test_evaluate_reads_the_layout_from_the_model(folder, capsys):
    capsys.readouterr()
    assert main(["evaluate", str(folder / "model"), str(folder / "jobs.csv"), "--holdout", "0.2", "--json"]) == 0
    brief = json.loads(capsys.readouterr().out)
    words = [str(folder / "model"), str(folder / "jobs.csv"), *LAYOUT, "--drop", "age", "--holdout", "0.2"]
    assert main(["evaluate", *words, "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out) == brief
    assert brief["seen"] == 0
    assert "warning" not in said.err


def test_evaluate_compares_with_yardsticks_and_ends_with_a_verdict(folder, capsys):
    words = ["evaluate", str(folder / "model"), str(folder / "jobs.csv"), "--holdout", "0.2"]
    capsys.readouterr()
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["nllh", "crps", "coverage"]  # one run per job
    assert [line.split()[0] for line in lines[2:4]] == ["RandomForest", "Marginal"]
    assert lines[-1].startswith("RandomForest predicts these instances better than Marginal (nllh lower by ")
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"] == lines[-1]
    assert float(lines[3].split()[1]) == pytest.approx(facts["yardsticks"]["Marginal"]["nllh"], abs=1e-4)
    assert facts["scores"]["nllh"] < facts["yardsticks"]["Marginal"]["nllh"] - 0.3


def test_a_table_that_lacks_columns_is_one_line(folder, tmp_path, capsys):
    pd.read_csv(folder / "new.csv").drop(columns=["queue", "rows"]).to_csv(tmp_path / "new.csv", index=False)
    capsys.readouterr()
    assert main(["predict", str(folder / "model"), str(tmp_path / "new.csv")]) == 2
    said = capsys.readouterr()
    assert "new.csv: no column queue, rows (2 of the 4 that the model was fitted on are missing)" in said.err
    assert len(said.err.splitlines()) == 1


def test_new_levels_and_further_columns_are_noted(folder, tmp_path, capsys):
    frame = pd.read_csv(folder / "new.csv").assign(colour="red")
    frame.loc[:9, "queue"] = "overnight"
    frame.to_csv(tmp_path / "new.csv", index=False)
    capsys.readouterr()
    assert main(["predict", str(folder / "model"), str(tmp_path / "new.csv"), "--out", str(tmp_path / "p.csv")]) == 0
    said = capsys.readouterr().err
    assert "note: ignored: column colour, which the model was not trained on" in said
    assert "queue=(unseen) (10)" in said
    assert (pd.read_csv(tmp_path / "p.csv")["familiar"][:10] == "unusual").all()


def test_groups_are_held_out_as_a_whole(folder, tmp_path, capsys):
    frame = pd.read_csv(folder / "jobs.csv").assign(user=lambda jobs: [f"u{k % 20}" for k in range(len(jobs))])
    frame.to_csv(tmp_path / "jobs.csv", index=False)
    words = [str(tmp_path / "jobs.csv"), *LAYOUT, "--group", "user", "--drop", "age", "--holdout", "0.2"]
    assert main(["fit", *words, "--model", "ridge", "--out", str(tmp_path / "m")]) == 0
    trained = {name.split("#")[0] for name in load_model(tmp_path / "m").training_record_.names}
    assert len(trained) == 16


def test_instance_files_are_predicted_after_their_features(tmp_path, capsys):
    assert main(["generate", "random-ksat", "6", "--out", str(tmp_path / "cnf")]) == 0
    assert main(["features", str(tmp_path / "cnf"), "--out", str(tmp_path / "f.csv"), "--quiet"]) == 0
    features = pd.read_csv(tmp_path / "f.csv")
    runs = pd.DataFrame({"instance": features["instance"], "seconds": range(1, 7), "status": "solved"})
    runs.to_csv(tmp_path / "runs.csv", index=False)
    data = [str(tmp_path / "runs.csv"), "--features", str(tmp_path / "f.csv")]
    assert main(["fit", *data, "--model", "knn", "--out", str(tmp_path / "m")]) == 0
    capsys.readouterr()
    for inputs in ([str(tmp_path / "f.csv")], [str(tmp_path / "cnf")], sorted(map(str, (tmp_path / "cnf").iterdir()))):
        assert main(["predict", str(tmp_path / "m"), *inputs, "--columns", "median", "--quiet"]) == 0
    shown = capsys.readouterr().out
    assert shown == shown[: len(shown) // 3] * 3
    assert main(["predict", str(tmp_path / "m"), str(tmp_path / "cnf"), str(tmp_path / "f.csv")]) == 2
    assert "f.csv: a table beside 1 other inputs" in capsys.readouterr().err
    assert main(["predict", str(tmp_path / "m"), "none.cnf"]) == 2
    assert "none.cnf: no such file or folder" in capsys.readouterr().err


def test_instances_of_a_model_with_other_features_are_one_line(folder, tmp_path, capsys):
    assert main(["generate", "random-ksat", "1", "--out", str(tmp_path / "cnf")]) == 0
    capsys.readouterr()
    assert main(["predict", str(folder / "model"), str(tmp_path / "cnf")]) == 2
    assert "features of these files: no column queue, rows, urgent ..." in capsys.readouterr().err


def test_an_interrupted_prediction_leaves_no_file(folder, tmp_path):
    frame = pd.concat([pd.read_csv(folder / "new.csv")] * 400)
    frame.to_csv(tmp_path / "many.csv", index=False)
    out = tmp_path / "p.csv"
    words = [sys.executable, "-m", "bayes_distnet.cli", "predict", folder / "model", tmp_path / "many.csv"]
    running = subprocess.Popen([*map(str, words), "--out", str(out)], stderr=subprocess.PIPE)
    while running.poll() is None and not any(path.name.startswith(".writing-") for path in tmp_path.iterdir()):
        pass
    running.terminate()
    assert b"stopped" in running.communicate()[1]
    assert running.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["many.csv"]


def test_fit_and_evaluate_report_the_tick_of_a_timer(tmp_path, capsys):
    rng = np.random.default_rng(0)
    size = rng.normal(size=400)
    seconds = np.maximum(0.1 * np.exp(size + 0.3 * rng.normal(size=400)), 0.006)
    for name, times in (("ticks", seconds.round(2)), ("exact", seconds)):
        pd.DataFrame({"size": size, "other": rng.normal(size=400), "elapsed": times}).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
        words = [str(tmp_path / f"{name}.csv"), "--holdout", "0.5"]
        fit = ["fit", *words, "--time", "elapsed", "--model", "ridge", "--out", str(tmp_path / name)]
        assert main(fit) == 0
        assert ("ticks every 0.01 s" in capsys.readouterr().out) == (name == "ticks")
        assert main(["evaluate", str(tmp_path / name), *words]) == 0
        assert ("ticks every 0.01 s" in capsys.readouterr().out) == (name == "ticks")
        assert main(["evaluate", str(tmp_path / name), *words, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["tick"] == (0.01 if name == "ticks" else None)
