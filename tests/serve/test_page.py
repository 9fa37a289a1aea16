"""The page in a real browser: files, figures, slider, comparison, data set."""

import re
from pathlib import Path

import pytest
from browser import PHONE
from served import running

from bayes_distnet.collect.instances.registry import generate_instances
from bayes_distnet.serve.app import STATIC, create_app
from bayes_distnet.serve.browse import Browser
from bayes_distnet.serve.limits import Limits

DROP = """([zone, name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
  document.querySelector(zone).dispatchEvent(drop);
}"""


@pytest.fixture(scope="module")
def address(shelf, data):
    limits = Limits()
    with running(create_app(shelf, Browser(data, "clasp-factoring"), limits=limits), limits) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def cnf(tmp_path_factory):
    return generate_instances("factoring", 1, folder=tmp_path_factory.mktemp("cnf"), random_state=5)[0]


def cells(page, title):
    """Texts of a row of the table of answers."""
    row = page.locator("#table tbody tr").filter(has=page.locator("th", has_text=re.compile(f"^{title}")))
    row.wait_for()
    return row.locator("td").all_inner_texts()


def columns(page, count):
    """Wait for a number of instances in the table, and for their answers."""
    page.locator("#table thead button").nth(count - 1).wait_for(timeout=30_000)
    page.locator("#table td .why, #table td strong", has_text=re.compile("restart|no|every")).first.wait_for()
    assert page.locator("#table thead button").count() == count


def test_an_empty_page_explains_what_to_do_and_an_example_fills_it(visit, address):
    page = visit(address).page
    assert "Drop a file" in page.locator("#empty").inner_text()
    page.click("#example")
    columns(page, 1)
    assert not page.locator("#empty").is_visible()
    assert page.locator("#chart path.line").count() == 2  # cdf and density
    assert cells(page, "Like the training data") == ["familiar"]


def test_a_dropped_file_is_predicted_as_the_library_does(visit, address, cnf, shelf):
    import pandas as pd

    from bayes_distnet.features import cnf_features

    page = visit(address).page
    page.locator("#model option").first.wait_for(state="attached")
    page.evaluate(DROP, ["#drop", "mine.cnf", cnf.read_text()])
    columns(page, 1)
    row = pd.DataFrame([vars(cnf_features(cnf))["values"]])[shelf["clasp"].features]
    expected = shelf["clasp"].estimator.predict(row)[0]
    (median,) = cells(page, "Median")
    assert float(median.split()[0]) == pytest.approx(1e3 * expected, rel=0.01)
    assert median.endswith(" ms")


def test_the_slider_shows_the_time_left_and_advice(visit, address):
    page = visit(address).page
    page.click("#example")
    columns(page, 1)
    before = cells(page, "Within")
    page.focus("#within")
    for _ in range(20):
        page.keyboard.press("PageUp")
    assert cells(page, "Within") != before
    page.fill("#elapsed-seconds", "0.05")
    page.locator("#table .badge.continue, #table .badge.restart").wait_for()
    assert re.fullmatch(r"[\d.]+ m?s", cells(page, "Time left, median")[0])
    assert page.locator("#chart rect.past").count() == 2


def test_instances_of_the_data_are_compared_with_their_recorded_runs(visit, address):
    page = visit(address).page
    page.fill("#search", "000")
    page.locator("#place", has_text="1 to 10 of 10").wait_for()
    page.locator("#instances tbody button", has_text="0002").click()
    page.locator("#instances tbody button", has_text="0005").click()
    columns(page, 2)
    assert page.locator("#chart path.steps").count() == 2
    assert all(text.startswith("100 runs, median") for text in cells(page, "Recorded runs"))
    assert page.locator("#instances tr.chosen").count() == 2
    page.locator("#instances tbody button", has_text="0005").click()
    columns(page, 1)
    page.locator("#instances th button", has_text="Recorded").click()
    page.locator("th[aria-sort=ascending]", has_text="Recorded").wait_for()


def test_a_portfolio_has_a_column_per_solver_and_a_plan(visit, address):
    page = visit(address).page
    page.locator("#model option").first.wait_for(state="attached")
    page.select_option("#model", "portfolio")
    page.locator("#facts", has_text="PortfolioModel").wait_for()
    page.click("#show-paste")
    page.fill("#csv", "instance,x,noise\nhere,0.9,0\nthere,-0.9,0\n")
    page.locator("#paste button").click()
    columns(page, 2)
    page.locator("#table strong", has_text=re.compile("^left for")).wait_for()
    plans = cells(page, "Plan")
    assert plans[0].startswith("right")
    assert plans[1].startswith("left")
    assert len(cells(page, "Median")) == 4
    page.select_option("#shown", "left")
    assert len(cells(page, "Median")) == 2


def test_a_form_with_the_features_of_the_model_is_predicted(visit, address):
    page = visit(address).page
    page.locator("#model option").first.wait_for(state="attached")
    page.click("#show-form")
    page.locator("#fields label").first.wait_for()
    page.fill("#filter", "clauses")
    assert 0 < page.locator("#fields label:visible").count() < 10
    page.fill("#fields input[name='structure.clauses']", "1000000")
    page.locator("#form button").click()
    columns(page, 1)
    (verdict,) = cells(page, "Like the training data")
    assert verdict.startswith("outside")
    assert "structure.clauses 1e+06 (trained:" in verdict


def test_wrong_input_is_answered_with_a_sentence_and_nothing_is_lost(visit, address):
    opened = visit(address)
    page = opened.page
    page.click("#example")
    columns(page, 1)
    page.evaluate(DROP, ["#drop", "bad.cnf", "p cnf 1 1\n7 0\n"])
    page.locator("#alert", has_text="bad.cnf, line 2: literal 7; expected variables 1 to 1").wait_for(timeout=30_000)
    columns(page, 1)
    opened.errors.clear()  # the browser reports the status of the refusal


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_all_without_a_horizontal_scroll_bar_and_texts_can_be_read(visit, address, dark):
    opened = visit(address, size=PHONE, dark=dark)
    opened.page.click("#example")
    columns(opened.page, 1)
    assert opened.overflow() <= 0
    assert opened.faint_texts() == []


def test_everything_is_reached_by_keyboard(visit, address):
    opened = visit(address)
    opened.page.locator("#instances tbody tr").first.wait_for()
    stops = " ".join(opened.tab_stops())
    assert all(wanted in stops for wanted in ("#model", "#files", "#example", "#show-form", "#search", "#after"))
    opened.page.focus("#example")
    opened.page.keyboard.press("Enter")
    columns(opened.page, 1)
    stops = " ".join(opened.tab_stops())
    assert all(wanted in stops for wanted in ("#within", "#elapsed", "#cores", "#deadline", "Remove"))


def test_the_description_of_the_api_is_shown_without_a_network(visit, address):
    page = visit(f"{address}docs").page
    page.locator("h3", has_text="/api/advise").wait_for()
    assert "curl -F files=@problem.cnf" in page.locator("main").inner_text()


def test_no_file_of_the_page_names_another_machine():
    for file in sorted(Path(STATIC).iterdir()):
        remote = [
            found for found in re.findall(r"https?://[^\s\"'`]+", file.read_text("utf-8")) if "w3.org" not in found
        ]
        assert remote == [], file.name
