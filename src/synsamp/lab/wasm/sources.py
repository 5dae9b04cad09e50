"""A digest of the code that the browser's engine is made of: is the built module up to date?

Comments, docstrings and types do not count, nor does the version of Python, so that the digest
changes only with what is compiled.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2]
COMPILED = (
    "noise",
    "specialise/pointers.py",
    "rule/equation.py",
    "priors/gaussian.py",
    "priors/base.py",
    "mappings",
    "spiking/kernel",
    "spiking/plasticity/reward.py",
    "spiking/plasticity/spike_likelihood.py",
    "models/landscape.py",
    "lab/scenes/landscape_steps.py",
    "lab/scenes/survival.py",
)
"""Where the compiled code of the scenes is, below the package."""
TYPING = ("__future__", "collections.abc", "numpy.typing", "typing")


def digest(places: Iterable[str] = COMPILED) -> str:
    """Sixteen letters that change with the code."""
    found = hashlib.sha256()
    for place in places:
        path = PACKAGE / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            found.update(file.relative_to(PACKAGE).as_posix().encode())
            _add(_what_runs(ast.parse(file.read_text(encoding="utf-8"))), found)
    return found.hexdigest()[:16]


def _what_runs(tree: ast.AST) -> ast.AST:
    """The same without docstrings, types, and imports of types."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [part for part in body if not _is_text(part) and not _is_typing(part)]
            node.body = kept  # type: ignore[attr-defined]
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return tree


def _is_text(node: Any) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_typing(node: Any) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module in TYPING


def _add(node: Any, found: Any) -> None:
    """Node by node; fields that are empty differ between versions of Python."""
    if isinstance(node, ast.AST):
        found.update(f"({type(node).__name__}".encode())
        for name, value in ast.iter_fields(node):
            if value is not None and value != []:
                found.update(name.encode())
                _add(value, found)
        found.update(b")")
    elif isinstance(node, list):
        for part in node:
            _add(part, found)
    else:
        found.update(repr(node).encode())
