"""Check that a built site works without a network: no page fetches a script, style, font or picture from elsewhere.

    python scripts/check_site.py out/docs/html

Links that a reader may click are not fetched by the page, and are allowed.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

REMOTE = re.compile(r"^(https?:)?//")
IN_CSS = re.compile(r"url\(\s*['\"]?((?:https?:)?//[^'\")]+)|@import\s+['\"]((?:https?:)?//[^'\"]+)")
# Relations of <link> that are addresses only: the browser does not fetch them.
NOT_FETCHED = {"canonical", "author", "license", "alternate", "next", "prev"}


class Fetches(HTMLParser):
    """Addresses that a browser fetches when it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._in_style = False

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        if tag == "link" and not NOT_FETCHED & set(attributes.get("rel", "").split()):
            self.found.append(attributes.get("href", ""))
        if tag not in ("a", "link"):
            self.found += [attributes[name] for name in ("src", "data", "poster", "srcset") if name in attributes]
        self.found += of_css(attributes.get("style", ""))

    def handle_data(self, data):
        if self._in_style:
            self.found += of_css(data)


def of_css(text: str) -> list[str]:
    return [match[1] or match[2] for match in IN_CSS.finditer(text)]


def of_file(path: Path) -> list[str]:
    text = path.read_text("utf-8", errors="replace")
    if path.suffix == ".css":
        return of_css(text)
    page = Fetches()
    page.feed(text)
    return page.found


def remote_fetches(folder: Path) -> list[str]:
    files = sorted(file for file in folder.rglob("*") if file.suffix in (".html", ".css", ".svg"))
    if not any(file.suffix == ".html" for file in files):
        return [f"{folder}: no pages"]
    return [f"{file}: {address}" for file in files for address in of_file(file) if REMOTE.match(address)]


if __name__ == "__main__":
    problems = remote_fetches(Path(sys.argv[1]))
    sys.exit("\n".join(["The site needs a network:", *problems]) if problems else 0)
