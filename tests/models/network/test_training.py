from dataclasses import replace

import numpy as np

from bayes_distnet import BayesDistNet, DistNet, make_runs
from bayes_distnet.models.network import fitting
from bayes_distnet.models.network import training as tr


def test_a_second_fit_of_the_same_shape_compiles_nothing():
    data = make_runs(n_instances=50, n_runs=3, n_features=12, random_state=0).cut_off(0.1)
    BayesDistNet(max_iter=50, n_members=2, random_state=0).fit(data.features, data.seconds, finished=data.finished)
    programs = tr._run_chunk._cache_size(), tr._held_out_loss._cache_size()
    other = make_runs(n_instances=55, n_runs=3, n_features=13, random_state=1).cut_off(0.3)
    BayesDistNet(max_iter=100, n_members=2, learning_rate=0.01, kl_weights=(0.3, 0.1, 0.03, 0.01), random_state=3).fit(
        other.features, other.seconds, finished=other.finished
    )
    assert (tr._run_chunk._cache_size(), tr._held_out_loss._cache_size()) == programs


def test_finished_runs_are_learnt_from_alike_with_and_without_the_survival_function(monkeypatch):
    data = make_runs(n_instances=40, n_runs=3, n_features=5, random_state=0)
    model = BayesDistNet(max_iter=100, n_members=2)
    alone = model.fit(data.features, data.seconds).ensemble_.weights
    monkeypatch.setattr(
        fitting, "replace", lambda new, **changes: new if "censored" in changes else replace(new, **changes)
    )
    np.testing.assert_allclose(model.fit(data.features, data.seconds).ensemble_.weights, alone, atol=1e-3)


def test_learning_lowers_the_loss_and_does_not_overfit():
    data = make_runs(n_instances=200, n_runs=4, n_features=5, random_state=0)
    history = BayesDistNet(max_iter=300, n_members=2, kl_weights=(0.5,)).fit(data.features, data.seconds).history_
    first, last = history.iloc[0], history.iloc[-1]
    assert last["training_loss"] < first["training_loss"] - 0.05
    assert last["held_out_loss"] < first["held_out_loss"] + 0.1  # overfitting networks lose whole units here


def test_early_stopping_keeps_the_best_network():
    data = make_runs(n_instances=60, n_runs=2, n_features=40, random_state=0)
    patient = DistNet(max_iter=2000, n_iter_no_change=3, learning_rate=0.05).fit(data.features, data.seconds)
    losses = patient.history_["held_out_loss"].to_numpy()
    assert len(losses) < 40
    assert len(losses) == np.argmin(losses) + 1 + 3
