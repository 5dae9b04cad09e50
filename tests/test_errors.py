"""What a user meets first refuses with a remedy, everywhere."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "synsamp"
FIRST_MET = sorted([*SOURCE.glob("cli*.py"), *(SOURCE / "data").glob("*.py")])


def without_remedy(text):
    """Lines of calls of `refuse` that name no remedy."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "refuse"
        and len(node.args) < 4
        and not any(word.arg == "remedy" for word in node.keywords)
    ]


@pytest.mark.parametrize("path", FIRST_MET, ids=lambda path: path.name)
def test_every_error_names_a_remedy(path):
    assert without_remedy(path.read_text()) == []


def test_the_guard_sees_an_error_without_one():
    assert without_remedy('refuse("x", "must be 1", 2)') == [1]
    assert without_remedy('refuse("x", "must be 1", 2, "use 1")') == []
