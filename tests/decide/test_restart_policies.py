import numpy as np
import pytest

from bayes_distnet.decide.laws.law_table import LawTable
from bayes_distnet.decide.restarts.best_cutoff import best_cutoff
from bayes_distnet.decide.restarts.learning import check_rule, common_curve, learn_rule
from bayes_distnet.decide.restarts.policies.cautious import Cautious, learn_threshold, unsureness
from bayes_distnet.decide.restarts.policies.fixed import Fixed, never
from bayes_distnet.decide.restarts.policies.geometric import Geometric
from bayes_distnet.decide.restarts.policies.learner import OnlineLearner
from bayes_distnet.decide.restarts.policies.luby import Luby, luby
from bayes_distnet.decide.restarts.policies.predicted import Predicted
from bayes_distnet.decide.restarts.policies.registry import POLICIES, PolicyEntry
from bayes_distnet.decide.restarts.replay import RecordedRuns, fixed_time, policy_time, simulate
from bayes_distnet.decide.restarts.rule import RestartLaws, RestartRule
from bayes_distnet.distributions.families import LogNormal
from bayes_distnet.distributions.instance_effect import InstanceEffect
from bayes_distnet.distributions.instance_runtimes import InstanceRuntimes
from bayes_distnet.distributions.runtime_distribution import RuntimeDistribution
from bayes_distnet.errors import SettingError


def prediction(rho=0.4, scale=2.0, loc=0.0):
    return InstanceRuntimes(RuntimeDistribution(LogNormal(loc=[loc], scale=[scale])), InstanceEffect.of(rho, 1))


def laws(**settings):
    return RestartLaws(LawTable.of(prediction(**settings)))


def draws_of(law, n=400, seed=0):
    return RecordedRuns.of(law(np.random.default_rng(seed), n), np.ones(n, bool))


# -- sequences -------------------------------------------------------------------------------------------------------


def definition_of_luby(i):
    k = i.bit_length()
    return 2 ** (k - 1) if i == 2**k - 1 else definition_of_luby(i - 2 ** (k - 1) + 1)


def test_lubys_sequence_is_that_of_its_definition():
    expected = [definition_of_luby(i) for i in range(1, 501)]
    np.testing.assert_array_equal(luby(500), expected)
    policy = Luby(0.5)
    np.testing.assert_array_equal([policy.next_cutoff([0.1] * i) for i in range(500)], 0.5 * np.array(expected))


def test_luby_stays_within_its_bound():
    # Luby, Sinclair and Zuckerman: at most 192 l (log2 l + 5) for an optimum l, in units.
    for seed, scale in enumerate((0.5, 1.5, 2.5)):
        runs = draws_of(lambda rng, n, scale=scale: np.exp(scale * rng.normal(size=n)), seed=seed)
        unit = 0.01
        optimum = fixed_time(runs, runs.seconds).min() / unit
        assert policy_time(runs, Luby(unit)) / unit <= 192 * optimum * (np.log2(optimum) + 5)


def test_a_geometric_sequence_grows_by_its_factor():
    np.testing.assert_allclose(Geometric(0.1, 2.0).sequence(5), [0.1, 0.2, 0.4, 0.8, 1.6])
    assert Geometric(0.1, 2.0).next_cutoff([0.1, 0.2]) == pytest.approx(0.4)
    assert Geometric(1.0, 10.0).next_cutoff([1.0] * 5000) == np.inf


def test_sequences_are_those_of_the_next_cutoffs():
    for policy in (Fixed(2.0), never(), Luby(1.0), Geometric(1.0, 1.5), Predicted(laws())):
        sequence = policy.sequence(40)
        failed = []
        for cutoff in sequence:
            assert policy.next_cutoff(failed) == pytest.approx(cutoff)
            failed.append(float(cutoff))
            if cutoff == np.inf:
                break


@pytest.mark.parametrize(
    "make",
    [
        lambda: Luby(0.0),
        lambda: Geometric(1.0, 1.0),
        lambda: Geometric(-1.0),
        lambda: Fixed(0.0),
        lambda: Fixed(np.nan),
        lambda: OnlineLearner(-1.0),
        lambda: OnlineLearner(1.0).learn([], 1.0),
        lambda: Cautious(never(), never(), unsure=np.nan, threshold=1.0),
        lambda: RestartRule(trust=0.5),
        lambda: RestartRule(doubt=1.0),
        lambda: Predicted(LawTable.of(RuntimeDistribution(LogNormal(loc=[0.0, 1.0], scale=[1.0, 1.0])))),
        lambda: common_curve([]),
        lambda: learn_rule(prediction(), []),
        lambda: check_rule(prediction(), []),
    ],
)
def test_bad_settings_are_refused(make):
    with pytest.raises(SettingError):
        make()


# -- from predictions ------------------------------------------------------------------------------------------------


def test_the_first_cutoff_is_the_best_one():
    assert Predicted(laws()).next_cutoff([]) == best_cutoff(prediction()).cutoff[0]


def test_failures_make_the_instance_hard_and_the_cutoff_longer():
    policy = Predicted(laws(), RestartRule(doubt=0.0))
    cutoffs = policy.sequence(12)
    assert (np.diff(cutoffs) >= 0).all()
    assert cutoffs[-1] > 1.5 * cutoffs[0]
    np.testing.assert_allclose(Predicted(laws(), RestartRule(adapts=False, doubt=0.0)).sequence(12), cutoffs[0])


def test_the_belief_is_that_of_given_runs():
    failed = [0.5, 0.5, 1.0]
    later = prediction().given_runs([failed], [[False] * 3])
    policy = Predicted(laws(), RestartRule(doubt=0.0))
    policy.next_cutoff(failed)
    weighted = (policy._weights()[..., None] * LawTable.of(prediction()).sf).sum(axis=1)
    np.testing.assert_allclose(weighted, later.sf(LawTable.of(prediction()).times), atol=0.02)


def test_a_prediction_that_was_wrong_gives_way_to_luby():
    # Predicted around 0.01 s; in truth no run takes less than 1 s.
    policy = Predicted(laws(loc=np.log(0.01), rho=0.1))
    cutoffs = policy.sequence(400)
    given_up = int(np.argmax(cutoffs > 3 * cutoffs[0]))
    assert given_up < 40
    runs = draws_of(lambda rng, n: 1.0 + rng.exponential(size=n))
    assert policy_time(runs, policy) < 30
    stubborn = Predicted(laws(loc=np.log(0.01), rho=0.1), RestartRule(adapts=False, doubt=0.0))
    assert policy_time(runs, stubborn) > 100


def test_another_history_starts_again():
    policy = Predicted(laws())
    first = policy.next_cutoff([])
    policy.next_cutoff([1.0, 2.0, 3.0])
    assert policy.next_cutoff([]) == first


def test_unsureness_grows_with_the_instance_effect():
    assert unsureness(laws(rho=0.01))[0] < 2.5 < 4.0 < unsureness(laws(rho=0.5))[0]
    alone = RestartLaws(LawTable.of(RuntimeDistribution(LogNormal(loc=[0.0], scale=[2.0]))))
    assert unsureness(alone)[0] == pytest.approx(1.0)


def test_the_threshold_is_where_the_universal_sequence_becomes_better():
    unsure = np.array([3.0, 1.0, 2.0, 4.0])
    predicted, universal = np.array([5.0, 1.0, 1.0, 9.0]), np.array([2.0, 2.0, 2.0, 2.0])
    assert learn_threshold(unsure, predicted, universal) == 2.0
    assert learn_threshold(unsure, universal / 2, universal) == np.inf
    assert learn_threshold(unsure, 2 * universal, universal) == 0.0
    sure, unsure_one = (Cautious(Fixed(1.0), Luby(2.0), unsure=u, threshold=2.0) for u in (1.5, 2.5))
    assert sure.next_cutoff([]) == 1.0
    np.testing.assert_array_equal(unsure_one.sequence(3), [2.0, 2.0, 4.0])


# -- learning --------------------------------------------------------------------------------------------------------


def test_a_rule_learns_to_distrust_predictions_that_are_wrong():
    rng = np.random.default_rng(0)
    lucky = rng.random((80, 8)) < 0.4
    seconds = np.where(lucky, 0.1 * np.exp(0.2 * rng.normal(size=(80, 8))), 10 * np.exp(rng.normal(size=(80, 8))))
    runs = [RecordedRuns.of(row, np.ones(8, bool)) for row in seconds]

    def rows(loc):
        marginal = RuntimeDistribution(LogNormal(loc=np.full(80, loc), scale=np.full(80, 2.0)))
        return InstanceRuntimes(marginal, InstanceEffect.of(np.full(80, 0.2), 80))

    rule = learn_rule(rows(np.log(30.0)), runs)  # predicted far too slow
    assert rule.trust <= 0.35
    test = draws_of(lambda rng, n: np.where(rng.random(n) < 0.4, 0.1, 10.0) * np.exp(0.2 * rng.normal(size=n)))
    law = RestartLaws(LawTable.of(rows(np.log(30.0))[0]))
    assert policy_time(test, Predicted(law, rule)) < 0.5 * policy_time(test, Predicted(law))


def test_the_common_curve_is_the_mean_log_of_the_total_times():
    runs = [RecordedRuns.of(np.array(t), np.ones(3, bool)) for t in ([1.0, 2.0, 9.0], [2.0, 3.0, 40.0])]
    curve = common_curve(runs)
    at = curve.cutoffs[90]
    expected = np.mean([np.log(fixed_time(one, np.array([at]))[0]) for one in runs])
    assert curve.at(np.array([at]))[0] == pytest.approx(expected)
    assert curve.at(np.array([1e6]))[0] == curve.alone == pytest.approx(0.5 * (np.log(4.0) + np.log(15.0)))


def test_the_online_learner_finds_the_better_arm():
    rng = np.random.default_rng(0)

    def instance():
        lucky = rng.random(60) < 0.3
        seconds = np.where(lucky, 0.02 * np.exp(0.1 * rng.normal(size=60)), 5.0 * np.exp(rng.normal(size=60)))
        return RecordedRuns.of(seconds, np.ones(60, bool))

    learner, totals = OnlineLearner(5e-4, random_state=1), []  # Luby's unit is far too short
    for _ in range(200):
        runs = instance()
        failed, last = simulate(runs, learner.policy().next_cutoff, rng)
        learner.learn(failed, last)
        totals.append(sum(failed) + last)
    assert learner.learnt_policy().cutoff == pytest.approx(0.023, rel=0.15)
    assert learner.probabilities[1] > 0.7
    universal = np.mean([policy_time(instance(), Luby(5e-4)) for _ in range(50)])
    assert np.mean(totals[-100:]) < 0.7 * universal


def test_a_bad_model_cannot_hold_the_learner_up():
    # The model-based policy never finishes: the universal sequence takes over, and the model is given up.
    rng, learner = np.random.default_rng(0), OnlineLearner(0.5, random_state=0)
    runs = draws_of(lambda rng, n: 1.0 + rng.random(n))
    totals = []
    for _ in range(200):
        failed, last = simulate(runs, learner.policy(Fixed(0.01)).next_cutoff, rng)
        learner.learn(failed, last)
        totals.append(sum(failed) + last)
    assert learner.probabilities[0] > 0.7
    assert max(totals) < 200
    assert np.mean(totals[-100:]) < 2 * policy_time(runs, Luby(0.5))


# -- registry --------------------------------------------------------------------------------------------------------


def test_every_registered_policy_can_be_made():
    runs = [RecordedRuns.of(np.array([0.1, 0.2, 5.0, 9.0]), np.ones(4, bool)) for _ in range(3)]
    for entry in POLICIES.values():
        policy = entry.make(laws(), RestartRule()) if entry.predicts else entry.make(runs, 0.0)
        assert policy.next_cutoff([]) > 0
    assert POLICIES["fixed"].make(runs, 0.0).cutoff == pytest.approx(0.2, rel=0.05)
    assert POLICIES["none"].make(runs, 0.0).cutoff == np.inf


def test_a_policy_is_added_by_one_line():
    with POLICIES.extended(
        PolicyEntry("mine", "mine", "my own", "bayes_distnet.decide.restarts.policies.tuning:best_luby")
    ):
        assert "mine" in POLICIES


def test_a_rule_may_start_lower_and_grow():
    plain, grown = RestartRule(adapts=False, doubt=0.0), RestartRule(adapts=False, doubt=0.0, scale=0.5, growth=1.1)
    first = Predicted(laws(), plain).next_cutoff([])
    np.testing.assert_allclose(Predicted(laws(), grown).sequence(4), 0.5 * first * 1.1 ** np.arange(4))
    assert Predicted(laws(), grown).next_cutoff([0.1, 0.1]) == pytest.approx(0.5 * first * 1.21)
    with pytest.raises(SettingError):
        RestartRule(growth=0.9)


def test_a_rule_is_turned_off_where_training_instances_do_not_gain():
    # A wide prediction looks as if restarting paid; the runs of every training instance are almost alike.
    rng = np.random.default_rng(0)
    seconds = np.exp(rng.normal(size=(60, 1)) + 0.1 * rng.normal(size=(60, 8)))
    runs = [RecordedRuns.of(row, np.ones(8, bool)) for row in seconds]
    rtd = RuntimeDistribution(LogNormal(loc=np.zeros(60), scale=np.full(60, 1.5)))
    assert np.isfinite(best_cutoff(rtd).cutoff).all()
    rule = learn_rule(rtd, runs)
    assert not rule.active
    assert np.isinf(best_cutoff(rtd, rule=rule).cutoff).all()
    assert not check_rule(rtd, runs).active


def test_a_rule_stays_as_it_is_where_training_instances_gain():
    rng = np.random.default_rng(0)
    seconds = np.exp(1.5 * rng.normal(size=(60, 8)))
    runs = [RecordedRuns.of(row, np.ones(8, bool)) for row in seconds]
    rtd = RuntimeDistribution(LogNormal(loc=np.zeros(60), scale=np.full(60, 1.5)))
    assert check_rule(rtd, runs) == RestartRule()
    assert check_rule(rtd, runs, rule=RestartRule(margin=0.1)) == RestartRule(margin=0.1)
    assert not check_rule(rtd, runs, rule=RestartRule(active=False)).active
    assert not check_rule(rtd, runs, overhead=100.0).active


def test_one_badly_predicted_instance_among_many_without_gain_is_not_restarted():
    # Predictions of a few instances are wide out of ignorance; their draws agree that restarting pays.
    rng = np.random.default_rng(0)
    wide = np.arange(100) % 20 == 0
    seconds = np.exp(np.where(wide, 2.0, -1.5)[:, None] + 0.3 * rng.normal(size=(100, 8)))
    runs = [RecordedRuns.of(row, np.ones(8, bool)) for row in seconds]
    marginal = RuntimeDistribution(LogNormal(loc=np.where(wide, 0.0, -1.5), scale=np.where(wide, 1.8, 0.3)))
    rtd = InstanceRuntimes(marginal, InstanceEffect.of(np.full(100, 0.2), 100))
    cut = best_cutoff(rtd)
    assert (np.isfinite(cut.cutoff) == wide).all()
    assert (cut.chance[wide] == 1).all()
    assert np.isinf(best_cutoff(rtd, rule=check_rule(rtd, runs)).cutoff).all()
