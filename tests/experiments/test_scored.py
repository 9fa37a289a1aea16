import numpy as np
import pytest

from bayes_distnet import Marginal, Ridge
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.data.run_table import RunTable
from bayes_distnet.data.splits import cut_off, folds_by_instance
from bayes_distnet.experiments.forms import EXAMPLE_LEVELS
from bayes_distnet.experiments.pairs import behind
from bayes_distnet.experiments.results import Results
from bayes_distnet.experiments.statistics import summarise
from bayes_distnet.scoring.likelihood import nllh
from bayes_distnet.scoring.registry import SCORES, Score


def test_a_value_is_that_of_a_fit_by_hand(low_samples, data):
    train, test = list(folds_by_instance(40, 4, 1))[2]
    columns = np.random.default_rng(1).permutation(10)[:4]
    model = Ridge().fit(data.features.iloc[train], data.seconds[train][:, columns])
    expected = nllh(model.predict_distribution(data.features.iloc[test]), data.seconds[test]).mean()
    table = low_samples.table
    row = table.query("model == 'Ridge' and runs == 4 and fold == 2 and seed == 1 and score == 'nllh'")
    assert row["value"].item() == pytest.approx(expected, rel=1e-5)


def test_the_published_splits(data, run):
    results = run(
        "censoring",
        models=["marginal"],
        families=["lognormal"],
        preset="paper",
        censored=(0.8,),
        folds=4,
        seeds=2,
    )
    assert results.about["preset"] == "paper"
    from sklearn.model_selection import KFold

    train, test = next(KFold(4, shuffle=True, random_state=0).split(np.zeros(40)))
    columns = np.random.default_rng(1).permutation(10)[:8]
    seconds = data.seconds[train][:, columns]
    cut, finished = cut_off(seconds[:24], np.ones((24, 8), bool), 0.8)
    seconds, finished = np.concatenate([cut, seconds[24:]]), np.concatenate([finished, np.ones((6, 8), bool)])
    rtd = Marginal().fit(data.features.iloc[train], seconds, finished).predict_distribution(data.features.iloc[test])
    row = results.table.query("seed == 1 and score == 'nllh'")
    assert row["value"].item() == pytest.approx(nllh(rtd, data.seconds[test]).mean(), rel=1e-5)


def test_censoring_hurts_and_test_runs_stay_complete(run):
    results = run("censoring", models=["ridge", "limit-lognormal"], folds=4, only_folds=None, censored=(0.0, 0.8))
    nllh = results.table.query("score == 'nllh'").groupby(["model", "censored"])["value"].mean()
    assert nllh["Ridge", 0.8] > nllh["Ridge", 0.0] + 0.02
    assert nllh["limit: lognormal", 0.8] == pytest.approx(nllh["limit: lognormal", 0.0])


def test_examples_hold_the_predictions_of_unseen_instances(low_samples):
    examples = low_samples.examples.query("model == 'Ridge'")
    assert set(examples["runs"]) == {4}  # the condition nearest to eight runs
    assert sorted(examples["instance"]) == [f"i{k:02d}" for k in range(40)]
    quantiles = np.stack(examples["quantiles"].tolist())
    assert quantiles.shape == (40, len(EXAMPLE_LEVELS))
    assert (np.diff(quantiles, axis=1) > 0).all()
    assert set(examples["familiar"]) <= {"familiar", "unusual", "outside"}
    assert examples[["ignorance", "luck"]].isna().all(axis=None)  # Ridge does not separate them


def test_calibration_counts_every_test_run(low_samples):
    pit = np.stack(low_samples.calibration.query("model == 'Ridge' and runs == 4 and seed == 0")["pit"].tolist())
    assert pit.shape == (4, 20)
    assert pit.sum() == 400


def test_a_limit_costs_no_prediction(low_samples):
    spent = low_samples.table.groupby("role")["predict_seconds"].max()
    assert spent["limit"] == 0 < spent["model"]


def test_infinite_scores_are_kept(run, mine):
    model = mine(
        "import numpy as np\nfrom bayes_distnet import Marginal, RuntimeDistribution\n"
        "from bayes_distnet.distributions import LogNormal\n"
        "class Endless(Marginal):\n"
        "    def _predict(self, features):\n"
        "        at = np.zeros((len(features), 1))\n        return RuntimeDistribution(LogNormal(at, at + 60.0))\n",
        "Endless",
    )
    results = run(models=[model], runs=1)
    assert results.failures.empty
    assert list(results.failures.columns)[-1] == "error"
    crps = results.table.query("score == 'crps'")["value"]
    assert not crps.isna().any()
    assert (crps > 1e100).all()


def test_a_registered_score_is_computed_stored_and_compared(run, tmp_path):
    toy = Score("longest", "Longest [s]", "The longest run.", "predictions:longest", compared=True)
    with SCORES.extended(toy):
        results = run(models=["ridge", "marginal"], families=["lognormal"], runs=(1, 2))
        means = summarise(results.of("low-samples"), "runs").query("score == 'longest'")
        assert (means["mean"] > 0).all()
        assert means.groupby("model").size().to_dict() == {"Marginal": 2, "Ridge": 2}
        ahead = behind(results.of("low-samples"), "runs", model="Ridge")
        assert set(ahead.query("score == 'longest'")["ahead"]) == {"Marginal, lognormal"}  # a tie is not ahead
    assert "longest" in set(Results.load(tmp_path / "r").table["score"])


def test_the_tick_of_the_timer_is_that_of_all_runs(data, run):
    frame = data.runs.frame
    seconds = np.maximum((0.05 / frame["seconds"].median() * frame["seconds"]).round(2), 0.01)
    ticking = Dataset(RunTable.from_frame(frame.assign(seconds=seconds)), data.features)
    results = run("low-samples", data=ticking, models=["marginal"], families=["lognormal"], runs=(1,), folds=4)
    train, test = next(iter(folds_by_instance(40, 4, 0)))
    column = np.random.default_rng(0).permutation(10)[:1]
    model = Marginal().fit(ticking.features.iloc[train], ticking.seconds[train][:, column[0]])
    expected = nllh(model.predict_distribution(ticking.features.iloc[test]), ticking.seconds[test], tick=0.01).mean()
    row = results.table.query("fold == 0 and score == 'nllh'")
    assert row["value"].item() == pytest.approx(expected, rel=1e-5)
