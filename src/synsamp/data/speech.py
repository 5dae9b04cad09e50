"""Spoken digits behind one interface: embedded (synthetic or human), FSDD, TI-46, or own files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.data.embedded_files import read_embedded
from synsamp.data.sound_files import read_sound
from synsamp.data.sources import data_folder
from synsamp.errors import SynsampError, refuse

EMBEDDED_SPEECH_FILE = "synthetic_spoken_ones_and_twos.npz"
EMBEDDED_VOICES_FILE = "fsdd_spoken_ones_and_twos.npz"


@dataclass(frozen=True, eq=False)
class Utterance:
    """One spoken digit: speaker, take, samples from -1 to 1 (shape (samples,)) and sample rate.

    Parameters
    ----------
    digit : int
        Spoken digit.
    speaker : str
        Name of the speaker.
    utterance : str
        Name of the take.
    waveform : ndarray of float, shape (samples,)
        Samples from −1 to 1.
    rate_hz : float
        Sample rate (Hz).
    """

    digit: int
    speaker: str
    utterance: str
    waveform: NDArray[np.float64]
    rate_hz: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "waveform", arguments.array("waveform", self.waveform))
        if self.waveform.ndim != 1 or self.waveform.size == 0:
            raise refuse(
                "waveform", "must be a row of samples", self.waveform.shape, "mix to mono first"
            )
        if not np.isfinite(self.waveform).all():
            raise refuse(
                "waveform", "must be finite", "NaN or infinity", "remove or replace such samples"
            )
        if not self.rate_hz > 0:
            raise refuse(
                "rate_hz",
                "must be > 0",
                self.rate_hz,
                "give the samples per second of the recording",
            )

    @property
    def duration_s(self) -> float:
        """Length of the recording."""
        return len(self.waveform) / self.rate_hz


class SpeechSource(Protocol):
    """A source of utterances, all or of chosen digits and speakers."""

    def load(
        self, digits: Collection[int] | None = None, speakers: Collection[str] | None = None
    ) -> tuple[Utterance, ...]:
        """Read and check the recordings, ordered by digit, speaker and take."""
        ...


class EmbeddedSpeech:
    """Ten synthetic utterances each of "one" and "two" by one voice (espeak-ng; see docs)."""

    def load(
        self, digits: Collection[int] | None = None, speakers: Collection[str] | None = None
    ) -> tuple[Utterance, ...]:
        """Read the file inside the package."""
        return _embedded(EMBEDDED_SPEECH_FILE, "the embedded speech", digits, speakers)


class EmbeddedVoices:
    """Ten takes each of "one" and "two" by three speakers of FSDD (8 kHz, CC BY-SA 4.0).

    The speakers are jackson, george and lucas. The takes are the first ten that last 320 to
    520 ms, as in the paper.
    """

    def load(
        self, digits: Collection[int] | None = None, speakers: Collection[str] | None = None
    ) -> tuple[Utterance, ...]:
        """Read the file inside the package."""
        return _embedded(EMBEDDED_VOICES_FILE, "the embedded voices", digits, speakers)


@dataclass(frozen=True)
class WavFolder:
    """A folder of WAV files of any sample rate, named ``<digit>_<speaker>_<take>.wav``.

    Parameters
    ----------
    folder : str or Path
        Folder of the files.
    """

    folder: str | Path

    def load(
        self, digits: Collection[int] | None = None, speakers: Collection[str] | None = None
    ) -> tuple[Utterance, ...]:
        """Read the files of the folder; other names are ignored."""
        folder = Path(self.folder)
        if not folder.is_dir():
            raise refuse(
                "folder", "must be a folder of wav files", str(folder), "see docs/howto/data.md"
            )
        found = _load_named(folder.iterdir(), _fsdd_name, digits, speakers)
        return _some(found, str(self.folder), digits, speakers)


@dataclass(frozen=True)
class FreeSpokenDigits:
    """The Free Spoken Digit Dataset (8 kHz, CC BY-SA 4.0).

    Default folder: where ``synsamp data fetch fsdd`` stores the recordings.

    Parameters
    ----------
    folder : str or Path, optional
        Folder of the recordings.
    """

    folder: str | Path | None = None

    def load(
        self, digits: Collection[int] | None = None, speakers: Collection[str] | None = None
    ) -> tuple[Utterance, ...]:
        """Read the recordings."""
        folder = Path(self.folder) if self.folder else data_folder() / "fsdd"
        if not folder.is_dir():
            raise SynsampError(f"{folder} is missing; get FSDD with `synsamp data fetch fsdd`")
        return WavFolder(folder).load(digits, speakers)


@dataclass(frozen=True)
class TI46:
    """A licensee's copy of the TI 46-word corpus (LDC93S9): the ten digits in it.

    Files are called ``<word><speaker><session><token>.wav``, two characters each, as
    ``01f1set0.wav``: word 00-09, speaker f1-f8 or m1-m8, session se (enrolment) or s1-s8, token
    t0-t9. They may lie in any sub-folder, in capitals or not, as SPHERE or converted to wav.

    Parameters
    ----------
    folder : str or Path
        Folder of the corpus.
    """

    folder: str | Path

    def load(
        self, digits: Collection[int] | None = None, speakers: Collection[str] | None = None
    ) -> tuple[Utterance, ...]:
        """Read the digits; other words are ignored."""
        folder = Path(self.folder)
        if not folder.is_dir():
            raise refuse(
                "folder",
                "must be the folder of a TI-46 copy",
                str(folder),
                "see docs/howto/data.md",
            )
        found = _load_named(folder.rglob("*"), _ti46_name, digits, speakers)
        return _some(found, str(self.folder), digits, speakers)


def load_speech(
    source: SpeechSource | None = None,
    digits: Collection[int] | None = None,
    speakers: Collection[str] | None = None,
) -> tuple[Utterance, ...]:
    """Load utterances.

    Parameters
    ----------
    source
        `EmbeddedSpeech` (default), `EmbeddedVoices`, `FreeSpokenDigits`, `TI46`, `WavFolder` or a
        custom source.
    digits, speakers
        Only these; default: all.

    Returns
    -------
    tuple of Utterance
        Ordered by digit, speaker and take.
    """
    return (source or EmbeddedSpeech()).load(digits, speakers)


class SpeechSplit(NamedTuple):
    """Disjoint utterances for training and testing.

    Parameters
    ----------
    train, test : tuple of Utterance
        The utterances.
    """

    train: tuple[Utterance, ...]
    test: tuple[Utterance, ...]


def split_speech(
    utterances: Sequence[Utterance], seed: int, n_train: int = 7, n_test: int = 3
) -> SpeechSplit:
    """Draw 7 training and 3 test utterances of every digit, as in the paper, without overlap.

    For each digit ``numpy.random.default_rng([seed, digit])`` permutes its utterances: the first
    ``n_train`` are for training, the next ``n_test`` for testing, whatever the other digits.

    Parameters
    ----------
    utterances
        Utterances of any digits.
    seed
        Seed of the permutations.
    n_train, n_test
        Numbers of utterances per digit.

    Returns
    -------
    SpeechSplit
        Training and test utterances.
    """
    train: list[Utterance] = []
    test: list[Utterance] = []
    for digit in sorted({spoken.digit for spoken in utterances}):
        takes = [spoken for spoken in utterances if spoken.digit == digit]
        if min(n_train, n_test) < 1 or n_train + n_test > len(takes):
            raise refuse(
                "n_train and n_test",
                f"must be >= 1 and together at most the {len(takes)} utterances of digit {digit}",
                (n_train, n_test),
                "use fewer utterances",
            )
        order = np.random.default_rng([seed, digit]).permutation(len(takes))
        train += [takes[position] for position in order[:n_train]]
        test += [takes[position] for position in order[n_train : n_train + n_test]]
    return SpeechSplit(tuple(train), tuple(test))


def _embedded(
    file: str, what: str, digits: Collection[int] | None, speakers: Collection[str] | None
) -> tuple[Utterance, ...]:
    names = ("samples", "ends", "digits", "takes", "speaker", "rate_hz")
    stored = read_embedded(file, what, names)
    samples, ends, spoken, takes = (stored[name] for name in names[:4])
    by, rate_hz = np.broadcast_to(stored["speaker"], len(spoken)), float(stored["rate_hz"])
    waveforms = np.split(samples / 32768.0, ends[:-1])
    wanted = (
        Utterance(int(digit), str(speaker), str(take), waveform, rate_hz)
        for digit, speaker, take, waveform in zip(spoken, by, takes, waveforms, strict=True)
        if _wanted(int(digit), str(speaker), digits, speakers)
    )
    return _some(wanted, what, digits, speakers)


class SpokenName(NamedTuple):
    """Digit, speaker and take of a file name."""

    digit: int
    speaker: str
    take: str


def _fsdd_name(path: Path) -> SpokenName | None:
    found = re.fullmatch(r"(\d)_(.+)_([^_]+)\.wav", path.name, flags=re.IGNORECASE)
    return SpokenName(int(found[1]), found[2], found[3]) if found else None


def _ti46_name(path: Path) -> SpokenName | None:
    found = re.fullmatch(r"0(\d)([fm]\d)(s[e1-8])(t\w)\.wav", path.name.lower())
    return SpokenName(int(found[1]), found[2], found[3] + found[4]) if found else None


def _load_named(
    paths: Iterable[Path],
    parse: Callable[[Path], SpokenName | None],
    digits: Collection[int] | None,
    speakers: Collection[str] | None,
) -> list[Utterance]:
    named = [(name, path) for path in paths if (name := parse(path)) is not None]
    chosen = [
        (name, path) for name, path in named if _wanted(name.digit, name.speaker, digits, speakers)
    ]
    chosen.sort(key=lambda pair: (*pair[0][:2], _natural(pair[0].take), str(pair[1])))
    return [Utterance(*name, *read_sound(path)) for name, path in chosen]


def _natural(take: str) -> tuple[int, str]:
    """Order takes 2 before 10."""
    return (int(take), "") if take.isdecimal() else (-1, take)


def _wanted(
    digit: int, speaker: str, digits: Collection[int] | None, speakers: Collection[str] | None
) -> bool:
    return (digits is None or digit in digits) and (speakers is None or speaker in speakers)


def _some(
    found: Iterable[Utterance],
    where: str,
    digits: Collection[int] | None,
    speakers: Collection[str] | None,
) -> tuple[Utterance, ...]:
    """Raise an error if nothing was found, for example for a misspelt speaker."""
    utterances = tuple(found)
    if not utterances:
        raise SynsampError(
            f"{where} must hold recordings of digits "
            f"{'0-9' if digits is None else sorted(digits)} by "
            f"{'any speaker' if speakers is None else sorted(speakers)}, got none; "
            "see docs/howto/data.md for the file names"
        )
    return utterances
