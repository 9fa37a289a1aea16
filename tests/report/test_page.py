import re

import pytest
from matplotlib.figure import Figure
from report_files import Page, sections_of

from bayes_distnet.report.grids import Listing
from bayes_distnet.report.page import (
    Bullets,
    Facts,
    Folded,
    Heading,
    Panels,
    Paragraph,
    Region,
    Section,
    inline_svg,
    legend_line,
)
from bayes_distnet.report.page import page as whole_page

BAD = "<i>a</i> & 'b'"


def test_every_text_of_every_block_is_escaped():
    figure = inline_svg(Figure(), BAD, "one")
    line = legend_line(BAD, {"color": "#000000", "lw": 1.0, "ls": "-", "marker": "o"})
    table = Listing([BAD, BAD], [[BAD, BAD]], caption=BAD)
    blocks = [Paragraph(BAD, "note"), Heading(BAD), Bullets([BAD]), Facts([(BAD, BAD)])]
    blocks += [Region(BAD, table), Folded(BAD, Region("inside", table)), Panels([figure], BAD, [line])]
    text = whole_page(BAD, [Paragraph(BAD)], [Section("a", BAD, BAD, blocks)])
    parsed = Page(text)
    assert parsed.open == []
    assert "<i>" not in text
    assert "".join(parsed.texts).count(BAD) == 2 + 1 + 2 + 5 + 5 + 1 + 5 + 2


def test_the_page_is_well_formed_and_links_every_section(page):
    parsed = Page(page)
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    assert {f"#{section}" for section in sections_of(page)} <= set(parsed.links)


def test_a_browser_fetches_nothing(page):
    parsed = Page(page)
    assert parsed.links
    assert all(link.startswith("#") and link[1:] in parsed.ids for link in parsed.links)
    assert "<script" not in page
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    outside = re.findall(r'\S*https?://[^\s"]*', page)
    assert all(text.startswith("xmlns") for text in outside)


def test_tables_that_scroll_are_named_regions(page):
    regions = re.findall(r'<div class="scroll"([^>]*)>', page)
    labels = [re.search(r'role="region" aria-label="([^"]+)"', attributes)[1] for attributes in regions]
    assert len(labels) == len(set(labels)) > 10
    assert page.count("<caption>") == len(labels)


@pytest.mark.parametrize(("style", "dashes"), [(":", "1.0 1.6"), ((0, (4, 2)), "4.0 2.0"), ("-", "none")])
def test_a_legend_draws_lines_as_the_figure_does(style, dashes):
    line = legend_line("a", {"color": "#000000", "lw": 1.0, "ls": style, "marker": ""})
    assert (line.dashes, line.mark) == (dashes, "")
    text = whole_page("t", [], [Section("a", "a", "a", [Panels([], "none", [line])])])
    assert f'stroke-dasharray="{dashes}"/></svg>a</li>' in text
