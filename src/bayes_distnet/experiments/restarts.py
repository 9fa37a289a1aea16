"""Jobs of restarts: cutoffs from a model's predictions, replayed on the recorded runs of unseen instances.

Every policy is scored on both halves of an instance's runs, since the oracle chooses its cutoff on one half and is
scored on the other. `seconds` is the geometric mean of the two expected total times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from bayes_distnet.arrays import FloatArray
from bayes_distnet.data.dataset import Dataset
from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.restarts.best_cutoff import expected_time
from bayes_distnet.decide.restarts.learning import check_rule, learn_rule
from bayes_distnet.decide.restarts.policies.base import RestartPolicy
from bayes_distnet.decide.restarts.policies.cautious import Cautious, learn_threshold, unsureness
from bayes_distnet.decide.restarts.policies.learner import OnlineLearner
from bayes_distnet.decide.restarts.policies.luby import Luby
from bayes_distnet.decide.restarts.policies.predicted import Predicted
from bayes_distnet.decide.restarts.policies.registry import POLICIES
from bayes_distnet.decide.restarts.policies.tuning import best_luby
from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time, policy_time, simulate
from bayes_distnet.decide.restarts.rule import RestartLaws, RestartRule
from bayes_distnet.distributions.predicted_runtimes import PredictedRuntimes
from bayes_distnet.experiments.decision_records import Curve, Outcome, record_of
from bayes_distnet.experiments.decisions import by_instance, decided, geometric_with_error, mean_with_error, roles_of
from bayes_distnet.experiments.jobs import Job, Split, build_model, instance_names, split_data
from bayes_distnet.experiments.results import Record, Results
from bayes_distnet.models.base import fit_runs
from bayes_distnet.models.registry import ModelEntry, Role, find_model

#: Names of the policies that others are compared with.
NONE, ORACLE = POLICIES["none"].label, "oracle"

ORDERS = 8  # random orders of the test instances in which learners see them
SHOWN = (0.1, 0.5, 0.9)  # of the test instances, from fast to slow, those whose curves are stored
POINTS = 80  # cutoffs of a curve

Halves = tuple[RecordedRuns, RecordedRuns]


def replay_restarts(job: Job, data: Dataset) -> Record:
    """Fit a model, and replay the policies that decide from its predictions.

    Parameters
    ----------
    job : Job
        Job to do.
    data : Dataset
        All instances.

    Returns
    -------
    dict
        Expected total time and first cutoff per policy and test instance, and curves if asked for.
    """
    entry, split = find_model(job.text), split_data(job, data)
    halves = [
        RecordedRuns.of(seconds, finished).halves(int(row))
        for row, seconds, finished in zip(split.test_rows, split.test.seconds, split.test.finished, strict=True)
    ]
    known = zip(split.train.seconds, split.train.finished, strict=True)
    training = [RecordedRuns.of(*run).smoothed() for run in known]
    luby = best_luby(training)
    rtd, unseen = _predict(entry, job, split)
    outcomes = list(_model_outcomes(job.model, rtd, halves))
    if unseen is not None:
        outcomes += _learnt_outcomes(job, rtd, unseen, training, halves, luby)
    if job.alone:
        outcomes += _peer_outcomes(training, halves, luby, job.seed)
    curves = _curves(rtd, job, data, split) if job.examples and job.fold == 0 else []
    return record_of(outcomes, instance_names(data, split.test_rows), curves)


def _predict(entry: ModelEntry, job: Job, split: Split) -> tuple[PredictedRuntimes, PredictedRuntimes | None]:
    """Predict the test instances, and with a model that has draws the training instances as if unseen."""
    train, model = split.train, build_model(entry, job)
    if not entry.draws:
        return fit_runs(model, train.features, train.seconds, train.finished).predict_distribution(
            split.test.features
        ), None
    groups = np.arange(len(train.features)) if train.seconds.shape[1] == 1 else None
    seconds, finished = (part[:, 0] if groups is not None else part for part in (train.seconds, train.finished))
    unseen = model.fit_unseen(train.features, seconds, finished, groups)
    return model.predict_distribution(split.test.features), unseen


# -- policies that decide from predictions ---------------------------------------------------------------------------


def _model_outcomes(model: str, rtd: PredictedRuntimes, halves: Sequence[Halves]) -> Iterator[Outcome]:
    """Replay the policies that need nothing but the predictions."""
    role = Role.MODEL if rtd.splits else Role.PEER  # without draws, ignorance is taken for luck
    laws = _laws(rtd)
    for entry in [entry for entry in POLICIES.values() if entry.predicts]:
        yield _outcome(f"{model}, {entry.label}", role, [entry.make(law, RestartRule()) for law in laws], halves)
    if rtd.splits:
        mixed = [POLICIES["one-cutoff"].make(law, RestartRule()) for law in _laws(rtd, mixed=True)]
        yield _outcome(f"{model}, ratio of averages", Role.PEER, mixed, halves)


def _learnt_outcomes(
    job: Job,
    rtd: PredictedRuntimes,
    unseen: PredictedRuntimes,
    training: Sequence[RecordedRuns],
    halves: Sequence[Halves],
    luby: RestartPolicy,
) -> Iterator[Outcome]:
    """Replay the policies that have learnt on the training instances how far to trust predictions."""
    laws, checked = _laws(rtd), check_rule(unseen, training)
    kept = [POLICIES["one-cutoff"].make(law, checked) for law in laws]
    yield _outcome(f"{job.model}, checked cutoff", Role.MODEL, kept, halves)
    rule = learn_rule(unseen, training)
    policies = [Predicted(law, rule) for law in laws]
    yield _outcome(f"{job.model}, learnt rule", Role.MODEL, policies, halves)
    known = _laws(unseen)
    trusted = [policy_time(one, Predicted(law, rule)) for one, law in zip(training, known, strict=True)]
    universal = [policy_time(one, luby) for one in training]
    unsure = np.array([unsureness(law, rule)[0] for law in known])
    threshold = learn_threshold(unsure, np.array(trusted), np.array(universal))
    cautious = [
        Cautious(policy, luby, unsure=float(unsureness(law, rule)[0]), threshold=threshold)
        for policy, law in zip(policies, laws, strict=True)
    ]
    yield _outcome(f"{job.model}, Luby if unsure", Role.MODEL, cautious, halves)
    yield _learner_outcome(f"{job.model}, bandit", Role.MODEL, policies, halves, luby, job.seed)


def _laws(rtd: PredictedRuntimes, *, mixed: bool = False) -> list[RestartLaws]:
    """Return the distributions that each instance may have; mixed: their average as if it were the only one."""
    rows = [LawTable.of(rtd[row]) for row in range(len(rtd))]
    if mixed:
        rows = [LawTable(row.times, rtd[i].log_sf(row.times)[:, None]) for i, row in enumerate(rows)]
    return [RestartLaws(row) for row in rows]


# -- policies without predictions, and the oracle --------------------------------------------------------------------


def _peer_outcomes(
    training: Sequence[RecordedRuns], halves: Sequence[Halves], luby: RestartPolicy, seed: int
) -> Iterator[Outcome]:
    for entry in [entry for entry in POLICIES.values() if not entry.predicts]:
        policy = luby if entry.key == "luby" else entry.make(training, 0.0)
        yield _outcome(entry.label, Role.PEER, [policy] * len(halves), halves)
    yield _learner_outcome("bandit", Role.PEER, [None] * len(halves), halves, luby, seed)
    chosen = [(_best_on(first), _best_on(second)) for first, second in halves]
    times = [
        _geometric(fixed_time(second, one)[0], fixed_time(first, other)[0])
        for (first, second), (one, other) in zip(halves, chosen, strict=True)
    ]
    cutoffs = [_geometric(one[0], other[0]) for one, other in chosen]
    yield Outcome(ORACLE, Role.LIMIT, {"seconds": np.array(times), "cutoff": np.array(cutoffs)})


def _best_on(runs: RecordedRuns) -> FloatArray:
    """(1,) fixed cutoff that is best on these runs."""
    cutoffs = np.append(runs.seconds[runs.finished], np.inf)
    return cutoffs[[np.argmin(fixed_time(runs, cutoffs))]]


def _geometric(one: float, other: float) -> float:
    return float(np.sqrt(one) * np.sqrt(other))


def _outcome(name: str, role: Role, policies: Sequence[RestartPolicy], halves: Sequence[Halves]) -> Outcome:
    times = [_replayed(policy, half) for policy, half in zip(policies, halves, strict=True)]
    cutoffs = [policy.next_cutoff([]) for policy in policies]
    return Outcome(name, role, {"seconds": np.array(times), "cutoff": np.array(cutoffs)})


def _replayed(policy: RestartPolicy, halves: Halves) -> float:
    return _geometric(policy_time(halves[0], policy), policy_time(halves[1], policy))


def _learner_outcome(
    name: str,
    role: Role,
    models: Sequence[RestartPolicy | None],
    halves: Sequence[Halves],
    luby: RestartPolicy,
    seed: int,
) -> Outcome:
    """Let a learner solve the test instances one after the other, in several random orders."""
    unit = luby.unit if isinstance(luby, Luby) else float(luby.next_cutoff([]))
    totals = np.zeros(len(halves))
    for order in range(ORDERS):
        rng, learner = np.random.default_rng([seed, order]), OnlineLearner(unit, random_state=order)
        for place in rng.permutation(len(halves)):
            policy = learner.policy(models[place])
            learner.learn(*simulate(halves[place][order % 2], policy.next_cutoff, rng))
            # The learner sees one run; its choice is scored by the expected time, as all others are.
            totals[place] += _replayed(policy, halves[place]) / ORDERS
    return Outcome(name, role, {"seconds": totals})


def _curves(rtd: PredictedRuntimes, job: Job, data: Dataset, split: Split) -> list[Curve]:
    """Expected time against cutoff for a fast, a middling and a slow instance."""
    middle = np.nanmedian(split.test.seconds, axis=1)
    places = np.argsort(middle)[[round(level * (len(middle) - 1)) for level in SHOWN]]
    curves = []
    for place, name in zip(places, instance_names(data, split.test_rows[places]), strict=True):
        seconds = split.test.seconds[place]
        cutoffs = np.geomspace(0.8 * np.nanmin(seconds), 1.2 * np.nanmax(seconds), POINTS)
        found = expected_time(rtd[[int(place)]], cutoffs)
        curves.append(Curve(job.model, name, cutoffs, found.mean[0], found.low[0], found.high[0]))
    return curves


# -- summary ---------------------------------------------------------------------------------------------------------


def summarise_restarts(results: Results) -> pd.DataFrame:
    """Return one row per policy.

    Parameters
    ----------
    results : Results
        Results with the experiment.

    Returns
    -------
    DataFrame
        Columns policy, role, speed_up (geometric mean over not restarting), of_oracle (geometric mean of the oracle's
        time over the policy's), seconds (mean) and restarted (fraction of the instances), with standard errors over
        instances; models first, then peers, then limits, each from the best down.
    """
    rows = decided(results, "restarts")
    seconds = by_instance(rows, "seconds")
    if seconds.empty:
        return pd.DataFrame(columns=["policy", "role", *_COLUMNS])
    columns: dict[str, pd.Series] = {"role": roles_of(rows)}
    compared: dict[str, Callable[[], pd.DataFrame]] = {
        "speed_up": lambda: geometric_with_error(seconds.loc[NONE] / seconds),
        "of_oracle": lambda: geometric_with_error(seconds.loc[ORACLE] / seconds),
        "seconds": lambda: mean_with_error(seconds),
    }
    for name, compute in compared.items():
        found = compute()
        columns |= {name: found["mean"], f"{name}_error": found["error"]}
    cutoffs = by_instance(rows, "cutoff").reindex(seconds.index)
    columns["restarted"] = (cutoffs < np.inf).where(cutoffs.notna()).mean(axis=1).astype(float)
    table = pd.DataFrame(columns).rename_axis("policy").reset_index()
    rank = table["role"].map({str(role): place for place, role in enumerate(Role)})
    return table.assign(rank=rank).sort_values(["rank", "speed_up"], ascending=[True, False]).drop(columns="rank")


_COLUMNS = ("speed_up", "speed_up_error", "of_oracle", "of_oracle_error", "seconds", "seconds_error", "restarted")
