from tidy_tables import made_up

from bayes_distnet.experiments.statistics import family_label
from bayes_distnet.models.registry import MODELS, ModelEntry, Role
from bayes_distnet.report.names import (
    all_scores,
    claimed_pair,
    claimed_scores,
    compared_scores,
    directions,
    limits_of,
    main_labels,
    published_scores,
    roles_of,
    score_label,
    shown_scores,
)
from bayes_distnet.scoring.registry import SCORES, Score


def test_the_role_in_the_table_comes_before_that_in_the_registry():
    table = made_up({"Ridge": {1: [1.0]}, "mine": {1: [1.0]}, "limit: empirical": {1: [1.0]}})
    assert roles_of(table) == {"Ridge": Role.MODEL, "mine": Role.PEER, "limit: empirical": Role.LIMIT}
    stored = roles_of(table.assign(role=["peer", "limit", "limit"]))
    assert stored == {"Ridge": Role.PEER, "mine": Role.LIMIT, "limit: empirical": Role.LIMIT}
    assert limits_of(table) == {"limit: empirical"}


def test_scores_of_a_report_are_those_of_the_registry(results):
    rows = results.of("low-samples")
    shown = ["nllh", "kld", "ks", "mass", "crps", "coverage", "band_coverage", "joint_nllh"]
    assert shown_scores(rows) == shown
    assert all_scores(rows) == [*shown, "calibration"]
    assert published_scores(rows) == ["nllh_published", "kld_published", "ks_published", "mass"]
    assert claimed_scores() == ["nllh", "kld", "ks"]
    assert compared_scores() == ["nllh", "kld", "ks", "crps", "joint_nllh"]


def test_labels_come_from_the_registries():
    assert [score_label("crps"), score_label("calibration")] == ["CRPS [s]", "Calibration"]
    assert [family_label(""), family_label("lognormal"), family_label("mine")] == ["own", "lognormal", "mine"]
    assert claimed_pair() == ("BayesDistNet", "DistNet")


def test_an_added_score_and_an_added_model_have_labels():
    with (
        SCORES.extended(Score("toy", "Toy [km]", "A toy.", "math:hypot", compared=True)),
        MODELS.extended(ModelEntry("toy", "Toy", Role.MODEL, "math:hypot", main=True)),
    ):
        assert score_label("toy") == "Toy [km]"
        assert "toy" in compared_scores()
        assert main_labels()[-1] == "Toy"
    assert "Toy" not in main_labels()


def test_less_is_better_unless_the_registry_has_another_direction():
    assert directions(["nllh", "ks"]) == "Less is better."
    assert directions(["nllh", "coverage"]).endswith("except for Coverage, where 0.9 is correct.")
