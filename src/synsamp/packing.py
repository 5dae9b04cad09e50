"""Saved states as bytes: nested mappings of arrays, numbers, strings and None, checked by SHA-256.

Layout: a line naming the format; the length of a JSON text (8 bytes, little endian); the JSON text,
in which an array is replaced by ``{"array": i}``; the arrays in NumPy's own NPY format, in that
order; the SHA-256 of everything before it (32 bytes). Nothing is pickled, so reading cannot run
code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

MAGIC = b"synsamp checkpoint 1\n"


class DamagedStateError(ValueError):
    """Bytes that differ from what was written."""


def write_packed(file: IO[bytes], state: Mapping[str, Any]) -> None:
    """Write a state to a file."""
    arrays: list[np.ndarray] = []
    structure = json.dumps(_pack(state, arrays, "state")).encode()
    hashing = _HashingWriter(file)
    hashing.write(MAGIC + len(structure).to_bytes(8, "little") + structure)
    for array in arrays:
        np.lib.format.write_array(hashing, array, allow_pickle=False)
    file.write(hashing.digest())


def read_packed(content: bytes, name: str) -> dict[str, Any]:
    """Read a state after checking every byte of it; ``name`` is for the error."""
    body, digest = content[:-32], content[-32:]
    if hashlib.sha256(body).digest() != digest or not body.startswith(MAGIC):
        raise DamagedStateError(f"{name}: the checksum does not match the content")
    start = len(MAGIC) + 8
    end = start + int.from_bytes(body[len(MAGIC) : start], "little")
    structure = json.loads(body[start:end])
    file = _Bytes(body, end)
    arrays = [
        np.lib.format.read_array(file, allow_pickle=False)  # type: ignore[arg-type]
        for _ in range(_count_arrays(structure))
    ]
    state: dict[str, Any] = _unpack(structure, arrays)
    return state


def _pack(value: Any, arrays: list[np.ndarray], where: str) -> Any:
    """Turn a state into JSON and a list of arrays; only types that are restored exactly."""
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError(f"checkpoint {where}: keys must be strings, got {list(value)!r}")
        return {"map": {key: _pack(v, arrays, f"{where}.{key}") for key, v in value.items()}}
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.hasobject:
            raise TypeError(f"checkpoint {where}: arrays of Python objects cannot be stored")
        if np.ma.is_masked(value):
            raise TypeError(f"checkpoint {where}: masked values cannot be stored; use .filled()")
        arrays.append(np.asarray(value))
        return {"array": len(arrays) - 1, "scalar": isinstance(value, np.generic)}
    if isinstance(value, float):
        return {"float": value.hex()}  # exact, NaN and infinity included
    if value is None or isinstance(value, bool | int | str):
        return {"plain": value}
    raise TypeError(f"checkpoint {where}: cannot store a {type(value).__name__}")


def _unpack(packed: dict[str, Any], arrays: list[np.ndarray]) -> Any:
    if "map" in packed:
        return {key: _unpack(value, arrays) for key, value in packed["map"].items()}
    if "array" in packed:
        array = arrays[packed["array"]]
        return array[()] if packed["scalar"] else array
    if "float" in packed:
        return float.fromhex(packed["float"])
    return packed["plain"]


def _count_arrays(packed: dict[str, Any]) -> int:
    if "map" in packed:
        return sum(_count_arrays(value) for value in packed["map"].values())
    return int("array" in packed)


class _HashingWriter:
    """Writes bytes and computes their SHA-256 without a second copy of the state."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def write(self, data: Any) -> int:
        self._hash.update(data)
        return self._file.write(data)

    def digest(self) -> bytes:
        return self._hash.digest()


class _Bytes:
    """Bytes from an offset on as a file, for NumPy."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content = memoryview(content)
        self._offset = offset

    def read(self, size: int) -> bytes:
        data = bytes(self._content[self._offset : self._offset + size])
        self._offset += len(data)
        return data
