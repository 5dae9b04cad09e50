"""Measure benchmarks and print their tables, or write them into docs/reference/benchmarks.md.

python -m benchmarks [NAME...]            print (default: all benchmarks)
python -m benchmarks --write [NAME...]    also write the page; `make bench`
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import date
from pathlib import Path

import benchmarks
from synsamp.errors import SynsampError
from synsamp.runs.storage import machine
from synsamp.runs.storage.atomic import replacing

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "benchmarks.md"


def insert(page: str, name: str, content: str) -> str:
    """Return the page with the section of a benchmark replaced, or added at the end."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    part = f"{begin}\n{content}\n{end}"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    found = len(pattern.findall(page))
    if found > 1:
        raise SynsampError(f"the page must contain {begin!r} at most once, got {found}; remove one")
    return pattern.sub(lambda _: part, page) if found else f"{page.rstrip()}\n\n{part}\n"


def main(arguments: list[str], page: Path = PAGE) -> int:
    """Measure, print and write one benchmark at a time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help="benchmarks (default: all)")
    parser.add_argument("--write", action="store_true", help="write docs/reference/benchmarks.md")
    options = parser.parse_args(arguments)
    chosen = {name: benchmarks.load(name) for name in options.names or benchmarks.names()}
    for name, benchmark in chosen.items():
        table = benchmark.table(benchmark.run())
        print(f"\n{benchmark.TITLE}\n\n{table}", flush=True)
        versions = machine.versions()
        origin = (
            f"`python -m benchmarks {name}`, {date.today():%Y-%m-%d}, {machine.threads()} threads, "
            f"numpy {versions['numpy']}, numba {versions['numba']}."
        )
        if options.write:
            section = f"## {benchmark.TITLE}\n\n{table}\n\n{origin}"
            text = insert(page.read_text(encoding="utf-8"), name, section)
            with replacing(page) as file:
                file.write(text.encode())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SynsampError as error:
        sys.exit(str(error))
