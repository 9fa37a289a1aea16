import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Ridge, load_dataset, make_runs
from bayes_distnet.cli import main
from bayes_distnet.models.library import load_model
from bayes_distnet.models.record import read_record
from bayes_distnet.models.registry import MODELS, ModelEntry, Role

PREDICT = [sys.executable, "-m", "bayes_distnet.cli", "predict"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with runs and features of 40 instances as files, and a ridge model of 30 of them."""
    folder = tmp_path_factory.mktemp("cli")
    made = make_runs(n_instances=40, n_runs=3, n_features=4, random_state=0).cut_off(0.2)
    names = np.array([f"i{k}.cnf" for k in range(40)])
    runs = pd.DataFrame({"instance": np.repeat(names, 3), "seed": np.tile(range(3), 40)})
    status = np.where(made.finished.ravel(), "solved", "timeout")
    runs.assign(solver="sat", seconds=made.seconds.ravel(), status=status).to_csv(folder / "runs.csv", index=False)
    made.features.set_axis(names, axis=0).rename_axis("instance").to_csv(folder / "features.csv")
    assert main(fit(folder, "--holdout", "0.25", "--out", folder / "model")) == 0
    return folder


def fit(folder, *words, model="ridge"):
    data = [folder / "runs.csv", "--features", folder / "features.csv"]
    return list(map(str, ["fit", *data, "--model", model, *words]))


def test_a_model_in_the_registry_is_a_model_of_fit(folder, tmp_path, capsys):
    toy = ModelEntry("toy", "Toy", Role.MODEL, "bayes_distnet.models.ridge:Ridge")
    with MODELS.extended(toy):
        with pytest.raises(SystemExit):
            main(["fit", "--help"])
        assert "marginal, toy" in capsys.readouterr().out
        assert main(fit(folder, "--out", tmp_path / "m", model="toy")) == 0
    assert all(MODELS[key].needs is None for key in MODELS if MODELS[key].role is Role.MODEL)


def test_fit_prints_its_training_data_and_the_folder(folder, tmp_path, capsys):
    capsys.readouterr()
    assert main(fit(folder, "--holdout", "0.25", "--out", tmp_path / "m")) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Ridge learnt in ")
    assert "30 instances, 90 runs of sat (" in first
    assert first.endswith("; 10 instances held out")
    assert second == f"model in {tmp_path / 'm'}"
    assert type(load_model(tmp_path / "m")) is Ridge
    assert len(read_record(tmp_path / "m").names) == 30


def test_a_model_is_replaced_only_with_force(folder, tmp_path, capsys):
    words = fit(folder, "--out", tmp_path / "m", model="marginal")
    assert main([*words, "--family", "weibull"]) == 0
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err
    assert load_model(tmp_path / "m").family == "weibull"
    assert main([*words, "--force"]) == 0
    assert load_model(tmp_path / "m").family == "lognormal"


def test_predictions_are_the_same_as_csv_as_json_as_a_file_and_through_pipes(folder, tmp_path, capsys):
    words = ["predict", str(folder / "model"), str(folder / "features.csv"), "--within", "1,60", "--elapsed", "0.5"]
    capsys.readouterr()
    assert main(words) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="instance")
    expected = ["mean", "median", "q10", "q25", "q75", "q90", "within_1", "within_60", "low", "high", "unsure"]
    assert list(table) == [*expected, "familiar"]
    features = pd.read_csv(folder / "features.csv", index_col="instance")
    left = load_model(folder / "model").predict_distribution(features).given_alive(0.5)
    np.testing.assert_allclose(table["within_60"], left.cdf(60.0), rtol=1e-5)

    assert main([*words, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["instance"] for line in lines] == list(table.index)
    assert [line["median"] for line in lines] == list(table["median"])
    assert {line["unsure"] for line in lines} == {None}

    for name in ("p.csv", "p.parquet"):
        assert main([*words, "--out", str(tmp_path / name)]) == 0
        file = tmp_path / name
        read = pd.read_csv(file) if file.suffix == ".csv" else pd.read_parquet(file)
        np.testing.assert_array_equal(read["q90"], table["q90"])

    given = (folder / "features.csv").read_bytes()
    piped = subprocess.run([*PREDICT, words[1], "-", *words[3:]], input=given, capture_output=True)
    assert piped.stderr == b""
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(piped.stdout), index_col="instance"), table)


def test_instances_that_are_not_familiar_are_noted_and_scored_apart(folder, tmp_path, capsys):
    features = pd.read_csv(folder / "features.csv", index_col="instance")
    name = features.columns[2]
    features.iloc[:3, 2] = 3000 * features[name].abs().max()
    features.to_csv(tmp_path / "far.csv")
    capsys.readouterr()
    assert main(["predict", str(folder / "model"), str(tmp_path / "far.csv")]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("note: 3 of 40 instances are not familiar (0 unusual, 3 outside the training data).")
    assert f"{name} (3)" in said.err
    table = pd.read_csv(io.StringIO(said.out), index_col="instance")
    assert list(table["familiar"]) == ["outside"] * 3 + ["familiar"] * 37

    words = ["evaluate", str(folder / "model"), str(folder / "runs.csv"), "--features", str(tmp_path / "far.csv")]
    assert main([*words, "--by-instance", str(tmp_path / "scores.csv")]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("Ridge by familiarity:") + 1
    assert [line.split()[:2] for line in lines[start : start + 3]] == [
        ["verdict", "instances"],
        ["familiar", "37"],
        ["outside", "3"],
    ]
    each = pd.read_csv(tmp_path / "scores.csv", index_col="instance")
    assert main([*words, "--json"]) == 0
    apart = json.loads(capsys.readouterr().out)["familiarity"]
    assert apart["outside"]["instances"] == 3
    assert apart["outside"]["nllh"] == pytest.approx(each.loc[each["familiar"] == "outside", "nllh"].mean())


def test_a_reader_that_has_seen_enough_is_no_error(folder, tmp_path):
    features = pd.read_csv(folder / "features.csv", index_col="instance")
    pd.concat([features] * 300).to_csv(tmp_path / "many.csv")  # more than a pipe holds
    line = f"{' '.join(PREDICT)} {folder / 'model'} - < {tmp_path / 'many.csv'} | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True)
    assert done.stdout.startswith("instance,mean,median")
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (b"", "standard input: cannot be read as a table"),
        (b"instance,x0\na,1\n", "no column x1, x2, x3 (3 of the 4"),
        (b"name,x0,x1,x2,x3\na,1,2,3,4\n", "standard input: no column 'instance'; found name"),
        (b"instance,x0,x1,x2,x3\na,1,2,3,red\n", "standard input, row 1: x3 is 'red', expected a number"),
        (b"instance,x0,x1,x2,x3\n", "standard input: no rows"),
        (b"\xff\xfe\x00", "standard input: cannot be read as a table"),
    ],
)
def test_bad_features_on_stdin_are_one_line(folder, given, message, capsys, monkeypatch):
    names = pd.read_csv(folder / "features.csv", nrows=0).columns[1:]
    for k, name in enumerate(names):
        given = given.replace(f"x{k}".encode(), name.encode())
        message = message.replace(f"x{k}", name)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    assert main(["predict", str(folder / "model"), "-"]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_evaluate_takes_exactly_the_instances_that_fit_left_out(folder, tmp_path, capsys):
    words = [str(folder / "model"), str(folder / "runs.csv"), "--features", str(folder / "features.csv")]
    scores = tmp_path / "scores.csv"
    capsys.readouterr()
    assert main(["evaluate", *words, "--holdout", "0.25", "--json", "--by-instance", str(scores)]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    result = json.loads(said.out)
    assert (result["model"], result["data"], result["instances"], result["seen"]) == ("Ridge", "runs", 10, 0)
    table = pd.read_csv(scores, index_col="instance")
    assert not set(table.index) & set(read_record(folder / "model").names)
    assert result["scores"].pop("band_coverage") is None  # ridge does not express how sure it is
    assert result["scores"] == pytest.approx(table.drop(columns=["band_coverage", "familiar"]).mean().to_dict())

    assert main(["evaluate", *words, "--holdout", "0.25"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("Ridge on 10 instances, 30 runs of sat (")
    assert shown[1].split() == ["nllh", "kld", "ks", "mass", "crps", "coverage", "band_coverage", "joint_nllh"]


def test_scores_on_instances_learnt_from_come_with_a_warning(folder, capsys):
    words = [str(folder / "model"), str(folder / "runs.csv"), "--features", str(folder / "features.csv")]
    assert main(["evaluate", *words]) == 0
    assert "was trained on 30 of these 40 instances" in capsys.readouterr().err


def test_instances_without_features_are_left_out_with_a_note(folder, tmp_path, capsys):
    pd.read_csv(folder / "features.csv").iloc[5:].to_csv(tmp_path / "fewer.csv", index=False)
    words = ["fit", folder / "runs.csv", "--features", tmp_path / "fewer.csv", "--model", "marginal", "--out"]
    capsys.readouterr()
    assert main([*map(str, words), str(tmp_path / "m")]) == 0
    said = capsys.readouterr()
    assert "35 instances" in said.out
    assert said.err == "note: left out: 5 instances without features, 0 without runs\n"


def test_info_prints_a_model_and_its_training_data(folder, tmp_path, capsys):
    capsys.readouterr()
    assert main(["info", str(folder / "model")]) == 0
    assert "learnt from runs: 30 instances, 90 runs of sat" in capsys.readouterr().out
    assert main(["info", str(folder / "model"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["kind"], said["model"], said["n_features"]) == ("model", "Ridge", 4)
    assert said["training"]["held_out"] == 10
    data = load_dataset("clasp-factoring")
    Ridge().fit(data.features, data.seconds[:, :2]).save(tmp_path / "m")
    assert main(["info", str(tmp_path / "m")]) == 0
    assert "training data: not recorded" in capsys.readouterr().out


def test_info_prints_runs_as_json(folder, capsys):
    capsys.readouterr()
    assert main(["info", str(folder / "runs.csv"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["kind"], said["runs"]) == ("runs", 120)
    assert sum(said["solvers"]["sat"]["statuses"].values()) == 120
    assert main(["info", "sat-portfolio", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["kind"], said["instances"], said["features"]) == ("data", 300, 132)
    assert set(said["solvers"]) == {"clasp", "glucose", "kissat"}


@pytest.mark.slow
def test_the_default_model_expresses_its_uncertainty(folder, tmp_path, capsys):
    data = [folder / "runs.csv", "--features", folder / "features.csv"]
    assert main(list(map(str, ["fit", *data, "--out", tmp_path / "m"]))) == 0
    assert "HybridDistNet learnt in" in capsys.readouterr().out
    assert main(["predict", str(tmp_path / "m"), str(folder / "features.csv"), "--band", "0.5"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="instance")
    assert (table["low"] <= table["high"]).all()
    assert table["unsure"].between(0, 1).all()


def test_bounds_from_fit_to_predict(folder, tmp_path, capsys):
    assert main(fit(folder, "--bounds", "0.5", "--out", tmp_path / "m")) == 0
    assert "; 20 instances calibrate bounds" in capsys.readouterr().out
    assert main(["info", str(tmp_path / "m")]) == 0
    assert "bounds: calibrated with 20 other instances" in capsys.readouterr().out
    words = ["predict", str(tmp_path / "m"), str(folder / "features.csv"), "--columns", "median,familiar"]
    assert main([*words, "--bounds", "0.8"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col="instance")
    assert list(table) == ["median", "lower", "upper", "familiar"]
    model, features = load_model(tmp_path / "m"), pd.read_csv(folder / "features.csv", index_col="instance")
    np.testing.assert_allclose(table["lower"], model.bounds_.lower(model.predict_distribution(features), 0.8), 1e-5)
    assert main([*words, "--bounds", "0.99"]) == 0
    assert "too few calibration instances" in capsys.readouterr().err


def test_cutoffs_by_features_are_a_column_of_the_table(tmp_path, capsys):
    made = make_runs(n_instances=60, n_runs=1, n_features=3, random_state=0)
    table = made.features.assign(
        seconds=made.seconds[:, 0], limit=np.where(made.features["feature_001"] > -20, 9.0, 3.0)
    )
    late = table["seconds"] > table["limit"]
    table = table.assign(state=np.where(late, "timeout", "ok"), seconds=table["seconds"].clip(upper=table["limit"]))
    table.to_csv(tmp_path / "runs.csv", index=False)
    words = ["fit", str(tmp_path / "runs.csv"), "--time", "seconds", "--status", "state", "--cutoff-column", "limit"]
    words += ["--model", "ridge", "--bounds", "0.4", "--out", str(tmp_path / "m")]
    assert main(words) == 2
    assert "State how they were chosen" in capsys.readouterr().err
    assert not (tmp_path / "m").exists()
    assert main([*words, "--cutoffs", "features"]) == 0
    asked = ["predict", str(tmp_path / "m"), str(tmp_path / "runs.csv"), "--columns", "bounds", "--bounds", "0.5"]
    assert main(asked) == 2
    assert "--cutoff-column" in capsys.readouterr().err
    assert main([*asked, "--cutoff-column", "limit"]) == 0
    bounds = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col=0)
    assert (bounds["lower"].to_numpy() <= table["limit"].to_numpy()).all()
    finite = np.isfinite(bounds["upper"].to_numpy())
    assert 0 < finite.mean() < 1
    assert (bounds["upper"].to_numpy() < table["limit"].to_numpy())[finite].all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["predict", "{}/model", "{}/features.csv", "--bounds", "0.9"], "this model has no calibration set"),
        (["predict", "{}/model", "{}/features.csv", "--cutoff-column", "x"], "--cutoff-column goes with --bounds"),
    ],
)
def test_bounds_without_a_calibration_are_one_line_of_error(folder, capsys, words, message):
    assert main([word.format(folder) for word in words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
