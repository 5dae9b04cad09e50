"""Messages on the wire: a JSON object, then arrays.

    uint32 (little endian): length of the JSON text in bytes
    JSON text, UTF-8; its "arrays" is a list of {"name", "dtype", "shape"}
    the arrays in this order, each starting at a multiple of 8 bytes from the start of the message

The engine receives JSON alone; only what it sends has arrays.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from synsamp.errors import refuse

Message = dict[str, Any]
MOST_BYTES = 1_000_000
"""Longest message that the engine accepts."""


def decode(text: str | bytes) -> Message:
    """Read a message to the engine; anything but a JSON object of fair size raises an error."""
    if len(text) > MOST_BYTES:
        raise refuse("message", f"must be at most {MOST_BYTES:,} bytes", len(text))
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise refuse("message", "must be JSON", _start(text)) from None
    if not isinstance(found, dict):
        raise refuse("message", "must be a JSON object", type(found).__name__)
    return found


def encode(message: Message) -> bytes:
    """Write a message of the engine."""
    arrays = (
        {name: np.ascontiguousarray(values) for name, values in message["arrays"].items()}
        if ("arrays" in message)
        else {}
    )
    names = [
        {"name": name, "dtype": values.dtype.name, "shape": list(values.shape)}
        for name, values in arrays.items()
    ]
    text = json.dumps(finite({**message, "arrays": names}), allow_nan=False).encode()
    parts = [len(text).to_bytes(4, "little"), text]
    size = 4 + len(text)
    for values in arrays.values():
        parts += [bytes(-size % 8), values.tobytes()]
        size += -size % 8 + values.nbytes
    return b"".join(parts)


def finite(value: Any) -> Any:
    """The value as JSON can hold it: infinity and NaN become null."""
    if isinstance(value, dict):
        return {str(name): finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    if isinstance(value, (np.generic,)):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _start(text: str | bytes) -> str:
    return (text if isinstance(text, str) else text.decode("utf-8", "replace"))[:40]
