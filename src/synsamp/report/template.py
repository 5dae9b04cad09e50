"""The one way from values to markup: Jinja2 templates that escape every value."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from synsamp.report.foreign import visible


def _finalize(value: Any) -> Any:
    """Every value on its way to the page, before it is escaped; markup is what we made."""
    return value if isinstance(value, Markup) else visible(str(value))


_ENVIRONMENT = Environment(
    loader=PackageLoader("synsamp.report"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_finalize,
    trim_blocks=True,
    lstrip_blocks=True,
)


def fill(name: str, **values: Any) -> Markup:
    """Fill the template of that name."""
    return Markup(_ENVIRONMENT.get_template(name).render(**values))
