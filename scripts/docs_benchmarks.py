"""Measure benchmarks and put their tables into docs/benchmarks.md.

    python scripts/docs_benchmarks.py [NAME...]      (default: all)

Each benchmark has its own pair of markers, so one can be measured anew without the others. Nothing
in the tables is typed by hand.
"""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

from synsamp import bench
from synsamp.errors import SynsampError
from synsamp.runs.storage import machine
from synsamp.runs.storage.atomic import replacing

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def insert(page: str, name: str, content: str) -> str:
    """Return the page with the part of benchmark ``name`` replaced, or added at its end."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    part = f"{begin}\n{content}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    found = len(pattern.findall(page))
    if found > 1:
        raise SynsampError(f"the page must hold {begin!r} at most once, got {found}; remove one")
    return pattern.sub(lambda _: part, page) if found else f"{page.rstrip()}\n\n{part}\n"


def main(names: list[str]) -> None:
    """Measure and insert, one benchmark at a time."""
    for name in names or bench.names():
        benchmark = bench.load(name)
        table = benchmark.table(benchmark.run())
        versions = machine.versions()
        origin = (
            f"`synsamp bench {name}`, {date.today():%Y-%m-%d}, {machine.threads()} threads, "
            f"numpy {versions['numpy']}, numba {versions['numba']}."
        )
        text = insert(PAGE.read_text(), name, f"## {benchmark.TITLE}\n\n{table}\n\n{origin}")
        with replacing(PAGE) as file:
            file.write(text.encode())
        print(f"{name}: written into {PAGE.name}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SynsampError as error:
        sys.exit(str(error))
