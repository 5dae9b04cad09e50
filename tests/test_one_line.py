"""A part of the package is one file and one line: no name is listed twice."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "synsamp"


@pytest.mark.parametrize("package", ["priors", "mappings", "environments", "spiking", "protocol"])
def test_each_public_name_of_a_package_takes_one_line(package):
    lines = (SOURCE / package / "__init__.py").read_text().splitlines()
    statements = ast.parse("\n".join(lines)).body[1:]  # after the docstring
    for statement in statements:
        assert isinstance(statement, ast.ImportFrom)
        [name] = statement.names
        assert name.asname == name.name
        assert statement.end_lineno == statement.lineno
