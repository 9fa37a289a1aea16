import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from fake_results import fake_data, fake_results

from bayes_distnet.experiments.published import DATA_DIFFER, DATA_EQUAL, PAIRS, beside, caveat, published, scenario_of

NETWORKS = {"BayesDistNet": (("lognormal", "inverse-gaussian"), -0.5, 0.3, 0.3), "DistNet": (("lognormal",), 0.5, 1, 1)}


def archive():
    """Data with the provenance that `import_distnet` gives them."""
    return dataclasses.replace(fake_data(), provenance={"archive": "DistNet"})


def test_both_tables_are_complete():
    table = published()
    key = ["experiment", "scenario", "level", "model", "family", "score"]
    assert list(table.columns) == [*key, "mean", "deviation"]
    assert table.groupby("experiment").size().to_dict() == {"censoring": 160, "low-samples": 160}
    assert not table.duplicated(key).any()
    assert table.notna().all(axis=None)
    assert (table["deviation"] >= 0).all()
    assert sorted(table.query("experiment == 'low-samples'")["level"].unique()) == [1, 2, 4, 8, 16]
    assert sorted(table.query("experiment == 'censoring'")["level"].unique()) == [0, 0.2, 0.4, 0.6, 0.8]


def test_numbers_are_those_of_the_paper():
    table = published().set_index(["experiment", "scenario", "level", "model", "family", "score"])["mean"]
    assert table["low-samples", "clasp-factoring", 1, "DistNet", "lognormal", "nllh_published"] == 1.236
    assert table["censoring", "lpg-zenotravel", 0.8, "DistNet", "inverse-gaussian", "nllh_published"] == 2.663
    assert table["censoring", "lpg-zenotravel", 0.8, "DistNet", "lognormal", "mass"] == 0.497


def test_uncensored_cells_are_the_same_in_both_tables():
    table = published()
    key = ["scenario", "model", "family", "score"]
    few = table.query("experiment == 'low-samples' and level == 8").set_index(key)["mean"]
    cut = table.query("experiment == 'censoring' and level == 0").set_index(key)["mean"]
    assert few.sort_index().equals(cut.sort_index())


def test_a_caller_cannot_change_the_table():
    mine = published()
    mine["mean"] = 0.0
    assert published()["mean"].abs().sum() > 0


def test_pairs_are_those_of_the_registry():
    assert PAIRS == {
        "BayesDistNet": "DistNet",
        "BayesDistNet (parameters)": "DistNet",
        "BayesDistNet (runtimes)": "DistNet",
        "BayesDistNet (paper)": "DistNet (paper)",
    }


def test_orders_and_margins_beside_the_published_ones(tmp_path):
    found = beside(fake_results(tmp_path / "same", models=NETWORKS, experiments=["low-samples"]))
    assert set(found["bayes"]) == {"BayesDistNet"}
    assert set(found["distnet"]) == {"DistNet"}
    assert set(found["family"]) == {"lognormal"}  # DistNet was not run with the other
    assert (found["margin_here"] < 0).all()
    np.testing.assert_allclose(found["margin_here"], found["bayes_here"] - found["distnet_here"])
    # As published, DistNet is ahead in NLLH from 8 runs on.
    nllh = found[found["score"] == "nllh_published"].set_index("level")
    assert nllh["same_order"].to_dict() == {1: True, 2: True, 4: True, 8: False, 16: False}
    assert nllh.loc[1, "published_margin"] == pytest.approx(0.459 - 1.236)


def test_means_here_are_those_of_the_tidy_table(tmp_path):
    results = fake_results(tmp_path / "results")
    found = beside(results)
    assert set(found["bayes"]) == set(PAIRS) - {"BayesDistNet (parameters)"}  # not among the invented results
    row = found.query("experiment == 'censoring' and level == 0.4 and bayes == 'BayesDistNet'").iloc[0]
    table = results.of("censoring").query("censored == 0.4 and model == 'BayesDistNet'")
    values = table[(table["family"] == row["family"]) & (table["score"] == row["score"])]["value"]
    assert row["bayes_here"] == pytest.approx(values.mean())


def test_only_the_archive_itself_is_comparable(tmp_path):
    results = fake_results(tmp_path / "mine", models=NETWORKS)
    assert caveat(results) == DATA_DIFFER
    archive().save(tmp_path / "mine" / "data")
    assert caveat(dataclasses.replace(results)) == DATA_EQUAL


def test_the_archive_is_recognised_by_its_provenance_whatever_its_name(tmp_path):
    results = fake_results(tmp_path / "mine", models=NETWORKS, data="my-copy")
    assert scenario_of(results) is None
    assert beside(results).empty
    archive().save(tmp_path / "mine" / "data")
    assert scenario_of(dataclasses.replace(results)) == "clasp-factoring"


def test_models_are_compared_on_the_folds_both_have(tmp_path):
    results = fake_results(tmp_path / "mine", models=NETWORKS, experiments=["low-samples"], seeds=3, slow=["DistNet"])
    row = beside(results).query("level == 4 and score == 'nllh_published'").iloc[0]
    rows = results.table.query("runs == 4 and score == 'nllh_published' and family == 'lognormal' and seed == 0")
    means = rows.groupby("model")["value"].mean()
    assert [row["bayes_here"], row["distnet_here"]] == pytest.approx([means["BayesDistNet"], means["DistNet"]])


def test_only_conditions_of_the_paper_are_compared(tmp_path):
    results = fake_results(tmp_path / "mine", models=NETWORKS)
    # Runs cut off at several numbers of runs, as `--runs 4,8` and `--censored` of both experiments would leave them.
    few = results.table[results.table["cutoffs"] == "global"].assign(runs=4, value=99.0)
    about = json.loads(json.dumps(results.about))
    for plan in about["experiments"].values():
        plan |= {"runs": [1, 2, 4, 8, 16], "censored": [0.0, 0.2, 0.4, 0.6, 0.8]}
    more = dataclasses.replace(results, about=about, table=pd.concat([results.table, few], ignore_index=True))
    pd.testing.assert_frame_equal(beside(more), beside(results))
