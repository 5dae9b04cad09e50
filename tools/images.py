"""Small copies of drawings for the pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from synsamp.report.palette import in_few_colours
from synsamp.runs.storage.atomic import replacing

WIDTHS_PX = (1400, 1200, 1000, 760, 640, 520, 400, 300)
"""From twice the width at which a page shows a figure downwards."""


def copy_images(folders: Sequence[Path], target: Path, prefix: str, max_bytes: int) -> None:
    """Copy all figures of some runs, at the largest width that keeps within ``max_bytes``."""
    drawings = {
        f"{prefix}-{folder.name}-{path.stem}.png": path
        for folder in folders
        for path in sorted((folder / "figures").glob("*.png"))
    }
    for width in WIDTHS_PX:
        images = {name: _small(path, width) for name, path in drawings.items()}
        if sum(map(len, images.values())) <= max_bytes:
            break
    target.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        for old in target.glob(f"{prefix}-{folder.name}-*.png"):
            old.unlink()
    for name, content in images.items():
        with replacing(target / name) as file:
            file.write(content)


def _small(path: Path, width: int) -> bytes:
    with Image.open(path) as image:
        flat = image.convert("RGB")
    flat.thumbnail((width, 4 * width))
    return in_few_colours(flat)
