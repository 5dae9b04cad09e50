"""Files made for the tests: idx, wav, SPHERE and tar archives, good and bad ones."""

import gzip
import io
import os
import struct
import tarfile
from pathlib import Path

import numpy as np
import pytest

full_data = pytest.mark.skipif(
    "SYNSAMP_DATA" not in os.environ,
    reason="needs the full data: set SYNSAMP_DATA to a folder with mnist/ and fsdd/",
)


def idx_bytes(array, magic):
    return struct.pack(f">{1 + array.ndim}I", magic, *array.shape) + array.tobytes()


def write_idx(path, array, magic=None):
    magic = magic if magic is not None else 0x800 + array.ndim
    path.write_bytes(gzip.compress(idx_bytes(array, magic)))


def write_small_mnist(folder, n_train=12, n_test=5):
    """A tiny data set in MNIST's format under MNIST's names."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    for part, count in (("train", n_train), ("t10k", n_test)):
        images = rng.integers(0, 256, size=(count, 28, 28), dtype=np.uint8)
        write_idx(folder / f"{part}-images-idx3-ubyte.gz", images)
        labels = (np.arange(count) % 10).astype(np.uint8)
        write_idx(folder / f"{part}-labels-idx1-ubyte.gz", labels)


def wav_bytes(samples, rate_hz=8000, bits=16, channels=1, kind=1, claimed_bytes=None):
    """A RIFF file with raw ``samples`` bytes; kind 1 is whole numbers, 3 is floats."""
    align = channels * bits // 8
    claimed = len(samples) if claimed_bytes is None else claimed_bytes
    header = struct.pack("<HHIIHH", kind, channels, rate_hz, rate_hz * align, align, bits)
    body = b"WAVEfmt " + struct.pack("<I", len(header)) + header
    body += b"data" + struct.pack("<I", claimed) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


def word(rate_hz=8000, duration_s=0.1):
    """A little sound in whole numbers of 16 bit."""
    t = np.arange(int(rate_hz * duration_s)) / rate_hz
    return np.round(8000 * np.sin(2 * np.pi * 440 * t)).astype("<i2")


def sphere_bytes(samples, rate_hz=12500, byte_format="01", bits=12, extra="", count=None):
    count = len(samples) if count is None else count
    header = (
        "NIST_1A\n   1024\n"
        f"sample_rate -i {rate_hz}\nsample_count -i {count}\nchannel_count -i 1\n"
        f"sample_n_bytes -i 2\nsample_byte_format -s2 {byte_format}\nsample_sig_bits -i {bits}\n"
        f"{extra}end_head\n"
    )
    order = "<" if byte_format == "01" else ">"
    return header.encode().ljust(1024) + samples.astype(f"{order}i2").tobytes()


def tar_bytes(files):
    """A tar.gz with the given names and contents; names may be anything."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def small_fsdd():
    """Names and contents as in the FSDD archive, four recordings and other files."""
    top = Path("free-spoken-digit-dataset-1.0.10")
    recordings = {
        str(top / "recordings" / f"{digit}_{speaker}_{take}.wav"): wav_bytes(word().tobytes())
        for digit, speaker, take in ((1, "ann", 0), (1, "ann", 10), (1, "ann", 2), (2, "bob", 0))
    }
    return {str(top / "README.md"): b"words", str(top / "__init__.py"): b"", **recordings}
