import pandas as pd


def test_uncertainty_follows_one_instance_of_every_fold(run):
    results = run("uncertainty", models=["ridge", "forest"], only_folds=None)
    shifts = results.shifts
    assert (
        shifts.groupby(["model", "fold"])["shift"].agg(["min", "max", "size"]).to_numpy().tolist() == [[-8, 8, 33]] * 4
    )
    assert (shifts["low"] < shifts["median"]).all()
    assert shifts.groupby("fold")["instance"].nunique().eq(1).all()
    assert results.table.empty


def test_shifts_are_done_again_without_the_scores(run):
    run(models=["ridge"], runs=8)
    before = run("uncertainty", models=["ridge"])
    again = run("uncertainty", models=["ridge"], redo=True)
    pd.testing.assert_frame_equal(again.shifts, before.shifts)
    pd.testing.assert_frame_equal(again.table, before.table)
    assert [s["jobs"] for s in again.about["sessions"]] == [s["jobs"] for s in before.about["sessions"]] + [1]
