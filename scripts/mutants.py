"""Put small faults into the code, one at a time, and see whether a fast test notices.

    make mutants                                   # a seeded sample; writes docs/reliability.md
    make mutants ONLY="rule/step.py priors/flat.py"      # a sample of some files, no table
    make mutants AGAIN=1                           # after new tests: those not caught last time
    make mutants SEED=7                            # another sample

The faults are Cosmic Ray's. It writes them into the file, as Numba needs: a tool that switches
faults on inside the running function leaves nothing to compile. Places are drawn at random (a
number, an operator, a decorator, a loop), then one of the faults possible there, so that the eleven
ways to spoil a ``+`` do not outweigh the one way to spoil an ``if``. The tests run in a copy of the
tree. A fault counts as caught if a test fails or does not come to an end. Those that change nothing
anybody could see are named with their reason in mutants_equivalent.toml.

Only what is caught at once says how good the tests are elsewhere: what is caught by tests that were
written for these very faults says nothing of others.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import multiprocessing
import os
import random
import shlex
import shutil
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test, mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.testing import run_tests
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent
SOURCE = Path("src/synsamp")
SESSION = ROOT / ".mutants.json"
PAGE = ROOT / "docs" / "reliability.md"
BEGIN = "<!-- mutants: begin (written by `make mutants`) -->"
END = "<!-- mutants: end -->"
WORKERS = 2
LIMIT_S = 240

Parts = dict[str, dict[str, list[str]]]


def parts() -> Parts:
    """Per part of the package its files, each with the tests that should notice."""
    return tomllib.loads((HERE / "mutants_targets.toml").read_text())


def equivalent() -> dict[str, str]:
    """Faults that nobody could see, as `describe` calls them, and why."""
    return tomllib.loads((HERE / "mutants_equivalent.toml").read_text())


def _annotations(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where types are written: they are never evaluated, so no fault there could matter."""
    for node in ast.walk(ast.parse(text)):
        for name in ("annotation", "returns"):
            place = getattr(node, name, None)
            if isinstance(place, ast.AST):
                yield (
                    (place.lineno, place.col_offset),  # type: ignore[attr-defined]
                    (place.end_lineno, place.end_col_offset),  # type: ignore[attr-defined]
                )


def faults(target: str) -> dict[tuple[Any, ...], list[MutationSpec]]:
    """All faults of a file by where they are and of which kind."""
    path = ROOT / SOURCE / target
    types = list(_annotations(path.read_text()))
    places: dict[tuple[Any, ...], list[MutationSpec]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        use_db(Path(folder) / "session.sqlite", WorkDB.Mode.create) as db,
    ):
        init([SOURCE / target], db, {})
        found = [m for item in db.work_items for m in item.mutations]
    for fault in found:
        start = tuple(fault.start_pos)
        if any(begin <= start < end for begin, end in types):
            continue
        kind = fault.operator_name.split("/")[1].split("_")[0]
        places.setdefault((target, *start, kind), []).append(fault)
    return places


def describe(fault: MutationSpec) -> str:
    """As ``rule/equation.py: T * b_slope -> T / b_slope``, by the lines that differ."""
    text = (ROOT / fault.module_path).read_text()
    operator = get_operator(fault.operator_name)(**fault.operator_args)
    faulty = mutate_code(text, operator, fault.occurrence) or text
    changed = list(difflib.unified_diff(text.splitlines(), faulty.splitlines(), n=0))[2:]
    old, new = (
        " ".join(line[1:].strip() for line in changed if line[0] == sign).strip() for sign in "-+"
    )
    return f"{_target(fault)}: {old} -> {new or '(gone)'}"


def _command(tests: list[str]) -> str:
    python = os.environ["SYNSAMP_PYTHON"]
    return shlex.join([python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests])


def _settle() -> None:
    """Give a worker its own copy of the tree."""
    folder = Path(tempfile.mkdtemp(dir=os.environ["SYNSAMP_MUTANTS"]))
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("src", "tests", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder / "src")
    os.environ["NUMBA_CACHE_DIR"] = str(folder / "cache")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")


def _green(tests: list[str]) -> tuple[str, float]:
    """What the tests print where they fail without any fault, and how long they take."""
    began = time.monotonic()
    outcome, output = run_tests(_command(tests), LIMIT_S)
    took = time.monotonic() - began
    return ("" if outcome == TestOutcome.SURVIVED else output[-1500:]), took


def _caught(fault: MutationSpec, tests: list[str], limit_s: float) -> bool:
    result = mutate_and_test([fault], _command(tests), limit_s)
    if result.test_outcome not in (TestOutcome.KILLED, TestOutcome.SURVIVED):
        sys.exit(f"Cosmic Ray must be able to try {fault}, got {result.output}")
    return result.test_outcome == TestOutcome.KILLED


def choose(wanted: dict[str, list[str]], sample: int, seed: int) -> tuple[int, list[MutationSpec]]:
    """How many places there are, and a fault at each of those drawn."""
    places = {place: found for target in wanted for place, found in faults(target).items()}
    draw = random.Random(seed)
    drawn = sorted(places) if not sample else draw.sample(sorted(places), min(sample, len(places)))
    return len(places), [draw.choice(places[place]) for place in drawn]


def try_all(
    wanted: dict[str, list[str]],
    chosen: list[tuple[str, MutationSpec]],
    outcome: dict[str, str],
    keep: bool,
) -> None:
    """Note what became of each fault, by its description; with ``keep`` also on disk."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, context, _settle) as pool:
        limits: dict[tuple[str, ...], float] = {}
        sets = {tuple(wanted[_target(fault)]) for _, fault in chosen}
        tried = {pool.submit(_green, list(tests)): tests for tests in sets}
        for future in as_completed(tried):
            failure, took = future.result()
            print(f"  {took:4.0f} s  {' '.join(tried[future])}", flush=True)
            if failure:
                sys.exit(f"tests must pass without a fault, got a failure; mend them\n{failure}")
            limits[tried[future]] = 30 + 5 * took
        running = {}
        for name, fault in chosen:
            tests = wanted[_target(fault)]
            running[pool.submit(_caught, fault, tests, limits[tuple(tests)])] = name, fault
        for count, future in enumerate(as_completed(running), 1):
            name, fault = running[future]
            seen_before = outcome.get(name) == "not caught"
            caught = "caught later" if seen_before else "caught"
            outcome[name] = caught if future.result() else "not caught"
            if keep:
                SESSION.write_text(json.dumps(outcome, indent=1, sort_keys=True))
            if outcome[name] == "not caught":
                print(f"not noticed: line {fault.start_pos[0]} of {name}", flush=True)
            if count % 10 == 0:
                print(f"  {count} of {len(running)} tried", flush=True)


def _target(fault: MutationSpec) -> str:
    return fault.module_path.relative_to(SOURCE).as_posix()


def table(drawn: dict[str, tuple[int, list[str]]], outcome: dict[str, str]) -> str:
    """How many places each part has, and what became of the faults drawn, as Markdown."""
    known = equivalent()
    rows = [
        "| part | places | tried | equivalent | caught at once | by tests written then | left |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    total: Counter[str] = Counter()
    for part, (places, names) in drawn.items():
        row = Counter(outcome[name] for name in names if name not in known)
        row.update(places=places, tried=len(names), same=sum(name in known for name in names))
        total += row
        rows.append(_row(part, row))
    rows.append(_row("**all**", total))
    return "\n".join(rows)


def _row(part: str, n: Counter[str]) -> str:
    real = max(1, n["tried"] - n["same"])
    at_once, later = n["caught"], n["caught later"]
    return (
        f"| {part} | {n['places']:,} | {n['tried']} | {n['same']} "
        f"| {at_once} ({100 * at_once / real:.0f} %) "
        f"| {later} (together {100 * (at_once + later) / real:.0f} %) | {n['not caught']} |"
    )


def write(figures: str) -> None:
    """Put the table between the two marks of the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{figures}\n{END}{after}")


def main() -> None:
    """Try the mutants, print those that no test noticed, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("targets", nargs="*", help="files below src/synsamp; all by default")
    parser.add_argument("--python", required=True, help="the interpreter that runs the tests")
    parser.add_argument("--sample", type=int, default=24, help="how many of each part; 0 is all")
    parser.add_argument("--seed", type=int, default=2015)
    parser.add_argument("--again", action="store_true", help="try only what was not caught")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ["SYNSAMP_PYTHON"] = str(Path(options.python).absolute())
    outcome: dict[str, str] = json.loads(SESSION.read_text()) if options.again else {}
    kept = {name for name, became in outcome.items() if became != "not caught"}
    wanted: dict[str, list[str]] = {}
    drawn: dict[str, tuple[int, list[str]]] = {}
    chosen: list[tuple[str, MutationSpec]] = []
    for part, files in parts().items():
        files = {f: t for f, t in files.items() if not options.targets or f in options.targets}
        if files:
            places, found = choose(files, options.sample, options.seed)
            named = {describe(fault): fault for fault in found}
            drawn[part] = places, list(named)
            chosen += [(name, fault) for name, fault in named.items() if name not in kept]
            wanted |= files
    print(f"{len(chosen)} faults to try", flush=True)
    with tempfile.TemporaryDirectory(prefix="synsamp-mutants-") as place:
        os.environ["SYNSAMP_MUTANTS"] = place
        try_all(wanted, chosen, outcome, keep=not options.targets)
    figures = table(drawn, outcome)
    print(figures)
    if not options.targets:
        write(figures)
        print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
