"""Read sound files: uncompressed WAV, and NIST SPHERE (the format of TI-46)."""

from __future__ import annotations

import io
import math
import re
import warnings
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.io import wavfile

from synsamp.arguments import number, one_of, whole
from synsamp.data.reading import content_of
from synsamp.errors import SynsampError

SPHERE_MAGIC = b"NIST_1A"
MOST_BYTES = 1 << 25
"""Limit of a sound file: six minutes of one channel in CD quality; a word takes a second."""
BYTE_ORDERS = {"01": "<", "10": ">"}
MOST_HEADER_BYTES = 1 << 16
RATES_HZ = {"at_least": 100.0, "at_most": 1e6}
REMEDY = "give a wav or SPHERE file with one word"


class Sound(NamedTuple):
    """Samples of one channel from -1 to 1 (full scale), shape (samples,), and the sample rate.

    Parameters
    ----------
    waveform : ndarray of float, shape (samples,)
        Samples from −1 to 1.
    rate_hz : float
        Sample rate (Hz).
    """

    waveform: NDArray[np.float64]
    rate_hz: float


def read_sound(path: str | Path) -> Sound:
    """Read a WAV or SPHERE file, distinguished by its first bytes (both are named .wav).

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Sound
        Samples from −1 to 1, shape (samples,), and the sample rate (Hz).
    """
    content = content_of(path, MOST_BYTES, REMEDY)
    return _sphere(path, content) if content.startswith(SPHERE_MAGIC) else _wav(path, content)


def read_wav(path: str | Path) -> Sound:
    """Read a WAV file of any sample rate: 8, 16, 24 or 32 bit integers, or floats.

    Channels are averaged. Empty, truncated and compressed files and NaN raise an error.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Sound
        Samples from −1 to 1, shape (samples,), and the sample rate (Hz).
    """
    return _wav(path, content_of(path, MOST_BYTES, REMEDY))


def _wav(path: str | Path, content: bytes) -> Sound:
    with warnings.catch_warnings():
        # scipy warns about unknown chunks, such as a title or the recorder's name.
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        try:
            rate_hz, samples = wavfile.read(io.BytesIO(content))
        except Exception as problem:  # scipy raises struct, value and attribute errors
            raise SynsampError(
                f"{path} is not a readable wav file ({str(problem)[:200]}); "
                "convert it to 16 bit PCM"
            ) from None
    _check_length(path, content)
    if samples.dtype == np.uint8:
        waveform = (samples.astype(np.float64) - 128) / 128
    elif samples.dtype.kind == "i":
        # scipy stores 24 bit samples in the upper bytes of 32, so the scale is the same.
        waveform = samples / -float(np.iinfo(samples.dtype).min)
    else:
        waveform = samples.astype(np.float64)
    return _checked(path, waveform, float(rate_hz))


def _check_length(path: str | Path, content: bytes) -> None:
    """Raise an error for a truncated file, of which scipy silently returns a part."""
    position = len(b"RIFF....WAVE")
    order: Literal["little", "big"] = "big" if content[:4] == b"RIFX" else "little"
    while content[:4] in (b"RIFF", b"RIFX") and position + 8 <= len(content):
        length = int.from_bytes(content[position + 4 : position + 8], order)
        end = position + 8 + length
        # The largest number means "unknown": the file was written to a pipe.
        known = length != 0xFFFFFFFF
        if content[position : position + 4] == b"data" and known and len(content) < end:
            raise SynsampError(
                f"{path} must hold {length} bytes of samples as its header says, got "
                f"{len(content) - position - 8}; copy or fetch it again"
            )
        position = end + length % 2  # chunks start at even offsets


def read_sphere(path: str | Path) -> Sound:
    """Read a NIST SPHERE file with plain PCM samples of two bytes.

    The header is text: a magic line, its own length, then lines ``name -type value`` up to
    ``end_head``. Full scale follows from ``sample_sig_bits`` (12 in TI-46), else from the bytes.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Sound
        Samples from −1 to 1, shape (samples,), and the sample rate (Hz).
    """
    return _sphere(path, content_of(path, MOST_BYTES, REMEDY))


def _sphere(path: str | Path, content: bytes) -> Sound:
    start = _sphere_header_length(path, content)
    fields = _sphere_fields(path, content[:start])
    coding = fields.get("sample_coding", "pcm")
    if coding != "pcm" or fields.get("sample_n_bytes", "2") != "2":
        raise SynsampError(
            f"{path} must hold plain 2-byte PCM, got coding {coding[:40]!r} with "
            f"{fields.get('sample_n_bytes', '2')[:40]} bytes; unpack it with sph2pipe or sox first"
        )
    order = fields.get("sample_byte_format", "01")
    byte_order = BYTE_ORDERS[one_of(f"sample_byte_format of {path}", order, BYTE_ORDERS)]
    n_samples = _sphere_number(path, fields, "sample_count", None, 1, MOST_BYTES)
    n_channels = _sphere_number(path, fields, "channel_count", "1", 1, MOST_BYTES)
    bits = _sphere_number(path, fields, "sample_sig_bits", "16", 2, 16)
    try:
        rate_hz = float(fields.get("sample_rate", ""))
    except ValueError:
        rate_hz = math.nan
    data = content[start:]
    expected = 2 * n_samples * n_channels
    if len(data) < expected:
        raise SynsampError(
            f"{path} must hold {expected} bytes of samples as its header says, got {len(data)}; "
            "copy it again"
        )
    samples = np.frombuffer(data[:expected], dtype=f"{byte_order}i2")
    return _checked(path, samples.reshape(-1, n_channels) / 2.0 ** (bits - 1), rate_hz)


def _sphere_number(
    path: str | Path, fields: dict[str, str], name: str, default: str | None, low: int, high: int
) -> int:
    text = fields.get(name, default)
    found = int(text) if text is not None and re.fullmatch(r"-?\d{1,18}", text) else text
    remedy = "the SPHERE header is damaged, copy the file again"
    return whole(f"{name} of {path}", found, at_least=low, at_most=high, remedy=remedy)


def _sphere_header_length(path: str | Path, content: bytes) -> int:
    lines = content[:64].split(b"\n")
    if lines[0] != SPHERE_MAGIC or len(lines) < 2 or not lines[1].strip().isdigit():
        raise SynsampError(
            f"{path} must start with a SPHERE header (NIST_1A), got {content[:16]!r}; "
            "give a SPHERE file"
        )
    length = int(lines[1])
    if length > min(len(content), MOST_HEADER_BYTES):
        raise SynsampError(
            f"{path} must have a SPHERE header of at most {MOST_HEADER_BYTES} bytes within the "
            f"file, got {length}: it is cut off or damaged; copy the file again"
        )
    return length


def _sphere_fields(path: str | Path, header: bytes) -> dict[str, str]:
    text = header.decode("ascii", errors="replace")
    if "end_head" not in text:
        raise SynsampError(
            f"{path} must have a SPHERE header that ends in end_head, got one without; "
            "copy the file again"
        )
    lines = text.split("end_head")[0].splitlines()[2:]
    parts = (line.split(maxsplit=2) for line in lines)
    return {part[0]: part[2].strip() for part in parts if len(part) == 3}


def _checked(path: str | Path, waveform: NDArray[np.float64], rate_hz: float) -> Sound:
    """Average the channels; raise an error without finite samples or a plausible rate."""
    if waveform.size == 0:
        raise SynsampError(f"{path} must contain sound, got an empty file (0 samples)")
    mono = waveform.mean(axis=1) if waveform.ndim == 2 else waveform
    if not np.isfinite(mono).all():
        raise SynsampError(f"{path} must contain finite samples, got NaN or infinity")
    remedy = "the header is damaged, or it is no sound"
    return Sound(mono, number(f"sample rate of {path}", rate_hz, remedy=remedy, **RATES_HZ))
