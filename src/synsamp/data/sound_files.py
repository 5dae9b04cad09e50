"""Read sound files: wav of any kind that is plain samples, and NIST SPHERE (the TI-46 discs)."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.io import wavfile

from synsamp.errors import SynsampError

SPHERE_MAGIC = b"NIST_1A"


class Sound(NamedTuple):
    """One channel of samples from -1 to 1 (full scale), and how many come in a second."""

    waveform: NDArray[np.float64]
    rate_hz: float


def read_sound(path: str | Path) -> Sound:
    """Read a wav or a SPHERE file, whichever its first bytes say (both are called .wav)."""
    return read_sphere(path) if _bytes_of(path).startswith(SPHERE_MAGIC) else read_wav(path)


def read_wav(path: str | Path) -> Sound:
    """Read a wav file of any sample rate: 8, 16, 24 or 32 bit whole numbers, or floats.

    Several channels are averaged. Refused: an empty or cut-off file, NaN, compressed formats.
    """
    content = _bytes_of(path)
    with warnings.catch_warnings():
        # scipy warns of chunks that it does not know (a title, the recorder's name): no matter.
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        try:
            rate_hz, samples = wavfile.read(io.BytesIO(content))
        except Exception as problem:  # scipy lets struct, value and attribute errors through
            raise SynsampError(
                f"{path} is not a readable wav file ({problem}); convert it to 16 bit PCM"
            ) from None
    _refuse_cut_off(path, content)
    if samples.dtype == np.uint8:
        waveform = (samples.astype(np.float64) - 128) / 128
    elif samples.dtype.kind == "i":
        # scipy puts 24 bit samples into the upper bytes of 32, so the same scale serves.
        waveform = samples / -float(np.iinfo(samples.dtype).min)
    else:
        waveform = samples.astype(np.float64)
    return _checked(path, waveform, float(rate_hz))


def _refuse_cut_off(path: str | Path, content: bytes) -> None:
    """Refuse a wav whose samples end early; scipy would return what is there without a word."""
    position = len(b"RIFF....WAVE")
    while content[:4] == b"RIFF" and position + 8 <= len(content):
        length = int.from_bytes(content[position + 4 : position + 8], "little")
        end = position + 8 + length
        # The largest number stands for "unknown": the file was written to a pipe.
        if content[position : position + 4] == b"data" and len(content) < end < 0xFFFFFFFF:
            raise SynsampError(
                f"{path} must hold {length} bytes of samples as its header says, got "
                f"{len(content) - position - 8}; copy or fetch it again"
            )
        position = end + length % 2  # chunks start at even places


def read_sphere(path: str | Path) -> Sound:
    """Read a NIST SPHERE file with plain PCM samples of two bytes.

    The header is text: a magic line, its own length, then lines ``name -type value`` up to
    ``end_head``. Full scale is taken from ``sample_sig_bits`` (12 in TI-46), else from the bytes.
    """
    content = _bytes_of(path)
    fields = _sphere_fields(path, content)
    coding = fields.get("sample_coding", "pcm")
    if coding != "pcm" or fields.get("sample_n_bytes", "2") != "2":
        raise SynsampError(
            f"{path} must hold plain 2-byte PCM, got coding {coding!r} with "
            f"{fields.get('sample_n_bytes', '2')} bytes; unpack it with sph2pipe or sox first"
        )
    byte_order = {"01": "<", "10": ">"}.get(fields.get("sample_byte_format", "01"))
    try:
        rate_hz, n_samples = float(fields["sample_rate"]), int(fields["sample_count"])
        n_channels = int(fields.get("channel_count", "1"))
        bits = int(fields.get("sample_sig_bits", "16"))
    except (KeyError, ValueError) as problem:
        raise SynsampError(f"{path} has a SPHERE header without a usable {problem}") from None
    if byte_order is None or not (rate_hz > 0 and n_channels >= 1 and 2 <= bits <= 16):
        raise SynsampError(f"{path} has a SPHERE header that makes no sense: {fields}")
    data = content[_sphere_header_length(path, content) :]
    expected = 2 * n_samples * n_channels
    if len(data) < expected:
        raise SynsampError(
            f"{path} must hold {expected} bytes of samples as its header says, got {len(data)}; "
            "copy it again"
        )
    samples = np.frombuffer(data[:expected], dtype=f"{byte_order}i2")
    return _checked(path, samples.reshape(-1, n_channels) / 2.0 ** (bits - 1), rate_hz)


def _bytes_of(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as problem:
        raise SynsampError(f"{path} cannot be read ({problem.strerror})") from None


def _sphere_header_length(path: str | Path, content: bytes) -> int:
    lines = content[:64].split(b"\n")
    if lines[0] != SPHERE_MAGIC or len(lines) < 2 or not lines[1].strip().isdigit():
        raise SynsampError(
            f"{path} must start with a SPHERE header (NIST_1A), got {content[:16]!r}"
        )
    return int(lines[1])


def _sphere_fields(path: str | Path, content: bytes) -> dict[str, str]:
    header = content[: _sphere_header_length(path, content)].decode("ascii", errors="replace")
    if "end_head" not in header:
        raise SynsampError(f"{path} has a SPHERE header without its end; copy the file again")
    lines = header.split("end_head")[0].splitlines()[2:]
    parts = (line.split(maxsplit=2) for line in lines)
    return {part[0]: part[2].strip() for part in parts if len(part) == 3}


def _checked(path: str | Path, waveform: NDArray[np.float64], rate_hz: float) -> Sound:
    """Average the channels and refuse what is no sound at all."""
    if waveform.size == 0:
        raise SynsampError(f"{path} must contain sound, got an empty file (0 samples)")
    mono = waveform.mean(axis=1) if waveform.ndim == 2 else waveform
    if not np.isfinite(mono).all():
        raise SynsampError(f"{path} must contain finite samples, got NaN or infinity")
    return Sound(mono, rate_hz)
