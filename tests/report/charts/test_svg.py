import re

import numpy as np
import pytest
from report_files import Page

from bayes_distnet.report.charts.chart import Dot, DotChart, Line, LineChart, Strip, StripChart
from bayes_distnet.report.charts.looks import Look
from bayes_distnet.report.charts.scales import linear_axis
from bayes_distnet.report.charts.svg import LABEL_GAP, MARKS, svg

ON, OFF, REFERENCE = Look(1, marker="o"), Look(2, on=False), Look(on=False, reference=True)
BAD = '<i>a</i> & "b"'


def line(name, look, *values):
    return Line(name, name, look, np.arange(float(len(values))), np.array(values, dtype=float))


def chart(*lines, **settings):
    x, y = linear_axis("runs", 0.0, 2.0), linear_axis("", 0.0, 1.0)
    return LineChart("NLLH", "NLLH against runs", x, y, lines, **settings)


def labels(text):
    return {name: float(y) for y, name in re.findall(r'<text class="end" x="[^"]+" y="([^"]+)"[^>]*>([^<]+)<', text)}


def test_lines_carry_their_values_and_their_state():
    text = svg(chart(line("a", ON, 0.2, 0.4, 0.6), line("b", OFF, 0.3, 0.3, np.nan)))
    assert 'class="series c1 on" data-name="a" data-xs="0 1 2" data-ys="0.2 0.4 0.6"' in text
    assert 'class="series c2" data-name="b" data-xs="0 1 2" data-ys="0.3 0.3 nan"' in text
    assert text.count(MARKS["o"]) == 3


def test_curves_have_few_marks():
    wave = np.linspace(0.1, 0.9, 21)
    peer, main = (Line("a", "a", Look(1, marker=marker), 2 * wave, wave) for marker in "so")
    assert svg(chart(peer, points=False)).count(MARKS["s"]) == 5
    assert svg(chart(peer)).count(MARKS["s"]) == 21
    assert MARKS["o"] not in svg(chart(main, points=False))


def test_points_outside_are_arrows_with_a_number():
    text = svg(chart(line("far", ON, 3.25, 0.5, 0.5), line("gone", REFERENCE, 7.5, 7.5, 7.5)))
    assert re.search(r'class="number"[^>]*>3.25<', text)
    assert "gone ↑ 7.5" in labels(text)
    assert text.count(MARKS["^"]) == 4
    assert "↓ −2" in svg(chart(line("low", ON, 0.5, 0.5, -2.0)))


def test_labels_at_line_ends_do_not_cover_each_other():
    lines = [line(f"model {i}", ON, 0.1, 0.2, 0.5 + i / 1000) for i in range(8)]
    places = sorted(labels(svg(chart(*lines))).values())
    assert np.diff(places).min() >= LABEL_GAP - 0.2


def test_labels_of_lines_beyond_an_edge_are_in_the_order_of_their_values():
    lines = [line(str(value), ON, 0.5, 0.5, value) for value in (5.0, 9.0, 7.0)]
    found = labels(svg(chart(*lines)))
    assert sorted(found, key=found.get) == ["9.0 ↑ 9", "7.0 ↑ 7", "5.0 ↑ 5"]


def test_a_chart_without_labels_has_none():
    assert labels(svg(chart(line("a", ON, 0.1, 0.2, 0.3), labelled=False))) == {}


def test_dots_outside_are_arrows_and_all_have_their_numbers():
    dots = [Dot("near", ON, 0.5, 0.1), Dot("far", OFF, 9.0, 0.1, "peer")]
    text = svg(DotChart("NLLH", "NLLH at 8 runs", linear_axis("NLLH", 0.0, 1.0), dots, rule=0.9))
    assert 'data-tip="near: 0.5 ± 0.1"' in text
    assert 'data-tip="far: 9 ± 0.1 (peer)"' in text
    assert text.count('class="whisker"') == 1
    assert text.count('class="rule"') == 1


def test_strips_lie_on_their_lanes():
    strips = [Strip(0, 0, "clasp", 0.0, 2.0), Strip(0, 1, "kissat", 1.0, 4.0), Strip(1, 0, "clasp", 0.0, 4.0)]
    looks = {"clasp": Look(1), "kissat": Look(2)}
    text = svg(StripChart("m", "schedules", linear_axis("s", 0.0, 4.0), ["one", "two"], strips, looks, lanes=2))
    tops = [float(y) for y in re.findall(r'<rect[^>]* y="([^"]+)"', text)]
    assert len(tops) == 3
    assert tops[0] < tops[1] < tops[2]
    assert 'data-tip="kissat: 1 s to 4 s"' in text


@pytest.mark.parametrize("empty", [(), (line("none", ON, np.nan, np.nan),)])
def test_charts_without_a_number_can_be_drawn(empty):
    assert Page(svg(chart(*empty))).open == []


def test_names_are_escaped():
    dots = DotChart(BAD, BAD, linear_axis(BAD, 0.0, 1.0), [Dot(BAD, ON, 0.5)])
    strips = StripChart(BAD, BAD, linear_axis(BAD, 0.0, 1.0), [BAD], [Strip(0, 0, BAD, 0.0, 1.0)], {BAD: ON})
    for drawn in (chart(line(BAD, ON, 0.1, 0.2)), dots, strips):
        text = svg(drawn)
        assert "<i>" not in text
        assert Page(text).open == []
