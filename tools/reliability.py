"""Write the table of docs/reference/reliability.md from the JUnit file of `make torture`."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from tools.markdown import ROOT, replace_between
from tools.repository import commit

PAGE = ROOT / "docs" / "reference" / "reliability.md"
BEGIN = "<!-- tried: begin (written by `make torture`) -->"
END = "<!-- tried: end -->"


def count(junit: Path) -> tuple[Counter[str], Counter[str]]:
    """Count cases, and cases in failed tests, per kind."""
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
    """Write the counts as a Markdown table."""
    rows = ["| what was tried | cases | in failed tests |", "| --- | ---: | ---: |"]
    rows += [f"| {k} | {tried[k] + failed[k]:,} | {failed[k]:,} |" for k in sorted(tried | failed)]
    return "\n".join(rows)


def main() -> None:
    """Write the table into the page."""
    found = table(*count(Path(sys.argv[1])))
    content = f"{found}\n\nTested code: commit `{commit()}`."
    PAGE.write_text(replace_between(PAGE.read_text(), BEGIN, END, content))
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
