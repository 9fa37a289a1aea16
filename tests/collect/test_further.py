"""Further runs of a plan: new seeds, continued after a stop."""

import pytest

from bayes_distnet.collect.collector import collect_further, collect_runs
from bayes_distnet.collect.further import FurtherRuns, plan_further, read_plan
from bayes_distnet.collect.solvers.base import Solver
from bayes_distnet.data.store import Store
from bayes_distnet.errors import SettingError

QUICK = Solver("quick", ("sh", "-c", "echo answer", "sh", "{seed}", "{instance}"), "^answer")
FIXED = Solver("fixed", ("sh", "-c", "echo answer", "sh", "{instance}"), "^answer")
PLAN = {"i1.txt": FurtherRuns(2, 3.0), "i0.txt": FurtherRuns(1, 0.5)}


def seeds(jobs):
    return [(job.path.name, job.seed, job.cutoff) for job in jobs]


def test_seeds_are_those_that_the_store_does_not_have(instances):
    done = {("quick", "i1.txt", 1), ("quick", "i1.txt", 3), ("other", "i0.txt", 1)}
    jobs, _ = plan_further([QUICK], instances, PLAN, done)
    assert seeds(jobs) == [("i1.txt", 2, 3.0), ("i1.txt", 4, 3.0), ("i0.txt", 1, 0.5)]


def test_a_plan_that_was_begun_goes_on_with_its_seeds(instances):
    jobs, record = plan_further([QUICK], instances, PLAN, set())
    done = {jobs[0].key}
    again, _ = plan_further([QUICK], instances, PLAN, done, [{}, {"plan": record}])
    assert seeds(again) == seeds(jobs)
    other, _ = plan_further([QUICK], instances, {"i1.txt": FurtherRuns(2, 4.0)}, done, [{"plan": record}])
    assert seeds(other) == [("i1.txt", 2, 4.0), ("i1.txt", 3, 4.0)]


def test_the_runs_of_a_plan_are_added_once(instances, tmp_path):
    store = tmp_path / "r.sqlite"
    collect_runs([QUICK], instances[:2], 1, store=store, cutoff=5.0)
    for _ in range(2):
        runs = collect_further([QUICK], instances, PLAN, store=store).frame
        found = sorted(zip(runs["instance"], runs["seed"], runs["cutoff"], strict=True))
        assert found == [
            *[("i0.txt", 1, 5.0), ("i0.txt", 2, 0.5)],
            *[("i1.txt", 1, 5.0), ("i1.txt", 2, 3.0), ("i1.txt", 3, 3.0)],
        ]
    with Store(store) as database:
        assert database.sessions()[-1]["plan"]["seeds"] == {"quick": {"i0.txt": [2], "i1.txt": [2, 3]}}


def test_what_cannot_be_done_is_named(instances):
    with pytest.raises(SettingError, match=r"'gone\.txt' is not among the instances"):
        plan_further([QUICK], instances, {"gone.txt": FurtherRuns(1, 1.0)}, set())
    with pytest.raises(SettingError, match="solvers: none"):
        plan_further([], instances, PLAN, set())
    with pytest.raises(SettingError, match="the same name"):
        plan_further([QUICK, QUICK], instances, PLAN, set())
    with pytest.raises(SettingError, match="a further run would be the same"):
        plan_further([FIXED], instances, {"i0.txt": FurtherRuns(1, 1.0)}, {("fixed", "i0.txt", 1)})
    few = Solver("few", QUICK.template, "^answer", largest_seed=1)
    with pytest.raises(SettingError, match="only 1 seeds left, and the plan wants 2"):
        plan_further([few], instances, PLAN, set())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("instance,seeds\na,1\n", "no column cutoff"),
        ("instance,seeds,cutoff\n", "no rows"),
        ("instance,seeds,cutoff\na,1,2\na,1,2\n", "instance 'a' has two rows"),
        ("instance,seeds,cutoff\na,0,2\n", "seeds of 'a'"),
        ("instance,seeds,cutoff\na,1.5,2\n", "seeds of 'a'"),
        ("instance,seeds,cutoff\na,2000000,2\n", "at most 1000000"),
        ("instance,seeds,cutoff\na,1,-2\n", "cutoff of 'a'"),
        ("instance,seeds,cutoff\na,1,\n", "cutoff of 'a'"),
    ],
)
def test_plans_that_cannot_be_are_refused(tmp_path, text, message):
    (tmp_path / "plan.csv").write_text(text)
    with pytest.raises(SettingError, match=message):
        read_plan(tmp_path / "plan.csv")


def test_a_plan_may_have_further_columns(tmp_path):
    (tmp_path / "plan.csv").write_text("gain,instance,seeds,cutoff\n0.1,a,2.0,1.5\n")
    assert read_plan(tmp_path / "plan.csv") == {"a": FurtherRuns(2, 1.5)}
