"""The drawings in ``figures/``: which of them are a run's own, so that no other is removed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from synsamp.errors import SynsampError
from synsamp.runs.storage.atomic import replacing
from synsamp.runs.storage.contents import FIGURE_MANIFEST, FIGURES
from synsamp.runs.storage.manifest import broken, read_manifest, write_manifest

_NAME = re.compile(FIGURES + r"/[A-Za-z0-9][A-Za-z0-9_-]*\.(png|svg)")


def write_figures(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put drawings into a run folder in place of those drawn before; its lock is held."""
    (folder / FIGURES).mkdir(exist_ok=True)
    new = {f"{FIGURES}/{name}": content for name, content in files.items()}
    for name, content in new.items():
        with replacing(folder / name) as file:
            file.write(content)
    remove_figures(folder, keep=new)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in new.items()}
    write_manifest(folder / FIGURE_MANIFEST, digests)


def remove_figures(folder: Path, keep: Mapping[str, object] | None = None) -> None:
    """Remove what was drawn before and is still as it was drawn, and the folder if none is left."""
    drawn = own_figures(folder)
    changed = {name for name, _ in broken(folder, drawn)}
    for name in drawn.keys() - changed - (keep or {}).keys():
        (folder / name).unlink()
    if (folder / FIGURES).is_dir() and not any((folder / FIGURES).iterdir()):
        (folder / FIGURES).rmdir()


def own_figures(folder: Path) -> dict[str, str]:
    """What was drawn last, with checksums; nothing where no usable list is left."""
    try:
        listed = read_manifest(folder / FIGURE_MANIFEST)
    except SynsampError:
        return {}
    # The list may come from somebody else: it must not name a file outside.
    return {name: digest for name, digest in listed.items() if _NAME.fullmatch(name)}
