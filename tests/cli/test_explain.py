import io
import json

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import load_model, make_runs
from bayes_distnet.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs and features of 40 instances as files, and a ridge model of 30 of them."""
    folder = tmp_path_factory.mktemp("explain")
    made = make_runs(n_instances=40, n_runs=3, n_features=5, random_state=0).cut_off(0.2)
    names = np.array([f"i{k}.cnf" for k in range(40)])
    runs = pd.DataFrame({"instance": np.repeat(names, 3), "seed": np.tile(range(3), 40)})
    status = np.where(made.finished.ravel(), "solved", "timeout")
    runs.assign(solver="sat", seconds=made.seconds.ravel(), status=status).to_csv(folder / "runs.csv", index=False)
    made.features.set_axis(names, axis=0).rename_axis("instance").to_csv(folder / "features.csv")
    data = [folder / "runs.csv", "--features", folder / "features.csv"]
    assert main(words("fit", *data, "--model", "ridge", "--holdout", "0.25", "--out", folder / "model")) == 0
    return folder


def words(*some):
    return list(map(str, some))


def explain(folder, *more):
    return words("explain", folder / "model", folder / "features.csv", *more)


def test_one_instance_is_explained_in_words(folder, capsys):
    assert main(explain(folder, "--instance", "i7.cnf", "--top", 2)) == 0
    first, second, head, *rows = capsys.readouterr().out.splitlines()
    assert first.startswith("i7.cnf: median ")
    assert first.endswith(" of 30 background instances")
    assert second.startswith("like the training data; runs vary by a factor of ")
    assert head.split() == ["value", "median", "spread"]
    assert len(rows) == 3
    assert rows[-1].startswith("3 others")


def test_json_has_contributions_that_add_up(folder, capsys):
    assert main(explain(folder, "--instance", "i7.cnf", "--instance", "i9.cnf", "--json", "--groups", "each")) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["instance"] for line in lines] == ["i7.cnf", "i9.cnf"]
    for line in lines:
        total = sum(one["median"] for one in line["contributions"])
        assert np.log(line["predicted"]["median"] / line["background"]["median"]) == pytest.approx(total, abs=1e-9)
        assert line["trust"]["verdict"] == "familiar"
        assert len(line["contributions"]) == 5
    table = pd.read_csv(folder / "features.csv", index_col=0)
    known = load_model(folder / "model").explain(table.loc[["i7.cnf"]], groups="each")
    assert lines[0]["contributions"][0]["median"] == pytest.approx(known.table(0)["median"].iloc[0])


def test_without_names_the_first_rows_are_explained(folder, capsys):
    assert main(explain(folder, "--json", "--orders", 2)) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 10
    assert said.err == "note: the first 10 instances; choose others with --instance\n"


def test_all_contributions_are_written_to_a_table(folder, tmp_path, capsys):
    assert main(explain(folder, "--orders", 2, "--groups", "each", "--out", tmp_path / "c.csv")) == 0
    table = pd.read_csv(tmp_path / "c.csv")
    assert len(table) == 40 * 5 * 2
    assert list(table) == ["instance", "features", "value", "quantity", "contribution", "error", "factor"]


def test_rows_come_from_a_pipe_and_the_background_from_a_file(folder, capsys, monkeypatch):
    lines = (folder / "features.csv").read_text().splitlines()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines[:2]).encode())))
    (folder / "other.csv").write_text("\n".join([lines[0], lines[5]]))
    assert main(words("explain", folder / "model", "-", "--background", folder / "other.csv")) == 0
    assert " of 1 background instance\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--instance", "x.cnf"], "no instance 'x.cnf' in "),
        (["--plot", "p.png"], "--plot draws one instance; choose it with --instance."),
        (["--quantities", "mean"], "no quantity named 'mean'"),
        (["--quantities", "luck"], "cannot separate ignorance from luck"),
        (["--groups", "computed"], "use 'correlated' or 'each'"),
        (["--orders", "0"], "n_orders"),
    ],
)
def test_mistakes_are_one_line(folder, more, message, capsys):
    assert main(explain(folder, *more)) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_importance_of_the_instances_held_out(folder, tmp_path, capsys):
    data = words("importance", folder / "model", folder / "runs.csv", "--features", folder / "features.csv")
    assert main([*data, "--holdout", "0.25", "--groups", "each", "--top", "2"]) == 0
    said = capsys.readouterr()
    first, head, *rows = said.out.splitlines()
    assert first.startswith("Ridge on 10 instances, 30 runs of sat (")
    assert head.split() == ["increase", "count"]
    assert rows[-1].startswith("3 others: at most ")
    assert said.err == ""
    assert main([*data, "--json"]) == 0
    said = capsys.readouterr()
    assert "warning: the model was trained on 30 of these 40 instances" in said.err
    found = json.loads(said.out)
    assert sum(len(group["features"]) for group in found["groups"]) == 5
    assert found["seen"] == 30
    assert main([*data, "--holdout", "0.25", "--out", str(tmp_path / "i.csv")]) == 0
    assert list(pd.read_csv(tmp_path / "i.csv")) == ["features", "increase", "error", "count"]


def test_pictures_are_written(folder, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(explain(folder, "--instance", "i7.cnf", "--plot", tmp_path / "why.svg", "--json")) == 0
    data = [folder / "runs.csv", "--features", folder / "features.csv", "--holdout", "0.25"]
    assert main(words("importance", folder / "model", *data, "--plot", tmp_path / "i.png")) == 0
    assert (tmp_path / "why.svg").read_text().lstrip().startswith("<?xml")
    assert (tmp_path / "i.png").read_bytes().startswith(b"\x89PNG")


def test_predict_has_columns_of_trust(folder, capsys):
    features = words("predict", folder / "model", folder / "features.csv")
    assert main([*features, "--columns", "median,spread,trust"]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), index_col=0)
    assert list(table) == ["median", "spread", "unsure", "ignorance", "luck", "familiar", "out_of_range"]
    assert (table["spread"] > 1.0).all()
    assert table[["ignorance", "luck"]].isna().all(axis=None)  # ridge does not separate them
