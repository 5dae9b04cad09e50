"""Read and check the original MNIST format (idx, gzipped)."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synsamp.data.reading import unzipped
from synsamp.errors import SynsampError

MOST_BYTES = 1 << 27
"""Limit of an unpacked file: more than twice the largest original."""
REMEDY = "download it again with `synsamp data fetch mnist`"
# Two zero bytes, 0x08 for unsigned bytes, then the number of dimensions.
IMAGES_MAGIC = 0x00000803
LABELS_MAGIC = 0x00000801


def read_idx_images(path: Path) -> NDArray[np.uint8]:
    """Images ``[n, height, width]``, 0-255."""
    return _read(path, IMAGES_MAGIC, "images")


def read_idx_labels(path: Path) -> NDArray[np.uint8]:
    """Labels ``[n]``."""
    return _read(path, LABELS_MAGIC, "labels")


def read_idx_pair(images_path: Path, labels_path: Path) -> tuple[NDArray[np.uint8], ...]:
    """Images and their labels, of equal number."""
    images, labels = read_idx_images(images_path), read_idx_labels(labels_path)
    if len(images) != len(labels):
        raise SynsampError(
            f"images and labels must have the same number, got {len(images)} images in "
            f"{images_path.name} and {len(labels)} labels in {labels_path.name}; "
            "fetch both again with `synsamp data fetch mnist`"
        )
    return images, labels


def _read(path: Path, magic: int, what: str) -> NDArray[np.uint8]:
    content = unzipped(path, MOST_BYTES, REMEDY)
    n_dimensions = magic & 0xFF
    header_length = 4 * (1 + n_dimensions)
    if len(content) < header_length or int.from_bytes(content[:4], "big") != magic:
        found = f"0x{content[:4].hex()}" if content else "an empty file"
        raise SynsampError(
            f"{path} must start with the magic number 0x{magic:08x} of idx {what}, got {found}; "
            "use the original MNIST files"
        )
    shape = struct.unpack(f">{n_dimensions}I", content[4:header_length])
    # Python integers: the product of four 32-bit lengths would overflow in NumPy.
    expected, present = math.prod(shape), len(content) - header_length
    if present != expected or not expected:
        raise SynsampError(
            f"{path} must hold {what}, {expected} bytes as its header says ({shape}), "
            f"got {present}; use the original MNIST files"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=header_length).reshape(shape)
