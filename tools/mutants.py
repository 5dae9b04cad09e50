"""Mutation testing: insert small faults into the code and count how many fast tests catch.

    make mutants                              # a seeded sample, into reference/reliability.md
    make mutants ONLY="rule/step.py priors/flat.py"      # only some files, no table
    make mutants AGAIN=1                           # continue, or retry faults not caught
    make mutants SEED=7                            # another sample
    make nightly                                   # the sample of this day; no table

Cosmic Ray makes the faults and writes them into the file, as Numba compiles source code. A place
(number, operator, decorator, loop) is drawn at random, then one of the faults possible there, so
that the eleven ways to change a ``+`` do not outweigh the one way to change an ``if``. The tests
run in a copy of the tree. A fault is caught if a test fails or times out. Equivalent mutants are
listed with the reason in mutants_equivalent.toml.

Faults are tried in random order, so that an interrupted run is a smaller sample; `make mutants
AGAIN=1` continues it.

Only faults caught at once estimate how good the tests are elsewhere; tests written for a given
fault say nothing about others.
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

from tools.markdown import ROOT, replace_between

HERE = Path(__file__).parent
SOURCE = Path("src/synsamp")
SESSION = ROOT / ".mutants.json"
PAGE = ROOT / "docs" / "reference" / "reliability.md"
BEGIN = "<!-- mutants: begin (written by `make mutants`) -->"
END = "<!-- mutants: end -->"
WORKERS = 2
LIMIT_S = 240

Parts = dict[str, dict[str, list[str]]]
Session = dict[str, dict[str, Any]]
"""The outcome of each fault, by its description."""

NOT_TRIED, NOT_CAUGHT = "not tried", "not caught"


def parts() -> Parts:
    """The files of each part of the package, with the tests that should catch faults."""
    return tomllib.loads((HERE / "mutants_targets.toml").read_text())


def equivalent() -> dict[str, str]:
    """Equivalent mutants, as `describe` names them, with the reason."""
    return tomllib.loads((HERE / "mutants_equivalent.toml").read_text())


def _annotations(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Positions of type annotations, which are never evaluated."""
    for node in ast.walk(ast.parse(text)):
        for name in ("annotation", "returns"):
            place = getattr(node, name, None)
            if isinstance(place, ast.AST):
                yield (
                    (place.lineno, place.col_offset),  # type: ignore[attr-defined]
                    (place.end_lineno, place.end_col_offset),  # type: ignore[attr-defined]
                )


def faults(target: str) -> dict[tuple[Any, ...], list[MutationSpec]]:
    """All faults of a file by position and kind."""
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
    """Describe a fault as ``rule/equation.py: T * b_slope -> T / b_slope``."""
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
    ignore = shutil.ignore_patterns("__pycache__", "*.egg-info", ".venv")
    for name in ("src", "tests", "docs", "tools", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder / "src")
    os.environ["NUMBA_CACHE_DIR"] = str(folder / "cache")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")


def _green(tests: list[str]) -> tuple[str, float]:
    """The output of tests that fail without a fault (or nothing), and their duration."""
    began = time.monotonic()
    outcome, output = run_tests(_command(tests), LIMIT_S)
    took = time.monotonic() - began
    return ("" if outcome == TestOutcome.SURVIVED else output[-1500:]), took


def _caught(fault: MutationSpec, tests: list[str], limit_s: float) -> bool:
    result = mutate_and_test([fault], _command(tests), limit_s)
    if result.test_outcome not in (TestOutcome.KILLED, TestOutcome.SURVIVED):
        sys.exit(f"Cosmic Ray must be able to try {fault}, got {result.output}")
    if result.output == "timeout":
        print(f"caught by its time: {describe(fault)}", flush=True)
    return result.test_outcome == TestOutcome.KILLED


def choose(files: dict[str, list[str]], sample: int, seed: int) -> list[MutationSpec]:
    """Draw places, and a fault at each."""
    places = {place: found for target in files for place, found in faults(target).items()}
    rng = random.Random(seed)
    drawn = sorted(places) if not sample else rng.sample(sorted(places), min(sample, len(places)))
    return [rng.choice(places[place]) for place in drawn]


def try_all(
    wanted: dict[str, list[str]], chosen: dict[str, MutationSpec]
) -> Iterator[tuple[str, bool]]:
    """Yield each fault and whether it was caught, and print those that were not."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, context, _settle) as pool:
        limits: dict[tuple[str, ...], float] = {}
        sets = {tuple(wanted[_target(fault)]) for fault in chosen.values()}
        tried = {pool.submit(_green, list(tests)): tests for tests in sets}
        for future in as_completed(tried):
            failure, took = future.result()
            print(f"  {took:4.0f} s  {' '.join(tried[future])}", flush=True)
            if failure:
                sys.exit(f"tests must pass without a fault; correct them first\n{failure}")
            limits[tried[future]] = 30 + 5 * took
        running = {}
        for name in random.Random(0).sample(sorted(chosen), len(chosen)):
            fault = chosen[name]
            tests = wanted[_target(fault)]
            running[pool.submit(_caught, fault, tests, limits[tuple(tests)])] = name
        for count, future in enumerate(as_completed(running), 1):
            yield running[future], future.result()
            if not future.result():
                print(f"not caught: {running[future]}", flush=True)
            if count % 10 == 0:
                print(f"  {count} of {len(running)} tried", flush=True)


def _target(fault: MutationSpec) -> str:
    return fault.module_path.relative_to(SOURCE).as_posix()


def table(session: Session) -> str:
    """A Markdown table of places and outcomes per part."""
    known = equivalent()
    rows = [
        "| part | places | tried | equivalent | caught at once | by tests added later | left |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    total: Counter[str] = Counter()
    for part, files in parts().items():
        names = [
            name
            for name, entry in session.items()
            if name.partition(":")[0] in files and entry["became"] != NOT_TRIED
        ]
        row = Counter(session[name]["became"] for name in names if name not in known)
        places = sum(len(faults(target)) for target in files)
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
    """Write the table into the page."""
    PAGE.write_text(replace_between(PAGE.read_text(), BEGIN, END, figures))


def draw(wanted: Parts, sample: int, seed: int) -> Session:
    """Draw a sample of faults from every part."""
    session: Session = {}
    for files in wanted.values():
        for fault in choose(files, sample, seed):
            session[describe(fault)] = {
                "became": NOT_TRIED,
                "operator": fault.operator_name,
                "occurrence": fault.occurrence,
            }
    return session


def fault_of(name: str, entry: dict[str, Any]) -> MutationSpec | None:
    """Find a fault by its description, or return None if the code has changed."""
    path, place = SOURCE / name.partition(":")[0], ((1, 0), (1, 1))
    fault = MutationSpec(path, entry["operator"], entry["occurrence"], *place)
    return fault if describe(fault) == name else None


def main() -> None:
    """Try the mutants, print those not caught, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("targets", nargs="*", help="files below src/synsamp; all by default")
    parser.add_argument("--python", required=True, help="the interpreter that runs the tests")
    parser.add_argument("--sample", type=int, default=24, help="how many of each part; 0 is all")
    parser.add_argument("--seed", type=int, default=2015)
    parser.add_argument("--least", type=float, help="percent that must be caught; no table")
    parser.add_argument("--again", action="store_true", help="try only what was not caught")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ["SYNSAMP_PYTHON"] = str(Path(options.python).absolute())
    wanted = {
        part: {f: t for f, t in files.items() if not options.targets or f in options.targets}
        for part, files in parts().items()
    }
    again = options.again
    session = (
        json.loads(SESSION.read_text()) if again else draw(wanted, options.sample, options.seed)
    )
    known, chosen = equivalent(), {}
    for name, entry in list(session.items()):
        fault = fault_of(name, entry)
        if name in known:
            entry["became"] = NOT_CAUGHT
        elif entry["became"] in (NOT_TRIED, NOT_CAUGHT):
            if fault is None:
                del session[name]
                print(f"skipped, the code has changed: {name}", flush=True)
            else:
                chosen[name] = fault
    print(f"{len(chosen)} faults to try", flush=True)
    with tempfile.TemporaryDirectory(prefix="synsamp-mutants-") as place:
        os.environ["SYNSAMP_MUTANTS"] = place
        tests = {file: given for files in wanted.values() for file, given in files.items()}
        for name, caught in try_all(tests, chosen):
            first = session[name]["became"] == NOT_TRIED
            found = "caught" if first else "caught later"
            session[name]["became"] = found if caught else NOT_CAUGHT
            if not options.targets:
                SESSION.write_text(json.dumps(session, indent=1, sort_keys=True))
    figures = table(session)
    print(figures)
    if options.least is not None:
        real = [entry["became"] for name, entry in session.items() if name not in known]
        caught = 100 * sum(became != NOT_CAUGHT for became in real) / max(1, len(real))
        if caught < options.least:
            sys.exit(f"{caught:.0f} % of the faults were caught, wanted {options.least:g} %")
    elif not options.targets:
        SESSION.write_text(json.dumps(session, indent=1, sort_keys=True))
        write(figures)
        print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
