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
Session = dict[str, dict[str, Any]]
"""What became of each fault, by its description."""

NOT_CAUGHT = "not caught"


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


def choose(files: dict[str, list[str]], sample: int, seed: int) -> list[MutationSpec]:
    """A fault at each of the places drawn."""
    places = {place: found for target in files for place, found in faults(target).items()}
    rng = random.Random(seed)
    drawn = sorted(places) if not sample else rng.sample(sorted(places), min(sample, len(places)))
    return [rng.choice(places[place]) for place in drawn]


def try_all(wanted: dict[str, list[str]], chosen: dict[str, MutationSpec]) -> Iterator[str]:
    """Yield the description of each fault that was caught, and print the others."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, context, _settle) as pool:
        limits: dict[tuple[str, ...], float] = {}
        sets = {tuple(wanted[_target(fault)]) for fault in chosen.values()}
        tried = {pool.submit(_green, list(tests)): tests for tests in sets}
        for future in as_completed(tried):
            failure, took = future.result()
            print(f"  {took:4.0f} s  {' '.join(tried[future])}", flush=True)
            if failure:
                sys.exit(f"tests must pass without a fault, got a failure; mend them\n{failure}")
            limits[tried[future]] = 30 + 5 * took
        running = {}
        for name, fault in chosen.items():
            tests = wanted[_target(fault)]
            running[pool.submit(_caught, fault, tests, limits[tuple(tests)])] = name
        for count, future in enumerate(as_completed(running), 1):
            if future.result():
                yield running[future]
            else:
                print(f"not noticed: {running[future]}", flush=True)
            if count % 10 == 0:
                print(f"  {count} of {len(running)} tried", flush=True)


def _target(fault: MutationSpec) -> str:
    return fault.module_path.relative_to(SOURCE).as_posix()


def table(session: Session) -> str:
    """How many places each part has, and what became of the faults tried, as Markdown."""
    known = equivalent()
    rows = [
        "| part | places | tried | equivalent | caught at once | by tests written then | left |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    total: Counter[str] = Counter()
    for part, files in parts().items():
        names = [name for name in session if name.partition(":")[0] in files]
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
    """Put the table between the two marks of the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{figures}\n{END}{after}")


def draw(wanted: Parts, sample: int, seed: int) -> Session:
    """The faults of a sample from every part, none of them tried yet."""
    session: Session = {}
    for files in wanted.values():
        for fault in choose(files, sample, seed):
            session[describe(fault)] = {
                "became": NOT_CAUGHT,
                "operator": fault.operator_name,
                "occurrence": fault.occurrence,
            }
    return session


def fault_of(name: str, entry: dict[str, Any]) -> MutationSpec | None:
    """The fault of that description, or None if the code is no longer the same."""
    path, place = SOURCE / name.partition(":")[0], ((1, 0), (1, 1))
    fault = MutationSpec(path, entry["operator"], entry["occurrence"], *place)
    return fault if describe(fault) == name else None


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
        if entry["became"] == NOT_CAUGHT and name not in known:
            if fault is None:
                del session[name]
                print(f"gone, the code is another: {name}", flush=True)
            else:
                chosen[name] = fault
    print(f"{len(chosen)} faults to try", flush=True)
    with tempfile.TemporaryDirectory(prefix="synsamp-mutants-") as place:
        os.environ["SYNSAMP_MUTANTS"] = place
        tests = {file: given for files in wanted.values() for file, given in files.items()}
        for name in try_all(tests, chosen):
            session[name]["became"] = "caught later" if again else "caught"
            if not options.targets:
                SESSION.write_text(json.dumps(session, indent=1, sort_keys=True))
    figures = table(session)
    print(figures)
    if not options.targets:
        SESSION.write_text(json.dumps(session, indent=1, sort_keys=True))
        write(figures)
        print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
