"""The log of steps: lesions and changed numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def as_text(what: Any) -> str:
    """Lesions or changed numbers as JSON; a mask is written as the places where it is true."""
    return json.dumps(_plain(what), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype == bool:
            return {"true at": [axis.tolist() for axis in np.nonzero(value)]}
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        named = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        return {"kind": type(value).__name__, **named}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)
