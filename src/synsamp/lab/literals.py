"""Values as Python source, in the same characters as the page writes them in JavaScript.

Numbers are written as JavaScript writes them: 1 instead of 1.0, and 0.00001 instead of 1e-05.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def literal(value: Any) -> str:
    """A number, text, list or dictionary in one line; keys in alphabetical order."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)):
        return number(float(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        pairs = [f"{literal(name)}: {literal(value[name])}" for name in sorted(value)]
        return "{" + ", ".join(pairs) + "}"
    return "[" + ", ".join(literal(one) for one in value) + "]"


def lines(values: Any) -> str:
    """A list with one value per line, indented as an argument in the file."""
    if not values:
        return "[]"
    return "[\n" + "".join(f"        {literal(one)},\n" for one in values) + "    ]"


def number(value: float) -> str:
    """The shortest number that reads back as ``value``, as ECMAScript's Number::toString."""
    if not math.isfinite(value):
        raise ValueError("only finite numbers can be written")
    if value == 0:
        return "0"
    _, digits, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    minus = "-" if value < 0 else ""
    if len(text) <= point <= 21:
        return minus + text + "0" * (point - len(text))
    if 0 < point <= 21:
        return f"{minus}{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    power = point - 1
    mantissa = text if len(text) == 1 else f"{text[0]}.{text[1:]}"
    return f"{minus}{mantissa}e{'+' if power > 0 else '-'}{abs(power)}"
