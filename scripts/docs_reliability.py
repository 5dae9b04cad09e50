"""Write the table of docs/reliability.md from the JUnit file of `make torture`."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"
BEGIN = "<!-- tried: begin (written by `make torture`) -->"
END = "<!-- tried: end -->"


def count(junit: Path) -> tuple[Counter[str], Counter[str]]:
    """Cases tried and cases in failed tests, per kind."""
    tried: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for case in ElementTree.parse(junit).iter("testcase"):
        bad = case.find("failure") is not None or case.find("error") is not None
        for item in case.iter("property"):
            if item.get("name") == "tried":
                kind, _, number = (item.get("value") or "").rpartition("=")
                (failed if bad else tried)[kind] += int(number)
    return tried, failed


def table(tried: Counter[str], failed: Counter[str]) -> str:
    """The two counters as Markdown."""
    rows = ["| what was tried | cases | in failed tests |", "| --- | ---: | ---: |"]
    rows += [f"| {k} | {tried[k] + failed[k]:,} | {failed[k]:,} |" for k in sorted(tried | failed)]
    return "\n".join(rows)


def main() -> None:
    """Replace what stands between the two marks of the page."""
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(*count(Path(sys.argv[1])))}\n{END}{after}")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
