import re

import numpy as np
import pytest
from aslib_files import DESCRIPTION, FEATURES, IDS, RUNS, runs_arff, scenario, table_arff

from bayes_distnet.data.importers.aslib import import_aslib
from bayes_distnet.errors import FeatureError, RuntimeDataError, SettingError


def imported_runs(tmp_path, *rows, **settings):
    table = import_aslib(scenario(tmp_path, algorithm_runs=runs_arff(*rows)), **settings)
    return table.runs.frame, table.notes


# Runs


def test_each_row_is_a_run_with_its_repetition_as_seed(tmp_path):
    frame, notes = imported_runs(tmp_path, "a.cnf,1,x,1.5,ok", "a.cnf,2,x,2.5,ok", "b.cnf,1,x,3,ok", "b.cnf,2,x,4,ok")
    assert frame[["instance", "solver", "seed", "seconds", "status"]].to_numpy().tolist() == [
        ["a.cnf", "x", 1, 1.5, "solved"],
        ["a.cnf", "x", 2, 2.5, "solved"],
        ["b.cnf", "x", 1, 3.0, "solved"],
        ["b.cnf", "x", 2, 4.0, "solved"],
    ]
    assert set(frame["cutoff"]) == {100.0}
    assert notes == ()


def test_every_status_has_its_counterpart(tmp_path):
    words = ["ok", "timeout", "memout", "crash", "not_applicable", "other", "?", "presolved", "Unknown"]
    frame, notes = imported_runs(
        tmp_path, *(f"a.cnf,{i},x,{100 if w == 'timeout' else 7},{w}" for i, w in enumerate(words))
    )
    expected = ["solved", "timeout", "memout", "crashed", "crashed", "crashed", "unreadable", "solved", "unreadable"]
    assert frame["status"].tolist() == expected
    assert [n for n in notes if "status" in n] == [
        "1 runs have the status not_applicable; here it is 'crashed'.",
        "1 runs have the status other; here it is 'crashed'.",
        "1 runs have the status unknown; here it is 'unreadable'.",
        "1 runs have the status ?; here it is 'unreadable'.",
    ]


def test_a_timeout_past_the_cutoff_is_censored_at_it_and_one_before_at_its_own_time(tmp_path):
    frame, notes = imported_runs(tmp_path, "a.cnf,1,x,1000,timeout", "b.cnf,1,x,99,timeout", "c.cnf,1,x,inf,timeout")
    assert frame["seconds"].tolist() == [100.0, 99.0, 100.0]
    assert "2 timeouts are later than the cutoff; they are censored at the cutoff." in notes
    assert "1 timeouts are earlier than the cutoff; they are censored at their own time." in notes


def test_a_timeout_without_a_time_is_censored_at_the_cutoff(tmp_path):
    frame, _ = imported_runs(tmp_path, "a.cnf,1,x,?,timeout", "b.cnf,1,x,1,ok")
    assert frame["seconds"].tolist() == [100.0, 1.0]


@pytest.mark.parametrize("seconds", [100, 100.5, 1000])
def test_a_run_that_is_ok_only_at_or_after_the_cutoff_is_a_timeout(tmp_path, seconds):
    frame, notes = imported_runs(tmp_path, f"a.cnf,1,x,{seconds},ok", "b.cnf,1,x,99.9,ok")
    assert frame["status"].tolist() == ["timeout", "solved"]
    assert frame["seconds"].tolist() == [100.0, 99.9]
    assert "1 runs are marked as solved at or after the cutoff of 100 s; they are timeouts now." in notes


def test_an_ok_run_without_a_time_is_unreadable(tmp_path):
    frame, notes = imported_runs(tmp_path, "a.cnf,1,x,?,ok", "b.cnf,1,x,1,ok")
    assert frame["status"].tolist() == ["unreadable", "solved"]
    assert "1 solved runs have no time; their status is now 'unreadable'." in notes


def test_an_impossible_time_of_a_crash_becomes_nan(tmp_path):
    frame, _ = imported_runs(tmp_path, "a.cnf,1,x,-1,crash", "b.cnf,1,x,inf,memout", "c.cnf,1,x,5,memout")
    np.testing.assert_equal(frame["seconds"].to_numpy(), [np.nan, np.nan, 5.0])


def test_a_copy_of_a_row_is_left_out_and_a_contradiction_is_a_further_seed(tmp_path):
    rows = ["a.cnf,1,x,1,ok", "a.cnf,1,x,1,ok", "a.cnf,1,x,2,ok", "a.cnf,2,x,3,ok", "a.cnf,1,x,4,ok"]
    frame, notes = imported_runs(tmp_path, *rows)
    assert frame[["seed", "seconds"]].to_numpy().tolist() == [[1, 1], [3, 2], [2, 3], [4, 4]]
    assert "1 rows are exact copies of others; left out." in notes
    assert "2 rows have the same seed as another with a different result; kept as new seeds." in notes


def test_missing_runs_are_counted(tmp_path):
    rows = ["a.cnf,1,x,1,ok", "a.cnf,2,x,1.1,ok", "a.cnf,1,y,1,ok", "b.cnf,1,x,1,ok"]
    _, notes = imported_runs(tmp_path, *rows)
    assert notes[0].startswith("2 runs are missing: 2 of 4 pairs of instance and solver")


def test_names_may_be_quoted_and_hold_commas_spaces_and_quotes(tmp_path):
    frame, _ = imported_runs(
        tmp_path, r"'a, b.cnf', 1, 'my solver', 1.5, ok", r'"it\"s.cnf",1,my\solver,2,ok', "'q,1,z,1,ok"
    )
    assert frame["instance"].tolist() == ["a, b.cnf", 'it"s.cnf', "'q"]
    assert frame["solver"].tolist() == ["my solver", "my\\solver", "z"]


def test_a_name_that_is_a_number_stays_as_written(tmp_path):
    runs = runs_arff("007,1,10,1.5,ok").replace("instance_id STRING", "Instance_ID NUMERIC")
    frame = import_aslib(
        scenario(tmp_path, algorithm_runs=runs.replace("algorithm STRING", "algorithm NUMERIC"))
    ).runs.frame
    assert frame[["instance", "solver"]].to_numpy().tolist() == [["007", "10"]]


def test_the_runtime_is_the_first_measure_of_that_type_whatever_its_name(tmp_path):
    quality = DESCRIPTION.replace(
        "- runtime\nperformance_type:\n- runtime", "- cost\n- PAR10\nperformance_type:\n- solution_quality\n- runtime"
    )
    runs = runs_arff("a.cnf,1,x,7,1.5,ok", measure="cost NUMERIC\n@ATTRIBUTE PAR10")
    assert import_aslib(scenario(tmp_path, description=quality, algorithm_runs=runs)).runs.seconds.tolist() == [1.5]


def test_comments_blank_lines_and_windows_line_ends_are_no_rows(tmp_path):
    runs = (RUNS + "\n% \n\n%\n").replace("\n", "\r\n")
    assert len(import_aslib(scenario(tmp_path, algorithm_runs=runs)).runs) == 2


def test_without_a_cutoff_timeouts_are_censored_at_their_own_time(tmp_path):
    folder = scenario(tmp_path, description=DESCRIPTION.replace("time: 100", "time: '?'"))
    table = import_aslib(folder)
    assert table.runs.seconds.tolist() == [1.5, 100.0]
    assert np.isinf(table.runs.frame["cutoff"]).all()
    assert table.notes[0].startswith("The archive names no cutoff")
    assert import_aslib(folder, cutoff=50).runs.seconds.tolist() == [1.5, 50.0]


# Features, costs, folds


def test_features_are_indexed_by_instance_and_unknown_values_are_nan(tmp_path):
    values = table_arff(["size", "depth"], "a.cnf,1,10,?", "b.cnf,1,-512,4", "c.cnf,1,inf,5")
    table = import_aslib(scenario(tmp_path, feature_values=values))
    assert table.features.index.name == "instance"
    assert set(table.features.dtypes) == {np.dtype(float)}
    np.testing.assert_equal(table.features.to_numpy(), [[10, np.nan], [np.nan, 4], [np.nan, 5]])
    assert table.notes == (
        "1 feature values are -512.0; they count as missing.",
        "1 feature values are infinite; they count as missing.",
        "1 instances have features but no runs; matched() leaves them out.",
    )
    assert import_aslib(tmp_path, missing=None).features.loc["b.cnf", "size"] == -512


def test_features_are_the_mean_of_their_repetitions(tmp_path):
    values = table_arff(["size", "depth"], "a.cnf,1,10,?", "b.cnf,1,20,4", "a.cnf,2,12,6")
    table = import_aslib(scenario(tmp_path, feature_values=values))
    assert table.features.to_numpy().tolist() == [[11.0, 6.0], [20.0, 4.0]]
    assert "1 instances have several rows of features; their mean is used." in table.notes


def test_a_value_is_missing_only_if_every_step_that_provides_it_failed(tmp_path):
    status = table_arff(
        ["Probing", "Static"], "b.cnf,1,crash,ok", "a.cnf,1,memout,timeout", kind="{ok,timeout,memout,crash}"
    )
    table = import_aslib(scenario(tmp_path, feature_runstatus=status))
    np.testing.assert_equal(table.features.to_numpy(), [[np.nan] * 3, [20, np.nan, 0.25]])
    assert "4 feature values of failed steps count as missing; keep_failed=True keeps them." in table.notes
    assert import_aslib(tmp_path, keep_failed=True).features.notna().all(axis=None)


def test_presolved_steps_and_instances_without_a_status_keep_their_values(tmp_path):
    status = table_arff(["Static", "Probing"], "a.cnf,1,ok,presolved", kind="{ok,presolved,crash}")
    assert import_aslib(scenario(tmp_path, feature_runstatus=status)).features.notna().all(axis=None)


def test_a_nominal_feature_becomes_one_column_per_value_and_free_text_is_left_out(tmp_path):
    head = IDS + "@attribute 'kind of' {rand, 'hand made'}\n@attribute flag {0,1}\n@attribute remark string\n@data\n"
    table = import_aslib(scenario(tmp_path, feature_values=head + "a.cnf,1,'hand made',1,hm\nb.cnf,1,?,0,?"))
    assert table.features.columns.tolist() == ["kind of=hand made", "kind of=rand", "flag"]
    np.testing.assert_equal(table.features.to_numpy(), [[1, 0, 1], [np.nan, np.nan, 0]])
    assert table.notes == ("1 feature, remark, is text; left out.",)


def test_feature_cost_is_the_sum_of_the_known_steps(tmp_path):
    costs = table_arff(["Static", "Probing"], "a.cnf,1,0.5,1", "b.cnf,1,2,?", "a.cnf,2,0.5,2")
    table = import_aslib(scenario(tmp_path, feature_costs=costs))
    assert table.feature_cost.to_dict() == {"a.cnf": 2.0, "b.cnf": 2.0}
    assert table.notes[-1].startswith("1 instances have a feature step of unknown cost")
    nothing = import_aslib(scenario(tmp_path, feature_costs=table_arff(["Static"], "b.cnf,1,?")))
    assert nothing.feature_cost.isna().all()


def test_costs_folds_and_feature_statuses_are_optional(tmp_path):
    table = import_aslib(scenario(tmp_path))
    assert (table.feature_cost, table.folds, table.parts, table.notes) == (None, None, None, ())
    assert table.feature_groups.cost.isna().all(axis=None)
    assert (table.feature_groups.status == "unknown").all(axis=None)


def test_steps_become_feature_groups_with_their_costs_and_statuses(tmp_path):
    costs = table_arff(["Probing", "Static"], "b.cnf,1,?,2", "a.cnf,1,3,0.5", "a.cnf,2,5,0.5")
    kinds = "{ok, presolved, timeout, not_applicable}"
    status = table_arff(["Static", "Probing"], "b.cnf,1,OK,presolved", "a.cnf,1,?,not_applicable", kind=kinds)
    groups = import_aslib(scenario(tmp_path, feature_costs=costs, feature_runstatus=status)).feature_groups
    static, probing = groups.groups
    assert (static.name, static.features, static.requires, static.default) == ("Static", ("size", "ratio"), (), True)
    assert (probing.features, probing.requires, probing.default) == (("depth", "ratio"), ("Static",), False)
    np.testing.assert_equal(groups.cost.loc[["a.cnf", "b.cnf"]].to_numpy(), [[0.5, 4.0], [2.0, np.nan]])
    assert groups.status.loc[["a.cnf", "b.cnf"]].to_numpy().tolist() == [["unknown", "other"], ["ok", "presolved"]]
    assert groups.presolved().to_dict() == {"a.cnf": False, "b.cnf": True}


def test_columns_of_a_nominal_feature_belong_to_its_group_and_text_to_none(tmp_path):
    head = IDS + "@attribute size {big, small}\n@attribute depth string\n@attribute ratio numeric\n@data\n"
    table = import_aslib(scenario(tmp_path, feature_values=head + "a.cnf,1,big,x,1\nb.cnf,1,small,y,2"))
    assert table.feature_groups.features_of(["Static"]) == ["size=big", "size=small", "ratio"]
    assert table.feature_groups.groups[1].features == ("ratio",)


def test_a_step_that_only_the_costs_name_is_a_group_without_features(tmp_path):
    table = import_aslib(scenario(tmp_path, feature_costs=table_arff(["Static", "Parsing"], "a.cnf,1,1,2")))
    assert table.feature_groups.names == ("Static", "Probing", "Parsing")
    assert table.feature_groups.groups[2].features == ()
    assert "1 feature steps have a cost or status, but no entry in the description." in table.notes
    assert table.feature_cost["a.cnf"] == 3.0


def test_a_required_step_that_does_not_exist_is_left_out(tmp_path):
    text = DESCRIPTION.replace("requires:\n    - Static", "requires: Pre")
    table = import_aslib(scenario(tmp_path, description=text))
    assert [group.requires for group in table.feature_groups.groups] == [(), ()]


def test_all_repetitions_of_the_folds_are_kept(tmp_path):
    folds = table_arff(["fold"], "b.cnf,1,2", "a.cnf,1,1", "a.cnf,3,2", "b.cnf,3,1")
    table = import_aslib(scenario(tmp_path, cv=folds))
    assert table.folds[1].to_dict() == {"a.cnf": 1, "b.cnf": 2}
    assert table.folds[2].to_dict() == {"a.cnf": 2, "b.cnf": 1}
    assert table.select(["b.cnf"]).folds[1].to_dict() == {"b.cnf": 2}


def test_an_instance_in_no_fold_is_counted(tmp_path):
    table = import_aslib(scenario(tmp_path, cv=table_arff(["fold"], "a.cnf,1,1")))
    assert table.folds[1].isna().tolist() == [False, True]
    assert table.notes == ("1 instances lack a fold in cv.arff; they are learnt from, and never tested.",)


def test_names_of_id_columns_match_in_any_case(tmp_path):
    values = FEATURES.replace("instance_id", "INSTANCE_ID").replace("repetition", "Repetition")
    table = import_aslib(scenario(tmp_path, feature_values=values, cv=table_arff(["Fold"], "a.cnf,1,1", "b.cnf,1,2")))
    assert table.features.columns.tolist() == ["size", "depth", "ratio"]
    assert table.folds[1].to_dict() == {"a.cnf": 1, "b.cnf": 2}


def test_all_runs_and_features_are_kept_until_matched(tmp_path):
    costs = table_arff(["Static"], "z.cnf,1,1", "b.cnf,1,2")
    runs = runs_arff("c.cnf,1,x,1,ok", "b.cnf,1,x,2,ok")
    table = import_aslib(scenario(tmp_path, algorithm_runs=runs, feature_costs=costs))
    assert (len(table.runs), len(table.features)) == (2, 2)
    assert "1 instances have runs but no features; matched() leaves them out." in table.notes
    both = table.matched()
    assert both.runs.instance.tolist() == both.features.index.tolist() == both.feature_cost.index.tolist() == ["b.cnf"]


def test_an_error_shows_how_the_names_differ_if_none_match(tmp_path):
    table = import_aslib(scenario(tmp_path, algorithm_runs=RUNS.replace("a.cnf", "./a").replace("b.cnf", "./b")))
    with pytest.raises(FeatureError, match=re.escape("runs are of ['./a', './b'], features of ['a.cnf', 'b.cnf']")):
        table.matched()


# Errors


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("algorithm_runs", None, "algorithm_runs.arff: cannot be read .* found description.txt"),
        ("feature_values", None, "feature_values.arff: cannot be read"),
        ("algorithm_runs", runs_arff("a,1,x,soon,ok"), "line 10: runtime is 'soon'; expected a number"),
        ("algorithm_runs", runs_arff("a,1,x,1"), "line 10: 4 values, but the header has 5"),
        ("algorithm_runs", runs_arff("a,1,x,1,done"), "line 10: runstatus is 'done'; expected one of ok"),
        ("algorithm_runs", runs_arff("a,1,x,-1,ok"), "line 10: a runtime of -1 s"),
        ("algorithm_runs", runs_arff("?,1,x,1,ok"), "line 10: instance_id is [?]; every row needs it"),
        ("algorithm_runs", runs_arff("a,one,x,1,ok"), "line 10: repetition is 'one'"),
        ("algorithm_runs", runs_arff(), "no row of data"),
        ("algorithm_runs", "instance,seconds\n", "no ARFF file"),
        ("algorithm_runs", runs_arff("a,1,x,1,ok", measure="t"), "no attribute 'runtime', which"),
        ("algorithm_runs", RUNS.replace("algorithm S", "solver S"), "no attribute 'algorithm'; found"),
        ("feature_values", FEATURES + "\nc.cnf,1,10,x,3", "line 11: depth is 'x'"),
        ("feature_costs", table_arff(["s"], "a,1,dear", kind="STRING"), "line 7: s is 'dear'"),
        ("feature_values", table_arff([], "a.cnf,1"), "no attribute is a feature"),
        ("cv", table_arff(["fold"], "a.cnf,1,1.5"), "line 7: fold is 1.5; expected a whole number"),
        ("description", "scenario_id: x", "expected one type per measure"),
        ("description", DESCRIPTION.replace("100", "soon"), "algorithm_cutoff_time is 'soon'"),
    ],
)
def test_unreadable_files_are_reported_with_file_and_line(tmp_path, file, text, message):
    with pytest.raises(FeatureError if file.startswith("feature") else RuntimeDataError, match=message):
        import_aslib(scenario(tmp_path, **{file: text}))


@pytest.mark.parametrize("limit", ["100", "0", "'?'", "?"])
def test_a_scenario_of_solution_quality_is_refused_for_that_reason(tmp_path, limit):
    text = DESCRIPTION.replace("type:\n- runtime", "type:\n- solution_quality").replace("- runtime", "- accuracy")
    scenario(tmp_path, description=text.replace("time: 100", f"time: {limit}"), algorithm_runs=None)
    with pytest.raises(RuntimeDataError) as raised:
        import_aslib(tmp_path)
    assert "measures accuracy (solution_quality), not a runtime; only" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_cutoff_of_zero_is_refused_because_nothing_is_timed(tmp_path):
    scenario(tmp_path, description=DESCRIPTION.replace("time: 100", "time: 0.0"))
    with pytest.raises(RuntimeDataError, match="time is 0, so the scenario does not measure a runtime"):
        import_aslib(tmp_path)


def test_a_timeout_without_time_and_cutoff_is_an_error_that_names_cutoff(tmp_path):
    scenario(tmp_path, description=DESCRIPTION.replace("100", "?"), algorithm_runs=runs_arff("a.cnf,1,x,?,timeout"))
    with pytest.raises(RuntimeDataError, match=r"line 10: a timeout without its time.* Pass cutoff="):
        import_aslib(tmp_path)
    assert import_aslib(tmp_path, cutoff=9).runs.seconds.tolist() == [9.0]
    with pytest.raises(SettingError, match="cutoff=-1"):
        import_aslib(tmp_path, cutoff=-1)


@pytest.mark.parametrize("repetition", ["inf", "-inf", "1e300", "1.5"])
def test_a_repetition_that_is_no_whole_number_is_named_with_its_line(tmp_path, repetition):
    with pytest.raises(RuntimeDataError, match=r"algorithm_runs\.arff, line 1\d: repetition is .* whole number"):
        imported_runs(tmp_path, "a.cnf,1,x,1.5,ok", f"b.cnf,{repetition},x,2.5,ok")


def test_a_fold_that_is_infinite_is_named_with_its_line(tmp_path):
    folds = table_arff(["fold"], "a.cnf,1,1", "b.cnf,1,inf")
    with pytest.raises(RuntimeDataError, match=r"cv\.arff, line \d+: fold is inf"):
        import_aslib(scenario(tmp_path, cv=folds))
