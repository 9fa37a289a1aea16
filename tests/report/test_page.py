import re

from report_files import Page, sections_of

from bayes_distnet.report.charts.chart import DotChart
from bayes_distnet.report.charts.looks import DARK, LIGHT, Look
from bayes_distnet.report.charts.scales import linear_axis
from bayes_distnet.report.charts.svg import MARKS
from bayes_distnet.report.grids import Listing
from bayes_distnet.report.page import (
    Columns,
    Facts,
    Folded,
    Heading,
    Key,
    Panels,
    Paragraph,
    Region,
    Section,
)
from bayes_distnet.report.page import page as whole_page

BAD = "<i>a</i> & 'b'"


def test_every_text_of_every_block_is_escaped():
    chart = DotChart(BAD, BAD, linear_axis(BAD, 0.0, 1.0), [])
    key = Key(BAD, Look(1, marker="o"))
    table = Listing([BAD, BAD], [[BAD, BAD]], caption=BAD)
    blocks = [Paragraph(BAD, "note"), Heading(BAD), Columns([[Paragraph(BAD)]]), Facts([(BAD, BAD)])]
    blocks += [Region(BAD, table), Folded(BAD, Region("inside", table)), Panels([chart], BAD, [key])]
    text = whole_page(BAD, [Paragraph(BAD)], [Section("a", BAD, BAD, blocks)])
    parsed = Page(text)
    assert parsed.open == []
    assert "<i>" not in text
    assert "".join(parsed.texts).count(BAD) == 2 + 1 + 2 + 5 + 5 + 1 + 5 + 4


def test_the_page_is_well_formed_and_links_every_section(page):
    parsed = Page(page)
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {f"#{section}" for section in sections_of(page)} <= set(parsed.links)


def test_a_browser_fetches_nothing(page):
    parsed = Page(page)
    assert parsed.links
    assert all(link.startswith("#") and link[1:] in parsed.ids for link in parsed.links)
    assert len(re.findall("<script[^>]*>", page)) == page.count("<script>") == 1  # written into the page
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    outside = re.findall(r'\S*https?://[^\s"]*', page)
    assert outside == ['document.createElementNS("http://www.w3.org/2000/svg']  # a name


def test_tables_that_scroll_are_named_regions(page):
    regions = re.findall(r'<div class="scroll"([^>]*)>', page)
    labels = [re.search(r'role="region" aria-label="([^"]+)"', attributes)[1] for attributes in regions]
    assert len(labels) == len(set(labels)) > 10
    assert page.count("<caption>") == len(labels)


def test_a_legend_draws_lines_as_the_figure_does():
    key = Key("a", Look(3, dashes=(4, 2), marker="s", width=2.0))
    text = whole_page("t", [], [Section("a", "a", "a", [Panels([], "none", [key])])])
    item = re.search(r'<li class="c3 on" data-name="a">.*?</li>', text, re.DOTALL)[0]
    assert 'stroke-width="2.0" stroke-dasharray="8.0 4.0"' in item
    assert MARKS["s"] in item


def test_charts_after_those_shown_at_first_are_folded():
    charts = [DotChart(f"instance {i}", "d", linear_axis("x", 0, 1), []) for i in range(5)]
    text = whole_page("t", [], [Section("a", "a", "a", [Panels(charts, "none", choice="Instance", shown=3)])])
    before, after = text.split("<summary>2 more</summary>")
    assert "instance 2" in before
    assert "instance 3" not in before
    assert "instance 4" in after
    assert Page(text).open == []


def test_the_palette_of_the_page_is_that_of_the_looks(page):
    assert all(f"--c{i}: {color};" in page for i, color in enumerate(LIGHT, start=1))
    assert all(f"--c{i}: {color};" in page for i, color in enumerate(DARK, start=1))
