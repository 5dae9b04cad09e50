"""Many small images as one picture."""

from __future__ import annotations

from typing import Any

import numpy as np


def montage(images: Any, columns: int, gap: int = 2) -> Any:
    """Images [n, height, width] as one picture, dark ink on white, in rows of ``columns``."""
    n, height, width = images.shape
    rows = -(-n // columns)
    sheet = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap), np.nan)
    for k, image in enumerate(images):
        r, c = divmod(k, columns)
        top, left = r * (height + gap), c * (width + gap)
        sheet[top : top + height, left : left + width] = image
    return sheet


def show(axes: Any, sheet: Any, highest: float | None = 1.0) -> None:
    """Show a picture or a montage without axes, with light gaps between the images.

    Black has the value ``highest``; ``None``: the largest one.
    """
    axes.set_facecolor("#dfe3ea")
    axes.imshow(sheet, cmap="gray_r", vmin=0.0, vmax=highest, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
