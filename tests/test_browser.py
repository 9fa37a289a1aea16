"""The browser of the tests finds what is wrong with a page."""

import pytest
from browser import PHONE

WIDE = "<!doctype html><body style='margin:0;background:#fff'><p style='width:500px;color:#aaa'>faint</p><p>black</p>"


def test_a_page_that_is_too_wide_is_found(visit, tmp_path):
    page = tmp_path / "wide.html"
    page.write_text(WIDE)
    assert visit(page, size=PHONE).overflow() == 110
    assert visit(page).overflow() == 0


def test_text_of_low_contrast_is_found(visit, tmp_path):
    page = tmp_path / "faint.html"
    page.write_text(WIDE)
    assert visit(page).faint_texts() == ["faint 2.32"]


def test_tab_stops_are_listed_in_order(visit, tmp_path):
    page = tmp_path / "stops.html"
    page.write_text("<!doctype html><a href='#x'>first</a><span>none</span><button id='b'>second</button>")
    assert visit(page).tab_stops() == ["a first", "button#b"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("<script>nothing.here()</script>", "not defined"), ("<script>console.error('bad')</script>", "bad")],
)
def test_errors_of_a_page_are_seen(visit, tmp_path, text, found):
    page = tmp_path / "error.html"
    page.write_text(f"<!doctype html>{text}")
    one = visit(page)
    assert any(found in error for error in one.errors)
    one.errors.clear()


def test_requests_to_other_machines_are_refused_and_seen(visit, tmp_path):
    page = tmp_path / "foreign.html"
    page.write_text("<!doctype html><img src='http://example.invalid/a.png'>")
    one = visit(page)
    assert one.foreign == ["http://example.invalid/a.png"]
    one.foreign.clear()
    one.errors.clear()
