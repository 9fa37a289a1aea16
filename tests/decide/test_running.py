"""Solving one instance by a plan: what is run, recorded and reported, whatever goes wrong."""

import sys
import textwrap

import pytest

from bayes_distnet.collect.cores import usable_cores
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.store import Store
from bayes_distnet.decide.running.planners import Facts, Planner, Schedule
from bayes_distnet.decide.running.solve import plan_run, solve
from bayes_distnet.decide.schedules.slot import Slot
from bayes_distnet.errors import CollectError, SettingError, StoreError

needs_two_cores = pytest.mark.skipif(usable_cores() < 2, reason="needs two cores")


def solver(name, code):
    """A solver that is a program text."""
    text = textwrap.dedent(code).replace("{", "{{").replace("}", "}}")
    return Solver(name, (sys.executable, "-I", "-S", "-c", text, "{instance}", "{seed}"), r"^s (\w+)")


YES = solver("yes", "print('s SATISFIABLE\\nv 1 0')\nraise SystemExit(10)")
NO = solver("no", "print('s UNSATISFIABLE')\nraise SystemExit(20)")
LIAR = solver("liar", "print('s SATISFIABLE\\nv -1 0')\nraise SystemExit(10)")
SILENT = solver("silent", "print('s SATISFIABLE')\nraise SystemExit(10)")
BURNS = solver("burns", "while True: pass")
CRASHES = solver("crashes", "import os; os.abort()")


class Fixed(Planner):
    """A planner whose schedule is given."""

    def __init__(self, *slots, presolver=(), names=None, **facts):
        names = names or tuple(dict.fromkeys(slot.solver for slot in (*presolver, *slots)))
        super().__init__(Facts(names, tuple(presolver), cutoff=0.2, **facts))
        self.slots, self.asked = slots, []

    def plan(self, features, *, solvers, deadline=None, cores=1, objective=None):
        self.asked.append((features, deadline))
        return Schedule(self.slots, "as given")


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "a.cnf"
    path.write_text("p cnf 1 1\n1 0\n")
    return path


def ends(solved):
    return [(one.attempt.solver.name, one.outcome.status) for one in solved.tried]


def test_the_presolver_answers_without_features_and_without_the_model(instance):
    planner = Fixed(Slot("no", 0, 9.0), presolver=[Slot("burns", 0, 0.05), Slot("yes", 0.05, 5.0)])
    with solve(instance, planner, solvers=[YES, NO, BURNS]) as solved:
        assert (solved.answer, solved.solver, solved.schedule) == ("SATISFIABLE", "yes", None)
        assert solved.output.read() == b"s SATISFIABLE\nv 1 0\n"
        assert solved.winner.outcome.exit_code == 10
        assert solved.proven
        assert repr(solved).startswith("<Solved a.cnf: SATISFIABLE by yes; ")
        assert "v 1 0" not in repr(solved)  # an output may have megabytes
    assert planner.asked == []


def test_after_the_presolver_features_are_computed_and_the_plan_is_run(instance):
    planner = Fixed(Slot("yes", 0, 9.0), presolver=[Slot("burns", 0, 0.05)])
    lines = []
    with solve(instance, planner, solvers=[YES, BURNS], report=lines.append, deadline=60.0) as solved:
        assert ends(solved) == [("burns", "timeout"), ("yes", "solved")]
    ((features, deadline),) = planner.asked
    assert features["structure.clauses"] == 1
    assert 0 < deadline <= 60
    assert solved.feature_seconds > 0
    assert lines[-1].startswith("core 0: yes solved (SATISFIABLE) after")
    assert any(line == "plan: as given" for line in lines)


def test_features_that_do_not_pay_are_not_computed(instance):
    planner = Fixed(names=("yes",), uses_features=False, static=(Slot("yes", 0, 9.0),))
    with solve(instance, planner, solvers=[YES]) as solved:
        assert (solved.solver, solved.feature_seconds) == ("yes", 0.0)
    assert planner.asked == []


def test_a_deadline_shorter_than_the_features_leaves_them_out(instance):
    planner = Fixed(Slot("no", 0, 9.0), names=("yes", "no"), feature_cost=1000.0)
    with solve(instance, planner, solvers=[YES, NO], deadline=60.0) as solved:
        assert solved.solver == "yes"  # the best on the training data comes first
        (note,) = solved.notes
    assert note.startswith("the features take about 1e+03 s, longer than the deadline, and are left out; yes first")


def test_without_features_the_best_solver_of_the_training_data_is_run(tmp_path):
    path = tmp_path / "a.unknown"
    path.write_text("")
    with solve(path, Fixed(Slot("no", 0, 9.0), names=("yes", "no")), solvers=[YES, NO]) as solved:
        assert solved.solver == "yes"
        (note,) = solved.notes
    assert note.startswith("no features: ")
    assert "a.unknown: expected a file named" in note


def test_all_solvers_time_out_at_the_deadline(instance):
    with solve(instance, Fixed(names=("burns",)), solvers=[BURNS], deadline=1.5, feature_limit=0.01) as solved:
        assert solved.answer is None
        assert solved.output is None
        assert solved.failures == "burns timeout"
        assert repr(solved).startswith("<Solved a.cnf: no answer, burns timeout; ")


def test_crashing_and_lying_solvers_are_survived(instance):
    planner = Fixed(Slot("crashes", 0, 1.0), Slot("liar", 1, 1.0), Slot("yes", 2, 1.0), uses_features=False)
    planner = Fixed(presolver=planner.slots)
    with solve(instance, planner, solvers=[CRASHES, LIAR, YES]) as solved:
        assert ends(solved) == [("crashes", "crashed"), ("liar", "crashed"), ("yes", "solved")]
        assert solved.failures == (
            "crashes crashed (exit code -6), liar crashed (its solution does not satisfy clause 1)"
        )


def test_failures_are_given_in_the_words_of_the_solvers(instance, tmp_path):
    loud = solver("loud", "import sys; sys.exit('c reading\\nno licence found.')")
    gone = Solver("gone", (str(tmp_path / "gone"), "{instance}"), "^s")
    with solve(instance, Fixed(presolver=[Slot("loud", 0, 1.0), Slot("gone", 1, 1.0)]), solvers=[loud, gone]) as solved:
        assert solved.failures.startswith("loud crashed (exit code 1: no licence found), gone crashed (exit code 127: ")
        assert str(tmp_path / "gone") in solved.failures


def test_solvers_that_are_always_killed_end_the_run(instance):
    killed = solver("killed", "import os; os.kill(os.getpid(), 9)")
    with solve(instance, Fixed(presolver=[], names=("killed",), uses_features=False), solvers=[killed]) as solved:
        assert (solved.answer, solved.failures) == (None, "killed interrupted 3 times")


def test_attempts_that_ended_before_ctrl_c_are_stored(instance, tmp_path):
    def press(line):
        if line.startswith("core 0: second with seed"):
            raise KeyboardInterrupt

    planner = Fixed(presolver=[Slot("burns", 0, 0.05), Slot("second", 0, 60.0)])
    second = solver("second", "while True: pass")
    with pytest.raises(KeyboardInterrupt):
        solve(instance, planner, solvers=[BURNS, second], store=tmp_path / "runs.sqlite", report=press)
    with Store(tmp_path / "runs.sqlite") as database:
        assert list(database.runs().frame["solver"]) == ["burns"]


def test_solutions_are_not_checked_if_that_is_not_wanted(instance):
    with solve(instance, Fixed(presolver=[Slot("liar", 0, 5.0)]), solvers=[LIAR], check=False) as solved:
        assert (solved.solver, solved.proven) == ("liar", False)


def test_a_second_solver_that_contradicts_the_first_is_reported(instance):
    planner = Fixed(presolver=[Slot("silent", 0, 5.0)], names=("silent", "no"))
    with solve(instance, planner, solvers=[SILENT, NO], verify=True) as solved:
        yes, no = solved.contradiction
        assert (yes.attempt.solver.name, no.attempt.solver.name) == ("silent", "no")
        assert repr(solved).startswith("<Solved a.cnf: solvers contradict each other; ")
        answers = {one["solver"]: one["answer"] for one in solved.as_dict()["attempts"]}
        assert answers == {"silent": "SATISFIABLE", "no": "UNSATISFIABLE"}


def test_a_checked_solution_needs_no_second_opinion(instance):
    planner = Fixed(presolver=[Slot("yes", 0, 5.0)], names=("yes", "burns"))
    with solve(instance, planner, solvers=[YES, BURNS], verify=True) as solved:
        assert (len(solved.tried), solved.contradiction) == (1, None)


def test_an_answer_that_nobody_confirms_is_noted(instance):
    planner = Fixed(presolver=[Slot("no", 0, 5.0)], names=("no", "crashes"))
    with solve(instance, planner, solvers=[NO, CRASHES], verify=True) as solved:
        assert (solved.solver, solved.notes) == ("no", ["no second solver has confirmed the answer"])


def test_one_solver_alone_cannot_be_verified(instance):
    with solve(instance, Fixed(presolver=[Slot("no", 0, 5.0)]), solvers=[NO], verify=True) as solved:
        assert solved.notes == ["no second solver has confirmed the answer"]


@needs_two_cores
def test_two_cores_run_two_solvers(instance):
    planner = Fixed(Slot("burns", 0, 60.0, core=0), Slot("yes", 0, 60.0, core=1))
    with solve(instance, planner, solvers=[BURNS, YES], cores=2) as solved:
        assert (solved.solver, solved.winner.core) == ("yes", 1)
        assert [one.beaten for one in solved.tried] == [False, True]


def test_runs_are_stored_and_seeds_are_not_used_twice(instance, tmp_path):
    store = tmp_path / "runs.sqlite"
    planner = Fixed(presolver=[Slot("burns", 0, 0.05), Slot("yes", 0, 5.0)])
    for _ in range(2):
        with solve(instance, planner, solvers=[BURNS, YES], store=store):
            pass
    with Store(store) as database:
        frame = database.runs().frame
    assert sorted(zip(frame["solver"], frame["seed"], frame["status"], strict=True)) == [
        ("burns", 1, "timeout"),
        ("burns", 2, "timeout"),
        ("yes", 1, "solved"),
        ("yes", 2, "solved"),
    ]
    assert (frame["seconds"] <= frame["cutoff"]).all()


def test_a_changed_instance_is_refused_before_anything_is_run(instance, tmp_path):
    store = tmp_path / "runs.sqlite"
    planner = Fixed(presolver=[Slot("yes", 0, 5.0)])
    with solve(instance, planner, solvers=[YES], store=store):
        pass
    instance.write_text("p cnf 1 1\n-1 0\n")
    with pytest.raises(StoreError, match=r"a\.cnf is not the file that was run before"):
        solve(instance, planner, solvers=[YES], store=store)


def test_an_instance_that_is_gone_before_the_run_is_named(instance):
    class Thief(Fixed):
        def plan(self, *given, **settings):
            instance.unlink()
            return super().plan(*given, **settings)

    with pytest.raises(CollectError, match=r"a\.cnf: the instance file is gone\."):
        solve(instance, Thief(Slot("yes", 0, 5.0)), solvers=[YES])


def test_a_solver_that_is_not_installed_is_left_out_with_a_note(instance):
    planner = Fixed(presolver=[Slot("nowhere", 0, 1.0), Slot("yes", 0, 5.0)])
    with solve(instance, planner, solvers=[YES]) as solved:
        assert solved.solver == "yes"
        assert solved.notes == ["nowhere is not a solver of this package (--solver nowhere=COMMAND)"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"solvers": ["other"]}, "solver 'other': the model knows nowhere"),
        ({"solvers": []}, "none of the solvers of the model can be run here: nowhere is not a solver of this package"),
        ({"cores": 10**6}, "cores=1000000: this program may use"),
        ({"cores": 0}, "cores=0"),
        ({"deadline": 0.0}, "deadline=0.0: expected a positive number"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_unusable_arguments_are_named(instance, change, message):
    solvers = change.pop("solvers", [solver("nowhere", "pass")])
    with pytest.raises(SettingError, match=message):
        solve(instance, Fixed(names=("nowhere",)), solvers=solvers, **change)


def test_a_missing_instance_is_named(tmp_path):
    with pytest.raises(SettingError, match=r"gone\.cnf: no such file"):
        solve(tmp_path / "gone.cnf", Fixed(names=("yes",)), solvers=[YES])


def test_the_plan_is_shown_without_running_a_solver(instance):
    planner = Fixed(Slot("burns", 0, 3.0), presolver=[Slot("yes", 0, 0.5)])
    plan = plan_run(instance, planner, solvers=[BURNS, YES])
    assert plan["presolver"] == [{"solver": "yes", "start": 0, "seconds": 0.5, "core": 0, "cutoff": None}]
    assert [slot["solver"] for slot in plan["slots"]] == ["burns"]
    assert (plan["why"], plan["instance"]) == ("as given", "a.cnf")
