"""Journey 3: an ASlib scenario, imported, learnt, and used to choose solvers."""

import json

import numpy as np
import pytest

CHOOSE = """
import json
from bayes_distnet import KNearest, decide, import_aslib
from bayes_distnet.data.splits import folds_by_label

data = import_aslib("TWO")
train, test = next(iter(folds_by_label(data.folds[1])))
model = decide.PortfolioModel(KNearest()).fit(data.take(train))
choice = model.choose(data.features.iloc[test], objective="par10", cutoff=100)
names = list(data.features.index[test])
print(json.dumps({"solver": dict(zip(names, map(str, choice.solver))), "why": choice.why[0], "sbs": model.sbs_}))
"""


def write_scenario(folder):
    """Write two solvers, of which `left` is quick where x < 0 and `right` where x > 0; the slow one often times out."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=120)
    folder.mkdir()
    ids = "@RELATION r\n@ATTRIBUTE instance_id STRING\n@ATTRIBUTE repetition NUMERIC\n"
    runs = ids + "@ATTRIBUTE algorithm STRING\n@ATTRIBUTE runtime NUMERIC\n"
    runs += "@ATTRIBUTE runstatus {ok, timeout, memout, not_applicable, crash, other}\n@DATA\n"
    for i, value in enumerate(x):
        for solver, sign in (("left", 1), ("right", -1)):
            seconds = np.exp(2 + 2 * sign * value + 0.3 * rng.normal())
            runs += f"i{i},1,{solver},{min(seconds, 100):.3f},{'ok' if seconds < 100 else 'timeout'}\n"
    values = "".join(f"i{i},1,{value:.4f},{rng.normal():.4f}\n" for i, value in enumerate(x))
    folds = "".join(f"i{i},1,{i % 4 + 1}\n" for i in range(len(x)))
    (folder / "algorithm_runs.arff").write_text(runs)
    (folder / "feature_values.arff").write_text(f"{ids}@ATTRIBUTE x NUMERIC\n@ATTRIBUTE noise NUMERIC\n@DATA\n{values}")
    (folder / "cv.arff").write_text(f"{ids}@ATTRIBUTE fold NUMERIC\n@DATA\n{folds}")
    (folder / "description.txt").write_text(
        "scenario_id: TWO\nperformance_measures: [runtime]\nperformance_type: [runtime]\nalgorithm_cutoff_time: 100\n"
        "algorithm_cutoff_memory: '?'\nmetainfo_algorithms:\n  left: {deterministic: true}\n"
        "  right: {deterministic: true}\ndefault_steps: [base]\nfeature_steps:\n  base:\n    provides: [x, noise]\n"
    )
    return {f"i{i}": value for i, value in enumerate(x)}


@pytest.mark.slow
def test_the_right_solver_is_chosen_on_unseen_instances(traveller):
    x = write_scenario(traveller.folder / "TWO")
    imported = traveller.shell("bayes-distnet import aslib TWO --out two")
    assert "left" in imported
    assert "120" in imported
    answer = json.loads(traveller.script(CHOOSE).splitlines()[-1])
    traveller.arrived("algorithm selection")
    chosen = answer["solver"]
    assert len(chosen) == 30
    clear = {name: solver for name, solver in chosen.items() if abs(x[name]) > 0.3}
    assert np.mean([solver == ("left" if x[name] < 0 else "right") for name, solver in clear.items()]) > 0.9
    assert answer["sbs"] in ("left", "right")
    assert "%" in answer["why"] or "s" in answer["why"]

    replay = "bayes-distnet experiment selection --data two --models sunny --only-folds 1 --out results"
    lines = traveller.shell(f"{replay} --json --no-report --quiet 2>/dev/null").splitlines()
    policies = {row["policy"]: row for row in map(json.loads, lines)}
    assert policies["oracle"]["par10"] <= policies["SUNNY"]["par10"] < policies["single best solver"]["par10"]
