"""Read a PNG image as grey values, checking its size before decompression."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synsamp.data.reading import content_of
from synsamp.errors import SynsampError, refuse

MOST_BYTES = 1 << 24
MOST_PIXELS = 1_000_000
"""Limit of one image: every pixel becomes an input neuron."""
REMEDY = "give a PNG image"


def read_png(path: Path) -> NDArray[np.float32]:
    """Grey values from 0 to 1, ``[height, width]``.

    Colour becomes grey (ITU-R BT.601 weights), and transparent counts as dark.
    """
    from matplotlib import image as png  # slow to import, and only this function needs it
    from PIL import Image

    content = content_of(path, MOST_BYTES, REMEDY)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # Pillow's warning about large images, which raise an error below
        try:
            with Image.open(io.BytesIO(content), formats=["PNG"]) as opened:
                width, height = opened.size
            if width * height <= MOST_PIXELS:
                picture = np.asarray(png.imread(io.BytesIO(content), format="png"), np.float64)
        except Exception as problem:  # Pillow lets errors of many kinds through
            why = str(problem)[:200]
            raise SynsampError(f"{path} is not a readable PNG file ({why}); {REMEDY}") from None
    if width * height > MOST_PIXELS:
        rule = f"must be at most {MOST_PIXELS:,} pixels"
        raise refuse(f"size of {path}", rule, f"{width} × {height}", "scale it down")
    if picture.ndim == 3:
        grey = picture[..., :3] @ np.array([0.299, 0.587, 0.114])
        picture = np.clip(grey * picture[..., 3] if picture.shape[2] == 4 else grey, 0.0, 1.0)
    return picture.astype(np.float32)
