"""Chromium for tests of pages. `chromium` and `visit` are fixtures of all tests; without a browser they skip."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

PROGRAMS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP, PHONE = (1440, 900), (390, 844)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")


@dataclass
class Visit:
    """An open page, what its console reported, and what it asked of other machines."""

    page: object
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def overflow(self):
        """Return the pixels by which the page is wider than the window: 0 if it has no horizontal scroll bar."""
        return self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def tab_stops(self, limit=400):
        """Return what the tabulator key reaches, in order, each as its tag with its id or text."""
        self.page.evaluate("document.activeElement && document.activeElement.blur()")
        found = []
        for _ in range(limit):
            self.page.keyboard.press("Tab")
            stop = self.page.evaluate(_FOCUSED)
            if stop is None or (found and stop == found[0]):
                break
            found.append(stop)
        return found

    def faint_texts(self, least=4.5, inside="body"):
        """Return visible texts whose contrast with their background is below a ratio, each with its contrast."""
        return self.page.evaluate(_FAINT, [inside, least])


def find_chromium():
    """Return the path of a Chromium, or None."""
    return next((path for path in PROGRAMS if Path(path).is_file()), None) or shutil.which("chromium")


@pytest.fixture(scope="module")
def chromium():
    """A browser for the tests of a module."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium: apt-get install chromium")
    # One module only: as long as it is open, asyncio.run() does not work in this process.
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """Open pages: `visit(path or address, size=DESKTOP, dark=False, scripts=True, print=False)` returns a `Visit`.

    At the end the test fails if a page reported an error or asked another machine for something. A test that expects
    errors clears `errors`.
    """
    visits, contexts = [], []

    def open_page(target, *, size=DESKTOP, dark=False, scripts=True, print=False, **settings):
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            reduced_motion="reduce",
            **settings,
        )
        contexts.append(context)
        one = Visit(context.new_page())
        visits.append(one)
        one.page.set_default_timeout(10_000)
        one.page.on("console", lambda message: message.type == "error" and one.errors.append(message.text))
        one.page.on("pageerror", lambda error: one.errors.append(str(error)))
        context.route("**/*", lambda route: _at_home_only(route, one))
        if print:
            one.page.emulate_media(media="print")
        one.page.goto(target.resolve().as_uri() if isinstance(target, Path) else target)
        return one

    yield open_page
    for context in contexts:
        context.close()
    assert [error for one in visits for error in one.errors] == []
    assert [address for one in visits for address in one.foreign] == []


def _at_home_only(route, visit):
    """Refuse requests that leave this machine."""
    address = urlsplit(route.request.url)
    if address.scheme in ("file", "data", "blob") or address.hostname in LOOPBACK:
        route.continue_()
    else:
        visit.foreign.append(route.request.url)
        route.abort()


_FOCUSED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const name = e.getAttribute("aria-label") || e.textContent || e.value || "";
  return e.tagName.toLowerCase() + (e.id ? "#" + e.id : " " + name.trim().replace(/\\s+/g, " ").slice(0, 40));
}"""

# Ratios of contrast as WCAG 2 defines them; the background is that of the nearest ancestor that has one.
_FAINT = """([inside, least]) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = text => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255);
  };
  const light = rgb => rgb.slice(0, 3)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]));
  const ground = e => {
    const layers = [];
    for (; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [1, 1, 1]);
  };
  const faint = [];
  const walk = document.createTreeWalker(document.querySelector(inside), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || e.closest("script, style, noscript, .unseen, title, desc")) continue;
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const style = getComputedStyle(e), below = ground(e);
    const color = over(rgba(e instanceof SVGElement ? style.fill : style.color), below);
    const [a, b] = [light(color), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < least) faint.push(text.slice(0, 40) + " " + ratio.toFixed(2));
  }
  return faint;
}"""
