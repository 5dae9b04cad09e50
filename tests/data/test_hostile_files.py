"""Damaged and hostile WAV, SPHERE, idx and tar files end in a SynsampError or in checked data."""

import gzip
import io
import tarfile

import numpy as np
import pytest

from data_files import sphere_bytes, wav_bytes, word
from synsamp.data import read_sound
from synsamp.data.idx import read_idx_images
from synsamp.data.reading import content_of, unzipped
from synsamp.data.unpack import unpack_recordings
from synsamp.errors import SynsampError


def damaged(content, seed):
    """Overwrite, cut, repeat or insert bytes, more often near the header."""
    rng = np.random.default_rng(seed)
    data = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        at = int(rng.integers(min(len(data), 64) if rng.random() < 0.7 else len(data)))
        kind = rng.integers(4)
        if kind == 0:
            data[at : at + 4] = rng.bytes(4)
        elif kind == 1:
            data[at : at + 4] = bytes([rng.choice([0, 0x7F, 0x80, 0xFF])]) * 4
        elif kind == 2:
            data = data[: at + 1]
        else:
            data[at:at] = data[: int(rng.integers(1, 64))]
    return bytes(data)


@pytest.mark.parametrize(
    "content", [wav_bytes(word().tobytes()), sphere_bytes(word())], ids=["wav", "sphere"]
)
def test_a_damaged_sound_is_read_within_bounds_or_raises_an_error(tmp_path, content):
    path, errors = tmp_path / "a.wav", []
    for seed in range(300):
        path.write_bytes(damaged(content, seed))
        try:
            sound = read_sound(path)
        except SynsampError as error:
            errors.append(str(error))
        else:
            assert sound.waveform.ndim == 1
            assert np.isfinite(sound.waveform).all()
            assert 100 <= sound.rate_hz <= 1e6
    assert len(errors) > 60
    assert not any("\n" in error for error in errors)


def test_a_damaged_idx_file_is_read_within_bounds_or_raises_an_error(tmp_path):
    images = np.arange(4 * 28 * 28).astype(np.uint8)
    content = (0x803).to_bytes(4, "big") + b"".join(n.to_bytes(4, "big") for n in (4, 28, 28))
    path, errors = tmp_path / "a.gz", []
    for seed in range(200):
        plain = damaged(content + images.tobytes(), seed)
        packed = gzip.compress(plain)
        path.write_bytes(packed if seed % 2 else damaged(gzip.compress(plain), seed))
        try:
            assert read_idx_images(path).ndim == 3
        except SynsampError as error:
            errors.append(str(error))
    assert len(errors) > 100
    assert not any("\n" in error for error in errors)


def test_an_idx_file_that_unpacks_to_a_gigabyte_raises_an_error(tmp_path):
    block = gzip.compress(bytes(1 << 23))
    (tmp_path / "bomb.gz").write_bytes(block * 128)  # members of a gzip file are concatenated
    with pytest.raises(SynsampError, match="must be at most 134,217,728 bytes, got 'more'"):
        read_idx_images(tmp_path / "bomb.gz")


def archive_of(path, *members):
    """A tar.gz of (TarInfo, content)."""
    with tarfile.open(path, "w:gz") as tar:
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("kind", [tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.LNKTYPE])
def test_devices_pipes_and_links_are_not_unpacked(tmp_path, kind):
    special = tarfile.TarInfo("fsdd/recordings/1_x_0.wav")
    special.type, special.linkname = kind, "/etc/passwd"
    plain = tarfile.TarInfo("fsdd/recordings/1_x_1.wav")
    archive = archive_of(tmp_path / "a.tar.gz", (special, b""), (plain, b"sound"))
    assert unpack_recordings(archive, tmp_path / "out") == 1
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["1_x_1.wav"]


def test_a_damaged_archive_leaves_no_files_outside_of_the_target(tmp_path):
    member = tarfile.TarInfo("fsdd/recordings/1_x_0.wav")
    archive = archive_of(tmp_path / "a.tar.gz", (member, wav_bytes(word().tobytes())))
    plain, errors = gzip.decompress(archive.read_bytes()), []
    for seed in range(150):
        archive.write_bytes(gzip.compress(damaged(plain, seed)))
        try:
            unpack_recordings(archive, tmp_path / "out")
        except SynsampError as error:
            errors.append(str(error))
        assert {p.name for p in tmp_path.iterdir()} <= {"a.tar.gz", "out"}
    assert len(errors) > 50
    assert not any("\n" in error for error in errors)


@pytest.mark.parametrize("read", [content_of, unzipped])
def test_a_small_file_takes_little_memory_whatever_the_limit(tmp_path, read):
    """Asking the file for 2**62 bytes at once would end in a MemoryError."""
    content = bytes(range(256)) * 200
    path = tmp_path / "small"
    path.write_bytes(content if read is content_of else gzip.compress(content))
    assert read(path, 2**62, "") == content
    assert read(path, len(content), "") == content
    with pytest.raises(SynsampError, match="at most 51,199 bytes"):
        read(path, len(content) - 1, "")
