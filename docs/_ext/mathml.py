"""Formulas as MathML, which browsers draw themselves, so that a copy of the site works offline."""

from __future__ import annotations

import re
from html import escape

from docutils import nodes
from latex2mathml.converter import convert


def spaced(formula: str) -> str:
    """Put a thin space after function names, as TeX does and the converter does not."""
    return re.sub(r"\\(log|exp)(?![a-zA-Z])", r"\\\1\\,", formula)


def inline(writer: object, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(convert(spaced(node.astext())))  # type: ignore[attr-defined]
    raise nodes.SkipNode


def block(writer: object, node: nodes.math_block) -> None:
    """Write a formula on a separate line, with its number if it has a label."""
    formula = convert(spaced(node.astext()), display="block")
    number = f'<span class="eqno">({escape(str(node["number"]))})</span>' if node["number"] else ""
    writer.body.append(f'<div class="math">{number}{formula}</div>')  # type: ignore[attr-defined]
    raise nodes.SkipNode


def setup(app: object) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))  # type: ignore[attr-defined]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
