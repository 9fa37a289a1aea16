import dataclasses

import numpy as np
import pandas as pd
from fake_results import fake_results
from report_files import cells_of

from bayes_distnet.report.book import Book
from bayes_distnet.report.sections import predictions
from bayes_distnet.report.sections.predictions import calibration, examples, uncertainty


def test_the_calibration_figure_is_of_the_same_jobs_for_all(tmp_path, monkeypatch, few_models):
    results = fake_results(
        tmp_path / "r", models=few_models, folds=2, seeds=3, slow=["DistNet"], experiments=["low-samples"]
    )
    drawn = []
    chart = predictions.calibration_chart
    monkeypatch.setattr(
        predictions, "calibration_chart", lambda rows, *more: (drawn.append(rows), chart(rows, *more))[1]
    )
    list(calibration(Book(results)))
    assert drawn
    for rows in drawn:
        assert set(zip(rows["fold"], rows["seed"], strict=True)) == {(0, 0), (1, 0)}
        assert rows.groupby("model").size().to_dict() == dict.fromkeys(few_models, 2)


def test_shifts_without_numbers_are_dashes_in_the_table(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=2, seeds=1, experiments=["uncertainty"])
    lost = results.shifts.copy()
    lost.loc[lost["model"] == "DistNet", ["low", "high"]] = np.nan
    lost = pd.concat([lost, lost[lost["fold"] == 0].assign(runs=2, high=1e9)])
    (section,) = uncertainty(Book(dataclasses.replace(results, shifts=lost)), "uncertainty")
    assert "8 runs per instance to learn from" in section.blocks[0].caption
    table = cells_of(results, "uncertainty")
    assert set(table["DistNet, lognormal"].values()) == {"–"}
    assert table["HybridDistNet"]["0"] == f"{np.exp(2 * 0.67 * 0.5):.3g}"


def test_examples_of_models_that_are_not_main_show_the_best_few(tmp_path):
    models = {f"peer {i}": (("",), 0.1 * i, 0.1, 0.1) for i in range(6)} | {"limit: empirical": (("",), -1.0, 0.0, 0.0)}
    results = fake_results(tmp_path / "r", models=models, folds=1, seeds=1, experiments=["low-samples"])
    (section,) = examples(Book(results))
    heading, panels, _ = section.blocks
    assert heading.text == "8 runs per instance to learn from"
    assert (panels.shown, panels.choice) == (3, "Instance")
    assert len({chart.name for chart in panels.charts}) == 8  # all instances of the fold
    runs, *names = [key.name for key in panels.legend]
    assert runs == "test runs"
    assert len(names) == 4
    assert "limit: empirical" not in names


def test_examples_come_with_a_table_of_trust(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=1, seeds=1, experiments=["low-samples"])
    list(examples(Book(results)))
    table = cells_of(results, "examples-1")
    names = results.data.features.index
    assert set(table) == set(map(str, names[:8]))
    odd = table[str(names[3])]
    assert (odd["Compared with training"], odd["Ignorance"], odd["Luck"]) == ("unusual", "× 1.5", "× 2.5")
    assert float(odd["of the runs [s]"]) == float(f"{np.median(results.data.seconds[3]):.3g}")


def test_examples_of_an_earlier_release_have_no_table_of_trust(tmp_path, few_models):
    results = fake_results(tmp_path / "r", models=few_models, folds=1, seeds=1, experiments=["low-samples"])
    without = results.examples.assign(familiar="", ignorance=np.nan, luck=np.nan)
    (section,) = examples(Book(dataclasses.replace(results, examples=without)))
    assert len(section.blocks) == 2
