import matplotlib
import numpy as np
from fake_results import MODELS as FAKE

from bayes_distnet.distributions.families import FAMILIES
from bayes_distnet.models.registry import MODELS, ModelEntry, Role
from bayes_distnet.report.names import role_of
from bayes_distnet.report.styles import Styles, has_own_color


def styles_of(names):
    return Styles({name: role_of(name) for name in names})


def test_no_two_models_look_the_same():
    names = [*FAKE, *(f"peer {i}" for i in range(30))]
    styles = styles_of(names)
    for style in (styles.line, styles.curve):
        looks = [(s["color"], str(s["ls"]), s["marker"], s["lw"]) for s in map(style, names)]
        assert len(set(looks)) == len(names)
    assert styles.line("DistNet", "lognormal")["ls"] != styles.line("DistNet", "inverse-gaussian")["ls"]


def test_every_family_has_its_own_dashes():
    styles = styles_of(["DistNet"])
    dashes = {str(styles.line("DistNet", family)["ls"]) for family in [*FAMILIES, "mine"]}
    assert len(dashes) == len(FAMILIES) + 1


def contrast(color, paper):
    """Return the contrast of two colours as the Web Content Accessibility Guidelines define it."""
    light = []
    for rgb in map(matplotlib.colors.to_rgb, (color, paper)):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        light.append(np.dot([0.2126, 0.7152, 0.0722], linear) + 0.05)
    return max(light) / min(light)


def test_lines_can_be_seen_on_a_light_and_on_a_dark_page():
    names = [*FAKE, *(f"peer {i}" for i in range(10)), "Toy 1", "Toy 2"]
    with (
        MODELS.extended(ModelEntry("toy-1", "Toy 1", Role.MODEL, "math:hypot", main=True)),
        MODELS.extended(ModelEntry("toy-2", "Toy 2", Role.MODEL, "math:hypot", main=True)),
    ):
        styles = styles_of(names)
        colors = {styles.line(name)["color"] for name in names}
    assert len(colors) == 4 + 2 + 5 + 1  # main models, added ones, peers, limits
    assert all(contrast(color, paper) >= 3 for color in colors for paper in ("#fcfcfb", "#14171c"))


def test_variants_share_the_colour_of_their_model():
    styles = styles_of(FAKE)
    for entry in MODELS.values():
        if entry.variant_of is not None:
            assert has_own_color(entry.label)
            assert styles.line(entry.label)["color"] == styles.line(MODELS[entry.variant_of].label)["color"]


def test_a_limit_of_a_user_is_dotted_and_grey():
    styles = Styles({"limit: empirical": Role.LIMIT, "bound": Role.LIMIT, "mine": Role.PEER})
    grey = {styles.line(name)["color"] for name in ("limit: empirical", "bound")}
    assert len(grey) == 1
    assert styles.line("mine")["color"] not in grey
    assert styles.line("bound")["ls"] != styles.line("limit: empirical")["ls"]
