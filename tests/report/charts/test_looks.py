import matplotlib
import numpy as np
import pandas as pd
import pytest
from fake_results import MODELS as FAKE

from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.models.registry import MODELS, ModelEntry, Role
from bayes_distnet.report.charts.looks import DARK, LIGHT, MOST_COLOURED, Looks

PAPERS = {"light": ("#fcfcfb", LIGHT), "dark": ("#14171c", DARK)}
# Machado, Oliveira and Fernandes (2009): linear colours as people without one kind of cones see them.
BLIND = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def looks_of(names, families=("",), ranked=()):
    rows = [(name, family) for name in names for family in families]
    return Looks.of(pd.DataFrame(rows, columns=["model", "family"]), ranked)


def linear(colors):
    rgb = np.array([matplotlib.colors.to_rgb(color) for color in colors])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return CIE L*a*b* of linear colours."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = rgb @ to_xyz.T / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


@pytest.mark.parametrize("page", PAPERS)
def test_colours_can_be_read_as_text(page):
    paper, colors = PAPERS[page]
    light = linear([paper, *colors]) @ [0.2126, 0.7152, 0.0722] + 0.05
    assert np.all(np.maximum(light[1:], light[0]) / np.minimum(light[1:], light[0]) >= 4.5)


@pytest.mark.parametrize("blind", BLIND)
@pytest.mark.parametrize("page", PAPERS)
def test_colours_can_be_told_apart_by_the_colour_blind(page, blind):
    seen = lab(np.clip(linear(PAPERS[page][1]) @ np.transpose(BLIND[blind]), 0, 1))
    far = np.linalg.norm(seen[:, None] - seen[None], axis=2)[np.triu_indices(len(seen), 1)]
    assert far.min() > 15  # ten is a difference seen at a glance


def test_no_two_lines_look_the_same():
    names = [*FAKE, *(f"peer {i}" for i in range(30))]
    looks = looks_of(names, ("lognormal", "inverse-gaussian")).looks.values()
    seen = {(look.color, look.dashes, look.marker, look.width) for look in looks}
    assert len(seen) == 2 * len(names) - 2  # both families of each of the two limits are one line


def test_every_family_has_its_own_dashes():
    looks = looks_of(["DistNet"], [*FAMILIES, "mine"]).looks.values()
    assert len({look.dashes for look in looks}) == len(FAMILIES) + 1


def test_at_most_eight_lines_are_in_colour_main_models_and_the_best_of_the_others_first():
    looks = looks_of(FAKE, ("lognormal", "inverse-gaussian"), ranked=["QuantileForest", "NGBoost", "Ridge", "KNearest"])
    on = {row for row, look in looks.looks.items() if look.on}
    assert len(on) == MOST_COLOURED
    main = [entry.label for entry in MODELS.values() if entry.main]
    assert {model for model, _ in on} == {*main, "QuantileForest", "NGBoost", "Ridge", "KNearest"}
    assert {family for _, family in on} == {"lognormal"}
    assert len({looks.look(*row).color for row in on}) == MOST_COLOURED


def test_second_families_are_in_colour_where_there_is_room():
    looks = looks_of(["BayesDistNet", "DistNet"], ("lognormal", "inverse-gaussian"))
    assert all(look.on for look in looks.looks.values())
    assert looks.label("DistNet", "lognormal") == "DistNet"
    assert looks.label("DistNet", "inverse-gaussian").startswith("DistNet, ")


def test_limits_and_the_model_that_ignores_the_features_are_grey_with_a_label():
    looks = looks_of(["DistNet", "Marginal", "limit: empirical"])
    for model in ("Marginal", "limit: empirical"):
        look = looks.look(model)
        assert (look.color, look.on, look.labelled) == (0, False, True)
    own = Looks.of(pd.DataFrame({"model": ["bound", "mine"], "family": "", "role": [Role.LIMIT, Role.PEER]}))
    assert own.look("bound").reference
    assert own.look("mine").on


def test_variants_share_the_colour_of_their_model():
    looks = looks_of(FAKE)
    for entry in MODELS.values():
        if entry.variant_of is not None:
            assert looks.look(entry.label).color == looks.look(MODELS[entry.variant_of].label).color


def test_an_added_main_model_is_in_colour():
    with MODELS.extended(ModelEntry("toy", "Toy", Role.MODEL, "math:hypot", main=True)):
        assert looks_of([*FAKE, "Toy"]).look("Toy").on
