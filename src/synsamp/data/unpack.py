"""Unpack the recordings of the FSDD archive, and nothing else, into one folder."""

from __future__ import annotations

import errno
import gzip
import os
import re
import shutil
import tarfile
import tempfile
import zlib
from pathlib import Path, PurePosixPath

from synsamp.data.reading import require_plain
from synsamp.data.sound_files import read_wav
from synsamp.errors import FailureError, SynsampError, refuse
from synsamp.progress import progress_bar

MOST_MEMBERS = 100_000
MOST_BYTES = 1 << 30
"""Limits of an unpacked archive; the original has 3,000 recordings and some ten megabytes."""
MOST_AT_ONCE = 1 << 20
"""Bytes of one read; contents are read in smaller pieces."""
RECORDING = re.compile(r"\d_.+_[^_]+\.wav", flags=re.IGNORECASE)


def unpack_recordings(archive: Path, target: Path) -> int:
    """Unpack ``*/recordings/<digit>_<speaker>_<take>.wav``; returns how many there were.

    A member whose path leaves the folder raises an error for the whole archive. Everything is
    unpacked into a temporary folder first, so a damaged archive leaves the target unchanged.
    """
    require_plain(archive, "give the archive of the FSDD")
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unpacking-") as part:
            names = _unpack_into(archive, Path(part))
            for name in names:
                os.replace(Path(part) / name, target / name)
    except OSError as problem:
        raise cannot_write(target, problem) from None
    return len(names)


def cannot_write(target: Path, problem: OSError) -> SynsampError:
    """Build the error for a folder that cannot be written, or for a full disk."""
    full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
    remedy = "free some space" if full else "set SYNSAMP_DATA to a folder you may write to"
    message = f"cannot write to {target} ({problem.strerror}); {remedy}"
    return FailureError(message) if full else SynsampError(message)


def recordings_in(folder: Path) -> list[Path]:
    """WAV files of a folder with FSDD names; each is read to detect damaged files."""
    if not folder.is_dir():
        raise refuse("--from", "must be a folder", str(folder), "give the folder with the files")
    paths = sorted(path for path in folder.iterdir() if RECORDING.fullmatch(path.name))
    with progress_bar("reading", len(paths)) as advance:
        for path in paths:
            read_wav(path)
            advance(1)
    return paths


class _Unzipped(gzip.GzipFile):
    """Refuses long headers: `tarfile` reads one, such as a long name, as one piece of any size."""

    def read(self, size: int | None = -1) -> bytes:
        if size is not None and size > MOST_AT_ONCE:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        return super().read(size)


def _unpack_into(archive: Path, folder: Path) -> list[str]:
    try:
        with _Unzipped(archive) as content, tarfile.open(fileobj=content, mode="r:") as tar:
            names = [
                _unpack_one(tar, member, folder)
                for member in _checked_members(tar, archive)
                if _is_recording(member)
            ]
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise SynsampError(
            f"{archive} must be an intact tar.gz archive, got a damaged one ({problem}); "
            "delete it and fetch again"
        ) from None
    if not names:
        raise SynsampError(
            f"{archive} must hold recordings/*.wav, got none; give the archive of the FSDD"
        )
    return names


def _checked_members(tar: tarfile.TarFile, archive: Path) -> list[tarfile.TarInfo]:
    members: list[tarfile.TarInfo] = []
    total = 0
    for member in tar:
        members.append(member)
        total += max(member.size, 0)
        if len(members) > MOST_MEMBERS or total > MOST_BYTES:
            raise SynsampError(
                f"{archive} must hold at most {MOST_MEMBERS:,} files and {MOST_BYTES:,} bytes, got "
                "more; nothing was unpacked, do not use this archive"
            )
        path = PurePosixPath(member.name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", member.name):
            raise SynsampError(
                f"{archive} must hold no path that leaves the folder, got {member.name!r}; "
                "nothing was unpacked, do not use this archive"
            )
    return members


def _is_recording(member: tarfile.TarInfo) -> bool:
    path = PurePosixPath(member.name)
    return (
        member.isreg()
        and path.parent.name == "recordings"
        and RECORDING.fullmatch(path.name) is not None
    )


def _unpack_one(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> str:
    name = PurePosixPath(member.name).name
    content = tar.extractfile(member)
    assert content is not None  # a regular file
    with (folder / name).open("wb") as file:
        shutil.copyfileobj(content, file)
    return name
