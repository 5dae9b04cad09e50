"""Checkpoints: one file each, checked by SHA-256, written atomically, the last two kept.

Layout of a file: a line naming the format; the length of a JSON text (8 bytes, little endian);
the JSON text, in which an array is replaced by ``{"array": i}``; the arrays in NumPy's own NPY
format, in that order; the SHA-256 of everything before it (32 bytes). Nothing is pickled, so
reading a checkpoint cannot run code.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from synsamp.errors import SynsampError
from synsamp.experiments.base import State
from synsamp.runs.storage.atomic import replacing

MAGIC = b"synsamp checkpoint 1\n"
KEPT = 2
INTERVAL_S = (
    20.0  # at most this much wall time is lost to a kill; saving takes well under 1 % of it
)

_log = logging.getLogger(__name__)


class DamagedCheckpointError(ValueError):
    """A checkpoint file whose content is not what was written."""


def write_checkpoint(path: Path, state: State) -> None:
    """Write one checkpoint file atomically."""
    arrays: list[np.ndarray] = []
    structure = json.dumps(_pack(state, arrays, "state")).encode()
    with replacing(path) as file:
        hashing = _HashingWriter(file)
        hashing.write(MAGIC + len(structure).to_bytes(8, "little") + structure)
        for array in arrays:
            np.lib.format.write_array(hashing, array, allow_pickle=False)
        file.write(hashing.digest())


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Read one checkpoint file after checking every byte of it."""
    content = path.read_bytes()
    body, digest = content[:-32], content[-32:]
    if hashlib.sha256(body).digest() != digest or not body.startswith(MAGIC):
        raise DamagedCheckpointError(f"{path.name}: the checksum does not fit the content")
    start = len(MAGIC) + 8
    end = start + int.from_bytes(body[len(MAGIC) : start], "little")
    structure = json.loads(body[start:end])
    file = _Reader(body, end)
    arrays = [
        np.lib.format.read_array(file, allow_pickle=False)  # type: ignore[arg-type]
        for _ in range(_count_arrays(structure))
    ]
    state: dict[str, Any] = _unpack(structure, arrays)
    return state


@dataclass(frozen=True)
class Owner:
    """Whose checkpoint it is: the digest of the run's description, and the part of the run.

    Without it a run whose description was changed in the meantime, or whose files were mixed up,
    would go on from a state that is not its own and end in results of neither.
    """

    run: str
    part: str = "run"

    def write(self, path: Path, content: State) -> None:
        """Write a checkpoint that says whose it is."""
        write_checkpoint(path, {**content, "run": self.run, "part": self.part})

    def read(self, path: Path) -> dict[str, Any]:
        """Read one of the owner's own; that of another part is damage, of another run refused."""
        content = read_checkpoint(path)
        if content.get("run") != self.run:
            raise SynsampError(
                f"{path} must be a checkpoint of the run that run.json describes, got one of "
                "another; put run.json back as it was, or start anew with `synsamp run --force`"
            )
        if content.get("part") != self.part:
            raise DamagedCheckpointError(f"{path.name}: it is of another part of the run")
        return content


class CheckpointFolder:
    """The numbered checkpoints of one run; see `synsamp.experiments.base.Checkpoints`.

    ``collect`` gives what is saved beside the state (the streams' lengths), ``restore`` gets it
    back when a state is loaded, and raises `DamagedCheckpointError` if it does not fit the disk.
    """

    def __init__(
        self,
        folder: Path,
        owner: Owner,
        collect: Callable[[], State] = dict,
        restore: Callable[[State], None] = lambda streams: None,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._folder = folder
        self._owner = owner
        self._collect = collect
        self._restore = restore
        self._interval_s = interval_s
        self._last_save = time.monotonic()
        self._number = max((_number(path) for path in self._files()), default=0)

    def load(self) -> State | None:
        """Return the newest intact state, or None; a damaged one is passed over with a warning."""
        for path in sorted(self._files(), key=_number, reverse=True):
            try:
                content = self._owner.read(path)
                self._restore(content["streams"])
            except (OSError, DamagedCheckpointError) as error:
                _log.warning("checkpoint passed over, it is damaged: %s", error)
                continue
            _log.info("continuing from %s", path.name)
            state: State = content["state"]
            return state
        self._restore({})
        return None

    def due(self) -> bool:
        """Return True once the interval since the last save has passed."""
        return time.monotonic() - self._last_save >= self._interval_s

    def save(self, state: State) -> None:
        """Write the next checkpoint, then drop all but the last two."""
        self._folder.mkdir(exist_ok=True)
        self._number += 1
        path = self._folder / f"{self._number:08d}.checkpoint"
        self._owner.write(path, {"state": state, "streams": self._collect()})
        for old in sorted(self._files(), key=_number)[:-KEPT]:
            old.unlink()
        self._last_save = time.monotonic()

    def _files(self) -> list[Path]:
        return [path for path in self._folder.glob("*.checkpoint") if path.stem.isdigit()]


def _number(path: Path) -> int:
    return int(path.stem)


def _pack(value: Any, arrays: list[np.ndarray], where: str) -> Any:
    """Turn a state into JSON and a list of arrays; only kinds that come back equal are taken."""
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError(f"checkpoint {where}: keys must be strings, got {list(value)!r}")
        return {"map": {key: _pack(v, arrays, f"{where}.{key}") for key, v in value.items()}}
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.hasobject:
            raise TypeError(f"checkpoint {where}: arrays of Python objects cannot be stored")
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
    """Passes bytes on and keeps their SHA-256, so that no second copy of the state is held."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def write(self, data: Any) -> int:
        self._hash.update(data)
        return self._file.write(data)

    def digest(self) -> bytes:
        return self._hash.digest()


class _Reader:
    """Reads through bytes from an offset, as NumPy's reader wants."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content = memoryview(content)
        self._offset = offset

    def read(self, size: int) -> bytes:
        data = bytes(self._content[self._offset : self._offset + size])
        self._offset += len(data)
        return data
