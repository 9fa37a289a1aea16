"""Readers of what a report writes: the page and its tables."""

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "line", "path", "circle", "use"}


class Page(HTMLParser):
    """Checks that tags are balanced, and collects texts, ids and references."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.texts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "action", "srcset"):
                self.links.append(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def sections_of(page):
    """Return the ids of the sections of a page, in their order."""
    return re.findall(r'<section id="([^"]+)"', page)


def cells_of(results, name):
    """Return the cells of a table by row and column, as its Markdown has them."""
    lines = (results.folder / "tables" / f"{name}.md").read_text("utf-8").splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}
