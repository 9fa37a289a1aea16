"""Commands on the pages of the documentation, shared by tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")])
BLOCK = re.compile(r"^(?P<run><!-- run -->\n)?```(?P<kind>sh|console|python)\n(?P<text>.*?)^```", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A block of code on a page; `runs` if a line `<!-- run -->` stands before it."""

    page: Path
    kind: str
    text: str
    runs: bool

    @property
    def name(self) -> str:
        """Page and first words, for the names of tests."""
        return f"{self.page.name}: {self.text.strip()[:50]}"

    def commands(self) -> list[str]:
        """Lines that a shell runs, continued ones joined; output of a console is left out."""
        lines = re.sub(r"\\\n\s*", "", self.text).splitlines()
        if self.kind == "console":
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        return [line for line in lines if line.strip() and not line.startswith("#")]


def blocks(*kinds: str) -> list[Block]:
    """Return all blocks of these kinds."""
    found = [(page, match) for page in PAGES for match in BLOCK.finditer(page.read_text("utf-8"))]
    return [Block(page, m["kind"], m["text"], bool(m["run"])) for page, m in found if m["kind"] in kinds]
