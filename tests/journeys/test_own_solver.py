"""Journey 2: a solver of one's own, from its first run to advice."""

import json

import numpy as np
import pandas as pd
import pytest

# Its runtime is known: 1 ms per variable in the median, times luck. It answers SATISFIABLE always.
SOLVER = """
import os, random, sys, time
seed, path = sys.argv[1:]
name = os.path.basename(path)  # the same luck in every folder
variables = next(int(line.split()[2]) for line in open(path) if line.startswith("p cnf"))
seconds = 0.001 * variables * random.Random(f"{seed} {name}").lognormvariate(0, 0.4)
while time.process_time() < seconds:
    pass
print("s SATISFIABLE")
sys.exit(10)
"""


@pytest.mark.slow
def test_runs_are_collected_learnt_and_acted_on(traveller):
    (traveller.folder / "mine.py").write_text(SOLVER)
    (traveller.folder / "instances").mkdir()
    for i in range(24):
        variables = 40 + 15 * i
        clauses = "".join(f"{v} -{v + 1} 0\n" for v in range(1, variables))
        text = f"p cnf {variables} {variables - 1}\n{clauses}"
        (traveller.folder / "instances" / f"chain-{i:02}.cnf").write_text(text)
    mine = f"python {traveller.folder}/mine.py {{seed}} {{instance}}"
    collect = "bayes-distnet collect instances --seeds 4 --cutoff 0.3 --store runs.sqlite --quiet"
    collected = traveller.shell(f"{collect} --command '{mine}' --name mine")
    assert "96" in collected  # 24 instances x 4 seeds
    traveller.shell("bayes-distnet features instances --out features.csv --costs costs.csv --quiet")
    data = "runs.sqlite --features features.csv"
    fitted = traveller.shell(f"bayes-distnet fit {data} --model ridge --holdout 0.25 --out model")
    assert "18 instances" in fitted
    scores = json.loads(traveller.shell(f"bayes-distnet evaluate model {data} --holdout 0.25 --json").splitlines()[-1])
    traveller.arrived("own solver")
    assert 0.6 < scores["scores"]["coverage"] <= 1.0

    traveller.shell("bayes-distnet predict model features.csv --out predictions.csv")
    table = pd.read_csv(traveller.folder / "predictions.csv").set_index("instance")
    truth = np.array(expected(table.index))
    ratios = (table["median"] / truth)[truth < 0.25]  # medians below the cutoff of 0.3 s
    assert len(ratios) > 10
    assert np.median(np.abs(np.log(ratios))) < 0.3  # four runs of an instance determine its median to 0.2
    assert np.corrcoef(np.log(table["median"]), np.log(truth))[0, 1] > 0.9
    run = f"bayes-distnet run instances/chain-03.cnf --model model --solver 'mine={mine}' --deadline 120"
    assert "s SATISFIABLE" in traveller.shell(run, expect=(10,))
    advice = traveller.shell("bayes-distnet advise instances/chain-20.cnf --model model --elapsed 0.05")
    assert "chain-20.cnf" in advice
    assert "Continue" in advice or "Restart" in advice


def expected(names):
    """Return the true medians, in seconds."""
    return [0.001 * (40 + 15 * int(name[6:8])) + 0.02 for name in names]  # starting Python takes about 20 ms
