"""The report in a real browser: sizes, colours, print, scripts off, clicks, keys and values under the pointer."""

import re

import pytest
from browser import DESKTOP, PHONE

from bayes_distnet.report.book import Book
from bayes_distnet.report.write import write_report

pytestmark = pytest.mark.slow
FIGURE = "#low-samples figure.charts"


@pytest.fixture(scope="module")
def report(all_results):
    """The page on results of all models; files for papers are left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Book, "figure", lambda self, name, charts: charts)
        return write_report(all_results.folder)


def switch(page, name):
    return page.locator(f'{FIGURE} .legend button[data-name="{name}"]')


def lines(page, name):
    return page.locator(f'.series[data-name="{name}"]')


def names_on(page):
    return page.eval_on_selector_all(f"{FIGURE} .panel:first-child .series.on", "all => all.map(s => s.dataset.name)")


def overlaps(page):
    """Return pairs of labels of one chart that cover each other, and labels that leave their chart."""
    return page.evaluate(
        """() => [...document.querySelectorAll("svg.lines")].flatMap(chart => {
          const frame = chart.getBoundingClientRect();
          const labels = [...chart.querySelectorAll(".end")].filter(e => e.checkVisibility())
            .map(e => [e.textContent, e.getBoundingClientRect()]).sort((a, b) => a[1].y - b[1].y);
          const high = 13 * frame.width / 720;
          return [
            ...labels.slice(1).filter(([, box], i) => box.y - labels[i][1].y < high).map(l => "covered: " + l[0]),
            ...labels.filter(([, box]) => box.right > frame.right + 1).map(l => "cut: " + l[0]),
          ];
        })"""
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_fits_the_window_and_every_text_can_be_read(visit, report, size, dark):
    one = visit(report, size=size, dark=dark)
    assert one.overflow() == 0
    assert one.faint_texts() == []


def test_the_page_uses_its_width(visit, report):
    page = visit(report).page
    widths = page.eval_on_selector_all(f"{FIGURE} svg.chart", "all => all.map(e => e.getBoundingClientRect().width)")
    assert len(widths) == 8
    assert min(widths) > 0.42 * DESKTOP[0]


def test_print_has_all_charts_on_light_paper_and_no_controls(visit, report):
    one = visit(report, print=True, dark=True)
    assert one.overflow() == 0
    assert one.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(252, 252, 251)"
    assert not one.page.locator(f"{FIGURE} select").is_visible()
    assert one.page.locator(f"{FIGURE} svg.chart").count() == 8


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_without_scripts_the_page_is_complete(visit, report, size):
    one = visit(report, size=size, scripts=False)
    page = one.page
    assert page.locator(f"{FIGURE} svg.chart:visible").count() == 8
    assert page.locator(f"{FIGURE} .legend li").count() > 16
    assert page.locator("select, button").count() == 0
    more = page.locator("#examples details.more").first
    assert not more.locator("svg.chart").first.is_visible()
    more.locator("summary").click()
    assert more.locator("svg.chart").first.is_visible()


def test_at_most_eight_lines_are_in_colour_until_one_is_switched_off(visit, report):
    page = visit(report).page
    assert len(names_on(page)) == 8
    grey = page.locator(f"{FIGURE} .legend li:not(.on):not(.reference) button").first
    name = grey.get_attribute("data-name")
    grey.click()
    assert page.get_by_role("status").inner_text() == "8 lines are in colour: switch one off first."
    assert name not in names_on(page)

    switch(page, "HybridDistNet").click()
    assert "HybridDistNet" not in names_on(page)
    assert switch(page, "HybridDistNet").get_attribute("aria-pressed") == "false"
    switch(page, name).click()
    assert name in names_on(page)
    # A model is switched in all figures of the report.
    assert lines(page, name).count() > 8
    assert page.locator(f'.series:not(.on)[data-name="{name}"]').count() == 0
    assert page.locator(f'#censoring .legend button[data-name="{name}"][aria-pressed=true]').count() == 1


def test_labels_do_not_cover_each_other_before_and_after_a_switch(visit, report):
    page = visit(report).page
    assert overlaps(page) == []
    off = ["HybridDistNet", "BayesDistNet, lognormal"]
    for name in off:
        switch(page, name).click()
    for grey in ("Ridge", "KNearest", "log-normal AFT", "XGBoost AFT"):
        if len(names_on(page)) < 8 and grey not in names_on(page):
            switch(page, grey).click()
    assert overlaps(page) == []


def test_grey_lines_can_be_hidden(visit, report):
    page = visit(report).page
    grey = page.locator(f"{FIGURE} .panel:first-child .series:not(.on):not(.reference)").first
    assert grey.is_visible()
    page.locator(f"{FIGURE} .legend button.plain").click()
    assert not grey.is_visible()


def test_a_reader_chooses_a_score_and_an_instance(visit, report):
    page = visit(report).page
    page.locator(f"{FIGURE} select").select_option(label="KS")
    assert page.locator(f"{FIGURE} .panel:visible .title").all_inner_texts() == ["KS"]
    page.locator(f"{FIGURE} select").select_option(label="all")
    assert page.locator(f"{FIGURE} .panel:visible").count() == 8

    examples = page.locator("#examples figure").first
    assert examples.locator(".panel:visible").count() == 3
    last = examples.locator("select option").last.inner_text()
    examples.locator("select").select_option(label=last)
    assert examples.locator(".panel:visible .title").all_inner_texts() == [last]


def test_the_pointer_shows_values_of_the_tidy_table(visit, report, all_results):
    page = visit(report).page
    chart = page.locator(f"{FIGURE} svg.lines").first
    chart.scroll_into_view_if_needed()
    line = chart.locator('.series[data-name="HybridDistNet"]')
    frame, x, y = (list(map(float, chart.get_attribute(f"data-{key}").split())) for key in ("frame", "x", "y"))
    value = float(line.get_attribute("data-ys").split()[-1])
    box = chart.bounding_box()
    scale = box["width"] / 720
    place = frame[1] + frame[3] * (1 - (value - y[0]) / (y[1] - y[0]))
    page.mouse.move(box["x"] + scale * (frame[0] + frame[2]), box["y"] + scale * place)
    tip = page.locator("#tip").inner_text()
    rows = all_results.of("low-samples").query("model == 'HybridDistNet' and score == 'nllh' and runs == 16")
    mean = f"{rows['value'].mean():.4g}".replace("-", "−")
    assert tip.splitlines()[0] == "HybridDistNet"
    assert f"NLLH: {mean}" in tip
    assert "runs per instance to learn from: 16" in tip
    assert x[1] == 16
    page.mouse.move(5, 5)
    assert not page.locator("#tip").is_visible()


def test_the_keyboard_reaches_switches_choices_charts_and_their_values(visit, report):
    one = visit(report)
    stops = one.tab_stops(limit=120)
    assert any(stop.startswith("button HybridDistNet") for stop in stops)
    assert any(stop.startswith("select") for stop in stops)
    assert any("NLLH against numbers of runs" in stop for stop in stops)
    chart = one.page.locator(f"{FIGURE} svg.lines").first
    chart.focus()
    # Values disappear when the page moves: it has to be at rest before the keys.
    one.page.evaluate("() => new Promise(done => setTimeout(() => requestAnimationFrame(done), 500))")
    one.page.keyboard.press("ArrowRight")
    first = one.page.locator("#tip").inner_text()
    one.page.keyboard.press("ArrowRight")
    second = one.page.locator("#tip").inner_text()
    one.page.keyboard.press("ArrowDown")
    third = one.page.locator("#tip").inner_text()
    assert first.splitlines()[0] == second.splitlines()[0] != third.splitlines()[0]
    assert re.search(r": 2$", second)
    one.page.keyboard.press("Escape")
    assert not one.page.locator("#tip").is_visible()
    switch(one.page, "HybridDistNet").focus()
    one.page.keyboard.press("Space")
    assert "HybridDistNet" not in names_on(one.page)
