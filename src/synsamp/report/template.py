"""The one way from values to markup: Jinja2 templates that escape every value."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from synsamp.report.foreign import visible


def _finalize(value: Any) -> Any:
    """Every value on its way to the page, before it is escaped; markup is what we made."""
    return value if isinstance(value, Markup) else visible(str(value))


def code(text: str) -> Markup:
    """Escape a text and set what stands between backticks as code."""
    parts = re.split(r"`([^`]+)`", visible(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part)
        for i, part in enumerate(parts)
    )


_ENVIRONMENT = Environment(
    loader=PackageLoader("synsamp.report"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_finalize,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters["code"] = code


def render(template_name: str, **values: object) -> Markup:
    """Render a template of ``report/templates``; every value is escaped.

    Control characters and marks that change the direction of writing are made visible. Only
    `Markup`, the result of another `render`, is inserted unchanged.
    """
    return Markup(_ENVIRONMENT.get_template(template_name).render(**values))
