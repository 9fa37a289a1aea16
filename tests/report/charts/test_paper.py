import numpy as np
from figure_lines import lines_of
from matplotlib.figure import Figure

from bayes_distnet.report.charts.chart import Dot, DotChart, Line, LineChart, Strip, StripChart
from bayes_distnet.report.charts.looks import GREY, LIGHT, Look
from bayes_distnet.report.charts.paper import draw, figure
from bayes_distnet.report.charts.scales import linear_axis, log_axis

ON, OFF = Look(1, marker="o"), Look(2, on=False)


def axes():
    return Figure().add_subplot()


def test_lines_in_colour_are_named_and_the_others_grey():
    x = np.array([0.0, 1.0])
    lines = [Line("$a_$ b", "a", ON, x, x), Line("b", "b", OFF, x, 1 - x)]
    ax = axes()
    draw(LineChart("n", "d", linear_axis("x", 0, 1), linear_axis("y", 0, 1), lines), ax)
    assert list(lines_of(ax)) == [r"\$a_\$ b"]
    assert [line.get_color() for line in ax.lines] == [LIGHT[0], GREY]
    ax.get_figure().canvas.draw()  # as mathematics the name would not even parse


def test_values_outside_are_arrows_with_a_number():
    line = Line("a", "a", ON, np.array([0.0, 1.0]), np.array([0.5, 7.25]))
    ax = axes()
    draw(LineChart("n", "d", linear_axis("x", 0, 1), linear_axis("y", 0, 1), [line]), ax)
    assert ax.get_ylim() == (0, 1)
    assert [text.get_text() for text in ax.texts] == ["7.25"]


def test_numbers_of_arrows_at_one_place_are_stacked():
    x = np.array([0.0, 1.0])
    lines = [Line(name, name, ON, x, np.array([value, 0.5])) for name, value in (("a", 7.0), ("b", 8.0))]
    ax = axes()
    draw(LineChart("n", "d", linear_axis("x", 0, 1), linear_axis("y", 0, 1), lines), ax)
    assert [text.get_text() for text in ax.texts] == ["7", "8"]
    assert len({text.xyann for text in ax.texts}) == 2


def test_charts_of_all_kinds_share_a_figure():
    x = np.array([1.0, 2.0])
    lines = LineChart("l", "d", log_axis("x", 1, 2), linear_axis("y", 0, 3), [Line("a", "a", ON, x, x, x - 1, x + 1)])
    dots = DotChart("d", "d", linear_axis("x", 0, 1), [Dot("one", ON, 0.5, 0.1), Dot("far", ON, 5.0)], rule=0.9)
    strips = StripChart("s", "d", linear_axis("s", 0, 1), ["r"], [Strip(0, 0, "clasp", 0, 1)], {"clasp": ON})
    whole = figure([lines, dots, strips])
    whole.canvas.draw()
    assert [ax.get_title(loc="left") for ax in whole.axes] == ["l", "d", "s"]
    assert [text.get_text() for text in whole.legends[0].get_texts()] == ["a", "clasp"]
