"""Put small faults into the code, one at a time, and see whether a fast test notices.

    make mutants                              # a seeded sample of every target
    .venv/bin/python scripts/mutants.py --sample 0 rule/equation.py     # all mutants of one file

Tools such as mutmut switch faults on inside the running function, which Numba cannot compile, and
without its compiler the package's vector arithmetic does not run. So each fault is written into a
copy of the sources and the tests of its target run there. A fault counts as caught if a test fails
or does not come to an end. Those that change nothing anybody could see are named in `EQUIVALENT`.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = Path("src/synsamp")
LIMIT_S = 300

# What is mutated, and the fast tests that should notice.
TARGETS: dict[str, tuple[str, ...]] = {
    "arguments.py": ("tests/test_arguments.py",),
    "rule/equation.py": ("tests/rule/test_sampler.py", "tests/statistical/test_limits.py"),
    "rule/rule.py": ("tests/rule/test_sampler.py", "tests/rule/test_rule_mapping.py"),
    "rule/speed.py": ("tests/rule/test_sampler.py",),
    "rule/calling.py": ("tests/rule/test_likelihood.py",),
    "rule/likelihood.py": ("tests/rule/test_likelihood.py", "tests/rule/test_step.py"),
    "rule/chains.py": ("tests/rule/test_sampler.py", "tests/rule/test_interruption.py"),
    "rule/sampler.py": ("tests/rule/test_sampler.py", "tests/rule/test_drawn.py"),
    "rule/step.py": ("tests/rule/test_step.py",),
    "rule/diagnostics.py": ("tests/rule/test_diagnostics.py",),
    "rule/drawn.py": ("tests/rule/test_drawn.py",),
    "rule/theory.py": ("tests/rule/test_theory.py", "tests/rule/test_rule_mapping.py"),
    "priors/base.py": ("tests/priors",),
    "priors/gaussian.py": ("tests/priors",),
    "priors/flat.py": ("tests/priors",),
    "priors/laplace.py": ("tests/priors",),
    "priors/student_t.py": ("tests/priors",),
    "priors/mixture.py": ("tests/priors",),
    "priors/log_normal.py": ("tests/priors",),
    "priors/grouped.py": ("tests/priors",),
    "mappings/base.py": ("tests/mappings",),
    "mappings/exponential.py": ("tests/mappings",),
    "mappings/softplus.py": ("tests/mappings",),
    "spiking/plasticity/spike_likelihood.py": (
        "tests/spiking/test_spiking_twin.py",
        "tests/spiking/test_daily_use.py",
    ),
    "spiking/kernel/diffusion.py": (
        "tests/spiking/test_spiking_twin.py",
        "tests/spiking/test_spiking_laws.py",
    ),
    "analysis/codes.py": ("tests/analysis/test_codes.py",),
    "analysis/distance.py": ("tests/analysis/test_distance.py",),
    "analysis/intervals.py": ("tests/analysis/test_intervals.py",),
    "analysis/manifold.py": ("tests/analysis/test_manifold.py",),
    "analysis/ornstein_uhlenbeck.py": ("tests/analysis/test_ornstein_uhlenbeck.py",),
    "analysis/peth.py": ("tests/analysis/test_peth.py",),
    "analysis/rbm_annealing.py": ("tests/analysis/test_rbm_annealing.py",),
    "analysis/rbm_likelihood.py": ("tests/analysis/test_rbm_likelihood.py",),
    "analysis/readout.py": ("tests/analysis/test_readout.py",),
    "analysis/reconstruction.py": ("tests/analysis/test_reconstruction.py",),
    "analysis/survival.py": ("tests/analysis/test_survival.py",),
    "analysis/tuning.py": ("tests/analysis/test_tuning.py",),
    "runs/atomic.py": ("tests/runs/test_folder.py", "tests/runs/test_checkpoint.py"),
    "runs/checkpoint.py": ("tests/runs/test_checkpoint.py",),
    "runs/overrides.py": ("tests/runs/test_overrides.py",),
    "experiments/protocol.py": ("tests/experiments/test_claims.py",),
}

# Faults that cannot be seen, by what `describe` calls them, and why.
EQUIVALENT: dict[str, str] = {
    "analysis/manifold.py: statistic(rng.permutation(owners)) >= seen - 1e-09 -> "
    "statistic(rng.permutation(owners)) > seen - 1e-09": "ties are kept by the 1e-9 already",
    "analysis/ornstein_uhlenbeck.py: float(np.mean((y - x) ** 2 / dt)) / 2 -> "
    "float(np.mean((y - x) ** 2 / dt)) * 2": "where the search starts, not where it ends",
    "rule/diagnostics.py: even + odd > 0.0 -> even + odd >= 0.0": "a sum is never exactly 0",
}

_SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


class Mutant(NamedTuple):
    """A fault: the file, the line, what stood there and what stands there now, the new text."""

    target: str
    line: int
    before: str
    after: str
    text: str

    @property
    def describe(self) -> str:
        """As ``rule/equation.py: T * b_slope -> T / b_slope``."""
        return f"{self.target}: {self.before} -> {self.after}"


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Faulty copies of one node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPS:
        faulty = copy.deepcopy(node)
        faulty.ops[0] = _SWAPS[type(node.ops[0])]()
        yield faulty
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in _SWAPS:
        faulty = copy.deepcopy(node)
        faulty.op = _SWAPS[type(node.op)]()
        yield faulty
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Raise):
        yield ast.Pass()


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else super().generic_visit(node)


def _live(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that run: no annotations, decorators, type aliases or docstrings."""
    skip: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            skip.update(node.decorator_list)
        for name in ("annotation", "returns"):
            if isinstance(getattr(node, name, None), ast.AST):
                skip.add(getattr(node, name))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            skip.add(node)
        if isinstance(node, ast.JoinedStr):  # how a number is printed in a message
            skip.add(node)

    def walk(node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if child not in skip:
                yield child
                yield from walk(child)

    yield from walk(tree)


def mutants(target: str, text: str) -> list[Mutant]:
    """All faults of a file, in its order."""
    tree = ast.parse(text)
    found = []
    for node in list(_live(tree)):
        for faulty in _changes(node):
            ast.copy_location(faulty, node)
            changed = ast.fix_missing_locations(_Replace(node, faulty).visit(tree))
            words = ast.unparse(node), ast.unparse(faulty), ast.unparse(changed)
            found.append(Mutant(target, node.lineno, *words))
            tree = _Replace(faulty, node).visit(tree)
    return found


def require_green(folder: Path, target: str) -> None:
    """Stop where the tests fail without any fault: they would notice everything."""
    if not _tests_pass(folder, TARGETS[target], show=True):
        sys.exit(f"the tests of {target} must pass without a fault, got a failure; mend them first")


def caught(folder: Path, mutant: Mutant) -> bool:
    """Whether the target's tests notice the fault."""
    path = folder / SOURCE / mutant.target
    good = path.read_text()
    path.write_text(mutant.text)
    try:
        return not _tests_pass(folder, TARGETS[mutant.target])
    finally:
        path.write_text(good)


def _tests_pass(folder: Path, tests: tuple[str, ...], show: bool = False) -> bool:
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        return False
    if show and done.returncode:
        print("\n".join(done.stdout.splitlines()[-15:]))
    return done.returncode == 0


def main() -> None:
    """Try the mutants and print those that no test noticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("targets", nargs="*", help="files below src/synsamp; all by default")
    parser.add_argument("--sample", type=int, default=120, help="how many; 0 is all")
    parser.add_argument("--seed", type=int, default=2015)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after this long")
    options = parser.parse_args()
    wanted = options.targets or list(TARGETS)
    every = [m for t in wanted for m in mutants(t, (ROOT / SOURCE / t).read_text())]
    chosen = [m for m in every if m.describe not in EQUIVALENT]
    if options.sample:
        chosen = random.Random(options.seed).sample(chosen, min(options.sample, len(chosen)))
    print(f"{len(every)} mutants, {len(every) - sum(m.describe not in EQUIVALENT for m in every)} "
          f"known as equivalent, {len(chosen)} tried", flush=True)  # fmt: skip
    end = time.monotonic() + 60 * options.minutes
    tried = noticed = 0
    with tempfile.TemporaryDirectory(prefix="synsamp-mutants-") as place:
        folder = Path(place)
        for name in ("src", "tests", "pyproject.toml"):
            origin = ROOT / name
            (shutil.copytree if origin.is_dir() else shutil.copy)(origin, folder / name)
        green: set[tuple[str, ...]] = set()
        for mutant in chosen:
            if time.monotonic() > end:
                break
            if TARGETS[mutant.target] not in green:
                require_green(folder, mutant.target)
                green.add(TARGETS[mutant.target])
            tried += 1
            if caught(folder, mutant):
                noticed += 1
            else:
                print(f"not noticed: line {mutant.line} of {mutant.describe}", flush=True)
            if tried % 10 == 0:
                print(f"  {noticed} of {tried} noticed so far", flush=True)
    print(f"{noticed} of {tried} mutants noticed, {100 * noticed / max(tried, 1):.0f} %")


if __name__ == "__main__":
    main()
