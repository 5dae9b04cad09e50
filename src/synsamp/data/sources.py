"""Sources and checksums of the data sets, and the folder where they are stored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from synsamp.errors import refuse

DATA_FOLDER_VARIABLE = "SYNSAMP_DATA"


@dataclass(frozen=True)
class RemoteFile:
    """One file: its name, its sources (tried in turn) and its checksum."""

    name: str
    urls: tuple[str, ...]
    sha256: str


@dataclass(frozen=True)
class DataSet:
    """A data set to download: its files, attribution and licence."""

    name: str
    title: str
    files: tuple[RemoteFile, ...]
    attribution: str
    licence: str


_MNIST_HOSTS = (
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
)
_MNIST_SHA256 = (
    (
        "train-images-idx3-ubyte.gz",
        "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    ),
    (
        "train-labels-idx1-ubyte.gz",
        "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    ),
    (
        "t10k-images-idx3-ubyte.gz",
        "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    ),
    (
        "t10k-labels-idx1-ubyte.gz",
        "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    ),
)

MNIST_FILES = DataSet(
    name="mnist",
    title="MNIST, 70,000 handwritten digits",
    files=tuple(
        RemoteFile(name, tuple(host + name for host in _MNIST_HOSTS), sha256)
        for name, sha256 in _MNIST_SHA256
    ),
    attribution="Yann LeCun and Corinna Cortes",
    licence="CC BY-SA 3.0",
)

FSDD_ARCHIVE = DataSet(
    name="fsdd",
    title="Free Spoken Digit Dataset v1.0.10",
    files=(
        RemoteFile(
            "free-spoken-digit-dataset-1.0.10.tar.gz",
            ("https://github.com/Jakobovski/free-spoken-digit-dataset/archive/v1.0.10.tar.gz",),
            "feb479fad3a37883c3d21ed7f982281c2dd1c18d5aefd7e8a5d50f58023392aa",
        ),
    ),
    attribution="Zohar Jackson and contributors (Jakobovski/free-spoken-digit-dataset)",
    licence="CC BY-SA 4.0",
)


LOEWENSTEIN = DataSet(
    name="loewenstein2015",
    title="Spine sizes of Loewenstein, Yanover and Rumpel (2015)",
    files=(
        RemoteFile(
            "publication_data.csv",
            ("https://decision-making-lab.com/data/spines/publication_data.csv",),
            "2f6343606f62abb07b82491a71f0e4a4a898923d2bcf86aa4be8d596276d0062",
        ),
    ),
    attribution="Yonatan Loewenstein, Uri Yanover and Simon Rumpel",
    licence="none stated; for your own use",
)


def data_folder() -> Path:
    """Folder of fetched data: ``$SYNSAMP_DATA``, or the platform's cache folder for synsamp.

    It holds ``mnist/`` (the four original files), ``fsdd/`` (wav files) and ``loewenstein2015/``.
    """
    named = os.environ.get(DATA_FOLDER_VARIABLE)
    if not named:
        return platformdirs.user_cache_path("synsamp")
    try:
        return Path(named).expanduser()
    except RuntimeError:
        rule = "must be a folder whose ~ can be found"
        raise refuse(DATA_FOLDER_VARIABLE, rule, named, "write the path in full") from None
