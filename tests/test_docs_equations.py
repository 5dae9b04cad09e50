"""The page of equations lists all of the paper, files that exist, and all that src cites."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (\d+) \|.*\| \[(\S+)\]\(\S+\) \|$", re.M)
ROWS = ROW.findall((ROOT / "docs" / "reference" / "equations.md").read_text(encoding="utf-8"))
CITED = re.compile(r"\bEqs?\.\s*(\d+(?:(?:,\s*|\s+and\s+|\s+to\s+|–)\d+)*)")


def cited(text):
    """Numbers of the equations that a text cites."""
    return {int(n) for found in CITED.findall(text) for n in re.findall(r"\d+", found)}


def test_the_table_has_all_38_equations_in_order():
    assert [int(number) for number, _ in ROWS] == list(range(1, 39))


def test_every_file_exists():
    assert [path for _, path in ROWS if not (ROOT / "src" / "synsamp" / path).is_file()] == []


def test_every_equation_cited_in_src_is_in_the_table():
    known = {int(number) for number, _ in ROWS}
    wrong = {
        path.relative_to(ROOT).as_posix(): sorted(cited(path.read_text()) - known)
        for path in (ROOT / "src").rglob("*.py")
    }
    assert {name: numbers for name, numbers in wrong.items() if numbers} == {}


def test_the_search_finds_citations():
    assert cited("(Eq. 5, synaptic sampling rule), Eqs. 8 and 26; Eqs. 24–26") == {5, 8, 26, 24}
    assert cited("Eq. 77") == {77}
