"""Checkpoints: one file each (`synsamp.packing`), written atomically, the last two kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synsamp.errors import SynsampError
from synsamp.packing import DamagedStateError, read_packed, write_packed
from synsamp.protocol.context import SavedState
from synsamp.runs.storage.atomic import replacing

KEPT = 2
INTERVAL_S = (
    20.0  # at most this much wall time is lost to a kill; saving takes well under 1 % of it
)

_log = logging.getLogger(__name__)


def write_checkpoint(path: Path, state: SavedState) -> None:
    """Write one checkpoint file atomically."""
    with replacing(path) as file:
        write_packed(file, state)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Read one checkpoint file after checking every byte of it."""
    return read_packed(path.read_bytes(), path.name)


@dataclass(frozen=True)
class Owner:
    """Whose checkpoint it is: the digest of the run's description, and the part of the run.

    Without it a run whose description was changed in the meantime, or whose files were mixed up,
    would continue from a state that is not its own and end in results of neither.
    """

    run: str
    part: str = "run"

    def write(self, path: Path, content: SavedState) -> None:
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
            raise DamagedStateError(f"{path.name}: it is of another part of the run")
        return content


class CheckpointFolder:
    """The numbered checkpoints of one run; see `synsamp.protocol.context.Checkpoints`.

    ``collect`` gives what is saved with the state (the tables' lengths), ``restore`` gets it
    back when a state is loaded, and raises `DamagedStateError` if it does not fit the disk.
    """

    def __init__(
        self,
        folder: Path,
        owner: Owner,
        collect: Callable[[], SavedState] = dict,
        restore: Callable[[SavedState], None] = lambda tables: None,
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._folder = folder
        self._owner = owner
        self._collect = collect
        self._restore = restore
        self._interval_s = interval_s
        self._last_save = time.monotonic()
        self._number = max((_number(path) for path in self._files()), default=0)

    def load(self) -> SavedState | None:
        """Return the newest intact state, or None; a damaged one is passed over with a warning."""
        for path in sorted(self._files(), key=_number, reverse=True):
            try:
                content = self._owner.read(path)
                self._restore(content["tables"])
            except (OSError, DamagedStateError) as error:
                _log.warning("checkpoint passed over, it is damaged: %s", error)
                continue
            _log.info("continuing from %s", path.name)
            state: SavedState = content["state"]
            return state
        self._restore({})
        return None

    def due(self) -> bool:
        """Return True once the interval since the last save has passed."""
        return time.monotonic() - self._last_save >= self._interval_s

    def save(self, state: SavedState) -> None:
        """Write the next checkpoint, then drop all but the last two."""
        self._folder.mkdir(exist_ok=True)
        self._number += 1
        path = self._folder / f"{self._number:08d}.checkpoint"
        self._owner.write(path, {"state": state, "tables": self._collect()})
        for old in sorted(self._files(), key=_number)[:-KEPT]:
            old.unlink()
        self._last_save = time.monotonic()

    def _files(self) -> list[Path]:
        return [path for path in self._folder.glob("*.checkpoint") if path.stem.isdigit()]


def _number(path: Path) -> int:
    return int(path.stem)
