import pandas as pd
import pytest

from bayes_distnet import Results
from bayes_distnet.errors import ResultsError, SettingError

NEAREST = "from bayes_distnet import KNearest\nmodel = KNearest({})\n"


def test_results_of_other_data_or_settings_are_refused(data, run, tmp_path):
    call = {"models": ["marginal"], "folds": 4, "runs": (1,)}
    run(**call)
    with pytest.raises(ResultsError, match="holds results of folds=4"):
        run(**call | {"folds": 5})
    with pytest.raises(ResultsError, match="other runs, features or folds"):
        run(data=data.select(data.features.index[:30]), **call)
    with pytest.raises(ResultsError, match="data='made'"):
        run(name="other", **call)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    with pytest.raises(ResultsError, match="not empty"):
        run(folder=tmp_path / "full", **call)


def test_files_that_a_crash_at_the_start_left_do_not_count(data, run, tmp_path):
    data.select(data.features.index[:20]).save(tmp_path / "r" / "data")
    (tmp_path / "r" / ".writing-x").mkdir()
    results = run(models=["marginal"], runs=1)
    assert len(results.data) == 40
    assert len(results.table)
    assert not (tmp_path / "r" / ".writing-x").exists()


def test_another_model_of_the_same_name_is_refused(run, mine):
    run(models=[mine(NEAREST.format(3))], runs=1)
    with pytest.raises(ResultsError, match="another model called 'model'"):
        run(models=[mine(NEAREST.format(5))], runs=1)


def test_results_of_two_settings_never_share_a_name(run, mine, tmp_path):
    run(models=[mine(NEAREST.format(3))], runs=[1, 2])
    model = mine(NEAREST.format(5))
    with pytest.raises(ResultsError, match=r"1 other jobs of 'model' with other settings .*3.* would stay"):
        run(models=[model], runs=[1], redo=True)
    assert len(Results.load(tmp_path / "r").done()) == 2  # nothing is lost
    again = run(models=[model], runs=[1, 2], redo=True)
    assert "5" in again.about["models"]["model"]["settings"]


def test_a_model_that_cannot_be_made_costs_nothing(run, mine, tmp_path):
    run(models=[mine(NEAREST.format(3))], runs=1)
    model = mine(
        "from bayes_distnet.models.registry import ModelEntry\n"
        "model = ModelEntry('model', 'model', make=lambda family: None)\n"
    )
    with pytest.raises(SettingError, match=r"mine\.py:model': cannot be made: TypeError"):
        run(models=[model], runs=1, redo=True)
    assert len(Results.load(tmp_path / "r").done()) == 1
    with pytest.raises(SettingError, match="cannot be made"):
        run(models=[model], folder=tmp_path / "new", runs=1)
    assert not (tmp_path / "new").exists()


def test_a_model_with_a_function_among_its_settings_is_recognised(run, mine):
    model = mine(
        "from bayes_distnet import Marginal\n\ndef gauss(x):\n    return x\n\n"
        "class Mine(Marginal):\n    def __init__(self, kernel=None):\n        super().__init__()\n"
        "        self.kernel = kernel\n\nmodel = Mine(gauss)\n"
    )
    run(models=[model], runs=1)
    assert len(run(models=[model], runs=[1, 2]).done()) == 2


def test_a_model_whose_code_has_changed_is_done_again_on_demand(run, mine):
    code = "from bayes_distnet import Marginal\n\nclass Mine(Marginal):\n    def _predict(self, x):\n"
    once = "        return super()._predict(x)\n"
    first = run(models=[mine(code + once, "Mine"), "ridge"], runs=[1, 2])
    model = mine(code + once.replace("(x)", "(x).minimum_of(50, independent=True)"), "Mine")
    with pytest.warns(UserWarning, match=r"mine\.py:Mine has changed .*: they stay") as caught:
        same = run(models=[model], runs=[1])
    assert caught[0].filename.endswith("conftest.py")  # the line that called run_experiment
    pd.testing.assert_frame_equal(same.table, first.table)
    again = run(models=[model], runs=[1], redo=True)

    def nllh(results, model, runs):
        table = results.table.set_index(["model", "runs", "score"])["value"]
        return table.loc[[(model, runs, "nllh")]].item()

    assert nllh(again, "Mine", 1) > nllh(first, "Mine", 1) + 1
    assert nllh(again, "Mine", 2) == nllh(first, "Mine", 2)
    assert nllh(again, "Ridge", 1) == nllh(first, "Ridge", 1)
    assert len(again.calibration) == len(first.calibration) == 4
    assert again.done() == first.done()
    run(models=[model], runs=[1])  # there is no warning any more


def test_roles_are_stored_and_a_limit_of_a_user_is_a_limit(run, mine):
    limit = mine(
        "from bayes_distnet.models.limits import empirical\nfrom bayes_distnet.models.registry import ModelEntry\n"
        "model = ModelEntry('best', 'as good as it gets', limit=empirical)\n"
    )
    results = run(models=[limit, "ridge"], runs=1)
    assert {name: model["role"] for name, model in results.about["models"].items()} == {
        "as good as it gets": "limit",
        "Ridge": "model",
    }
    assert results.table.groupby("model")["role"].first().to_dict() == {"as good as it gets": "limit", "Ridge": "model"}
