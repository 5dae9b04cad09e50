"""List the data sets on this machine, including damaged files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from synsamp.data.digits import load_digits
from synsamp.data.idx import read_idx_labels
from synsamp.data.sources import FSDD_ARCHIVE, LOEWENSTEIN, MNIST_FILES, data_folder
from synsamp.data.speech import EmbeddedVoices, load_speech
from synsamp.data.unpack import RECORDING
from synsamp.errors import SynsampError


@dataclass(frozen=True)
class Holding:
    """One data set: name, amount, location and origin."""

    name: str
    amount: str
    place: str
    origin: str


def inventory() -> list[Holding]:
    """All known data sets, downloaded or not."""
    return [
        _embedded_digits(),
        _mnist(),
        _embedded_speech(),
        _embedded_voices(),
        _fsdd(),
        _ti46(),
        _loewenstein(),
    ]


def _embedded_digits() -> Holding:
    counts = load_digits().train.counts
    return Holding(
        "digits",
        f"{sum(counts.values()):,} images ({counts[1]:,} ones, {counts[2]:,} twos)",
        "in the package",
        f"MNIST training set; {MNIST_FILES.attribution}; {MNIST_FILES.licence}",
    )


def _mnist() -> Holding:
    folder = data_folder() / "mnist"
    origin = f"{MNIST_FILES.attribution}; {MNIST_FILES.licence}"
    if not any((folder / file.name).exists() for file in MNIST_FILES.files):
        return Holding("mnist", "not downloaded", "run: synsamp data fetch mnist", origin)
    try:
        train, test = (
            len(read_idx_labels(folder / f"{part}-labels-idx1-ubyte.gz"))
            for part in ("train", "t10k")
        )
        missing = [file.name for file in MNIST_FILES.files if not (folder / file.name).exists()]
    except SynsampError as problem:
        return Holding("mnist", f"damaged: {problem}", str(folder), origin)
    if missing:
        return Holding("mnist", f"incomplete: {', '.join(missing)} missing", str(folder), origin)
    return Holding("mnist", f"{train:,} training and {test:,} test images", str(folder), origin)


def _embedded_speech() -> Holding:
    utterances = load_speech()
    counts = Counter(utterance.digit for utterance in utterances)
    return Holding(
        "speech",
        f"{len(utterances)} utterances ({counts[1]} of one, {counts[2]} of two; synthetic)",
        "in the package",
        f"rendered by {utterances[0].speaker}; no human voice",
    )


def _embedded_voices() -> Holding:
    utterances = load_speech(EmbeddedVoices())
    counts = Counter(utterance.digit for utterance in utterances)
    speakers = sorted({utterance.speaker for utterance in utterances})
    return Holding(
        "voices",
        f"{len(utterances)} utterances ({counts[1]} of one, {counts[2]} of two) by "
        f"{', '.join(speakers)}",
        "in the package",
        f"{FSDD_ARCHIVE.title}; {FSDD_ARCHIVE.attribution}; {FSDD_ARCHIVE.licence}",
    )


def _fsdd() -> Holding:
    folder = data_folder() / "fsdd"
    origin = f"{FSDD_ARCHIVE.attribution}; {FSDD_ARCHIVE.licence}"
    found = folder.iterdir() if folder.is_dir() else iter(())
    names = [path.name for path in found if RECORDING.fullmatch(path.name)]
    if not names:
        return Holding("fsdd", "not downloaded", "run: synsamp data fetch fsdd", origin)
    digits = sorted({name[0] for name in names})
    speakers = {name[2:].rsplit("_", 1)[0] for name in names}
    amount = f"{len(names):,} recordings (digits {' '.join(digits)}; {len(speakers)} speakers)"
    return Holding("fsdd", amount, str(folder), origin)


def _loewenstein() -> Holding:
    name, (file,) = LOEWENSTEIN.name, LOEWENSTEIN.files
    path = data_folder() / name / file.name
    origin = f"{LOEWENSTEIN.attribution}; licence: {LOEWENSTEIN.licence}"
    if not path.is_file():
        return Holding(name, "not downloaded", f"run: synsamp data fetch {name}", origin)
    try:
        rows = path.read_bytes().count(b"\n")
    except OSError as problem:
        return Holding(name, f"damaged: {problem.strerror}", str(path.parent), origin)
    return Holding(
        name, f"{rows:,} rows; read them: synsamp spines {name}", str(path.parent), origin
    )


def _ti46() -> Holding:
    return Holding(
        "ti46",
        "your own copy",
        "read a folder with TI46(folder) in Python",
        "Texas Instruments 46-word corpus, LDC93S9; licensed, cannot be downloaded",
    )
