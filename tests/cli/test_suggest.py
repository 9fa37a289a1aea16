"""The command suggest, and collect with its plan."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from bayes_distnet import Dataset, RunTable, make_runs, train
from bayes_distnet.cli import main


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Runs of ten of twenty instances, features of all, and a forest of the ten."""
    home = tmp_path_factory.mktemp("suggest")
    data = make_runs(n_instances=20, n_runs=1, random_state=0)
    names = [f"i{row}.txt" for row in range(20)]
    features = data.features.set_axis(names, axis=0).rename_axis("instance")
    features.to_csv(home / "features.csv")
    runs = pd.DataFrame(
        {"solver": "quick", "instance": names[:10], "seed": 1, "seconds": data.seconds[:10, 0], "status": "solved"}
    )
    runs.to_csv(home / "runs.csv", index=False)
    train(Dataset(RunTable.from_frame(runs, cutoff=1e4), features), "forest", out=home / "model")
    for name in names:
        (home / name).write_text(name)
    return home


def suggest(made, *words):
    return main(["suggest", str(made / "model"), str(made / "features.csv"), *map(str, words)])


def test_a_plan_is_printed_written_and_collected(made, tmp_path, capsys):
    plan, store = tmp_path / "plan.csv", tmp_path / "r.sqlite"
    assert suggest(made, "--budget", 40, "--cutoff", 50, "--out", plan) == 0
    printed = capsys.readouterr().out
    assert f"plan in {plan}" in printed
    assert "in expectation, lower the log score of a run by" in printed
    table = pd.read_csv(plan)
    assert not set(table["instance"]) & {f"i{row}.txt" for row in range(10)}  # the record has them
    if sys.platform != "linux":
        return
    words = ["--command", "sh -c 'echo answer' sh {seed} {instance}", "--answer", "^answer", "--name", "quick"]
    files = [str(made / f"i{row}.txt") for row in range(20)]
    for _ in range(2):  # again: nothing is left to do
        assert main(["collect", *files, *words, "--plan", str(plan), "--store", str(store), "--json", "--quiet"]) == 0
        assert json.loads(capsys.readouterr().out)["runs"] == len(table)


def test_json_has_everything(made, capsys):
    assert suggest(made, "--budget", 40, "--targets", made / "features.csv", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["seconds"] <= answer["budget"] == 40
    assert set(answer["runs"][0]) == {"instance", "seeds", "cutoff", "seconds", "gain"}
    assert np.isclose(sum(run["gain"] for run in answer["runs"]), answer["gain"])


def test_runs_are_counted_per_instance(made, capsys):
    assert suggest(made, "--budget", 1000, "--runs", made / "runs.csv", "--seeds", 2, "--json") == 0
    seeds = {run["instance"]: run["seeds"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert {seeds[f"i{row}.txt"] for row in range(10) if f"i{row}.txt" in seeds} == {1}
    assert max(seeds.values()) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--budget", "0.00001"], "bayes-distnet suggest: budget=1e-05: too small; the cheapest run"),
        (["--budget", "-1"], "bayes-distnet suggest: budget=-1.0"),
        (["--budget", "5", "--out", "plan.txt"], "plan.txt"),
    ],
)
def test_errors_are_one_line(made, capsys, words, message):
    assert suggest(made, *words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seeds", "3"], "--cutoff: missing; give both, or a --plan"),
        (["--plan", "p.csv", "--cutoff", "3"], "--cutoff beside --plan: the plan has seeds and cutoffs"),
    ],
)
def test_collect_takes_a_grid_or_a_plan(made, tmp_path, capsys, words, message):
    (tmp_path / "p.csv").write_text("instance,seeds,cutoff\n")
    words = [str(tmp_path / word) if word == "p.csv" else word for word in words]
    store = str(tmp_path / "r.sqlite")
    assert main(["collect", str(made / "i0.txt"), "--solver", "clasp", "--store", store, *words]) == 2
    assert message in capsys.readouterr().err
