"""Check a built site: every link leads somewhere, and nothing is loaded from another machine.

python -m tools.check_site docs/_build/html
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"img": "src", "script": "src", "iframe": "src", "link": "href", "source": "src"}
"""What a browser loads by itself; `a` is only followed."""


class Page(HTMLParser):
    """Anchors and links of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors of an element, and where it leads."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") != "canonical":
            self.loads.append(given[LOADED[tag]])


def faults(folder: Path) -> Iterator[str]:
    """One line per broken link, and per file that is loaded from elsewhere."""
    found = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in found}
    for path, page in pages.items():
        here = path.relative_to(folder)
        for address in page.loads:
            if urlsplit(address).netloc:
                yield f"{here}: loads {address}"
        for address in {*page.links, *page.loads}:
            parts = urlsplit(unquote(address))
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / parts.path).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{here}: {address} leads nowhere"
            known = pages.get(target)
            if known and target.name != "lab.html" and parts.fragment not in {"", *known.anchors}:
                yield f"{here}: {address} has no such heading"


def main(arguments: list[str]) -> int:
    """Print all faults of a site; 1 if there are any."""
    found = sorted(faults(Path(arguments[0]).resolve()))
    print("\n".join(found) or "all links lead somewhere; nothing is loaded from elsewhere")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
