"""Expected number of false alarms of the statistical tests, if all their seeds were replaced.

    python -m tools.error_budget

Reads the tolerances from the tests: ``p_value > 0.01`` fails in 1 % of runs of a correct program,
``abs(error) < 4 * standard_error`` in 2 Φ(−4). A level that is divided (``0.01 / FAMILY``) is that
of a whole family, so it counts once for a test function; every other counts once for each collected
case. Assertions within loops and maxima over arrays count once, too.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from scipy import special

from tools.markdown import ROOT

P_VALUE = re.compile(r"p_?values?\b", re.I)
SMALLEST, LARGEST = 2.5, 8.0
"""Standard errors: other factors of a tolerance are not taken for them."""


def levels(assertion: ast.AST) -> list[tuple[float, bool]]:
    """Probability that each comparison fails by chance, and whether it is that of a family."""
    found = []
    for part in ast.walk(assertion):
        if not isinstance(part, ast.Compare) or len(part.ops) != 1:
            continue
        left, right = part.left, part.comparators[0]
        if isinstance(part.ops[0], (ast.Gt, ast.GtE)) and P_VALUE.search(ast.unparse(left)):
            divided = isinstance(right, ast.BinOp) and isinstance(right.op, ast.Div)
            level = right.left if isinstance(right, ast.BinOp) and divided else right
            if isinstance(level, ast.Constant) and isinstance(level.value, float):
                found.append((level.value, divided))
        elif isinstance(part.ops[0], (ast.Lt, ast.LtE)) and "abs(" in ast.unparse(left):
            errors = _factor(right)
            if errors is not None and SMALLEST <= errors <= LARGEST:
                found.append((2 * float(special.ndtr(-errors)), False))
    return found


def _factor(tolerance: ast.AST) -> float | None:
    """The number that a product or quotient begins with."""
    if not isinstance(tolerance, ast.BinOp):
        return None
    while isinstance(tolerance, ast.BinOp) and isinstance(tolerance.op, (ast.Mult, ast.Div)):
        tolerance = tolerance.left
    value = tolerance.value if isinstance(tolerance, ast.Constant) else None
    return float(value) if isinstance(value, (int, float)) else None


def budget(folder: Path, cases: Counter[str]) -> dict[str, float]:
    """Expected false alarms of each test function, by ``path::name``."""
    found = {}
    for path in sorted(folder.rglob("test_*.py")):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                name = f"{path.relative_to(folder.parent).as_posix()}::{function.name}"
                expected = sum(
                    level if family else level * cases[name]
                    for part in ast.walk(function)
                    if isinstance(part, ast.Assert)
                    for level, family in levels(part)
                )
                if cases[name] and expected:
                    found[name] = expected
    return found


def collected(root: Path = ROOT) -> Counter[str]:
    """The number of cases of each test function."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-o", "addopts="],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return Counter(line.split("[")[0] for line in listed.stdout.splitlines() if "::" in line)


def main() -> None:
    """Print the sum and the largest contributions."""
    found = budget(ROOT / "tests", collected())
    print(f"{len(found)} test functions, {sum(found.values()):.2f} false alarms expected")
    for name in sorted(found, key=lambda name: -found[name])[:15]:
        print(f"{found[name]:.3f}  {name}")


if __name__ == "__main__":
    main()
