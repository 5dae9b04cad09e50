"""Make the embedded digits from the original MNIST files.

    python -m tools.make_embedded_digits FOLDER_WITH_THE_FOUR_MNIST_FILES

Takes all ones and twos of the training set in their original order, after checking the sha256 of
the files, and writes src/synsamp/data/embedded/. The same input gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pooch

from synsamp.data.digits import EMBEDDED_DIGITS_FILE
from synsamp.data.idx import read_idx_pair
from synsamp.data.sources import MNIST_FILES

EMBEDDED = Path(__file__).parent.parent / "src" / "synsamp" / "data" / "embedded"


def main(folder: Path, target: Path = EMBEDDED / EMBEDDED_DIGITS_FILE) -> None:
    """Check the originals, keep ones and twos, write one compressed file."""
    for file in MNIST_FILES.files:
        if pooch.file_hash(folder / file.name) != file.sha256:
            raise SystemExit(f"{folder / file.name} is not the original file (sha256 differs)")
    images, labels = read_idx_pair(
        folder / "train-images-idx3-ubyte.gz", folder / "train-labels-idx1-ubyte.gz"
    )
    kept = np.isin(labels, [1, 2])
    np.savez_compressed(target, images=images[kept], labels=labels[kept])
    print(
        f"{target.name}: {int(np.sum(labels == 1))} ones, {int(np.sum(labels == 2))} twos, "
        f"{target.stat().st_size / 1e6:.2f} MB"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
