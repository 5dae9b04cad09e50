"""Download data sets with checksums, resuming after an interruption.

pooch downloads into the folder ``partial``. A file is moved to its place in one step after its
sha256 was verified; until then an older copy stays unchanged. pooch cannot resume a download, so
the downloader below adds that: received bytes stay in ``partial``, and the next attempt requests
only the rest.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pooch
import requests

from synsamp.data.sources import (
    FSDD_ARCHIVE,
    LOEWENSTEIN,
    MNIST_FILES,
    DataSet,
    RemoteFile,
    data_folder,
)
from synsamp.data.unpack import cannot_write, recordings_in, unpack_recordings
from synsamp.errors import FailureError, SynsampError, refuse
from synsamp.progress import progress_bar

# Called with the name of the file, the bytes received, and all bytes (0 if unknown).
ProgressCallback = Callable[[str, int, int], None]

TIMEOUT_S = 30.0
TRIES_PER_SOURCE = 5
CHUNK_BYTES = 1 << 16


def silent(_name: str, _here: int, _total: int) -> None:
    """Report nothing."""


class ResumingDownload:
    """A downloader for pooch that resumes an interrupted download (HTTP Range)."""

    def __init__(self, part: Path, name: str, timeout_s: float, report: ProgressCallback) -> None:
        self.part = part
        self.name = name
        self.timeout_s = timeout_s
        self.report = report

    @property
    def bytes_here(self) -> int:
        """Bytes received so far."""
        return self.part.stat().st_size if self.part.exists() else 0

    def __call__(self, url: str, output_file: str, _pooch: object) -> None:
        """Complete the partial file from ``url``, then hand it to pooch as ``output_file``."""
        headers = {"Accept-Encoding": "identity"}
        if self.bytes_here:
            headers["Range"] = f"bytes={self.bytes_here}-"
        with requests.get(url, headers=headers, stream=True, timeout=self.timeout_s) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                # The partial file belongs to another one; the next attempt starts from scratch.
                self.part.unlink()
            response.raise_for_status()
            resumed = response.status_code == requests.codes.partial_content
            start = self.bytes_here if resumed else 0
            length = int(response.headers.get("Content-Length", 0))
            total = start + length if length else 0
            with self.part.open("ab" if resumed else "wb") as file:
                for chunk in response.iter_content(CHUNK_BYTES):
                    file.write(chunk)
                    start += len(chunk)
                    self.report(self.name, start, total)
        os.replace(self.part, output_file)


def fetch_mnist(report: ProgressCallback = silent, timeout_s: float = TIMEOUT_S) -> Path:
    """Download the missing MNIST files; return their folder."""
    return fetch_files(MNIST_FILES, data_folder() / "mnist", report, timeout_s)


def fetch_fsdd(report: ProgressCallback = silent, timeout_s: float = TIMEOUT_S) -> Path:
    """Download the FSDD archive if it is missing, and unpack its recordings."""
    downloads = fetch_files(FSDD_ARCHIVE, data_folder() / "downloads", report, timeout_s)
    target = data_folder() / "fsdd"
    unpack_recordings(downloads / FSDD_ARCHIVE.files[0].name, target)
    return target


def fetch_loewenstein(report: ProgressCallback = silent, timeout_s: float = TIMEOUT_S) -> Path:
    """Download the spine table of Loewenstein, Yanover and Rumpel (2015) from its authors."""
    return fetch_files(LOEWENSTEIN, data_folder() / LOEWENSTEIN.name, report, timeout_s)


def take_loewenstein_from(folder: Path) -> Path:
    """Copy the spine table from a folder, after checking it."""
    return copy_checked(LOEWENSTEIN, folder, data_folder() / LOEWENSTEIN.name)


def take_mnist_from(folder: Path) -> Path:
    """Copy the four MNIST files from a folder, after checking them."""
    return copy_checked(MNIST_FILES, folder, data_folder() / "mnist")


def take_fsdd_from(folder: Path) -> Path:
    """Copy FSDD from a folder that holds the archive (checked) or wav files (each one read).

    Single recordings have no published checksum, so each is only read.
    """
    archive, target = FSDD_ARCHIVE.files[0], data_folder() / "fsdd"
    if (folder / archive.name).exists():
        downloads = copy_checked(FSDD_ARCHIVE, folder, data_folder() / "downloads")
        unpack_recordings(downloads / archive.name, target)
        return target
    recordings = recordings_in(folder)
    if not recordings:
        raise refuse(
            "--from",
            f"must hold {archive.name} or wav files called <digit>_<speaker>_<take>.wav",
            str(folder),
            "choose another folder",
        )
    with progress_bar("copying", len(recordings)) as advance:
        for recording in recordings:
            copy_whole(recording, target / recording.name)
            advance(1)
    return target


def fetch_files(dataset: DataSet, folder: Path, report: ProgressCallback, timeout_s: float) -> Path:
    """Download each file, trying its sources in turn until the checksum matches."""
    partial = data_folder() / "partial" / dataset.name
    # Progress bars replace the messages of pooch.
    pooch.get_logger().setLevel("ERROR")
    try:
        for file in dataset.files:
            target = folder / file.name
            if target.exists() and pooch.file_hash(str(target)) == file.sha256:
                continue
            part = partial / f"{file.name}.part"
            _fetch_file(file, partial, ResumingDownload(part, file.name, timeout_s, report))
            folder.mkdir(parents=True, exist_ok=True)
            os.replace(partial / file.name, target)
        shutil.rmtree(partial, ignore_errors=True)
    except OSError as problem:
        raise cannot_write(data_folder(), problem) from None
    finally:
        for emptied in (partial, partial.parent):
            if emptied.is_dir() and not any(emptied.iterdir()):
                emptied.rmdir()
    return folder


def _fetch_file(file: RemoteFile, partial: Path, download: ResumingDownload) -> None:
    """Download one file into ``partial`` and verify it."""
    problems = []
    for url in file.urls:
        for _ in range(TRIES_PER_SOURCE):
            before = download.bytes_here
            try:
                pooch.retrieve(
                    url, f"sha256:{file.sha256}", file.name, partial, downloader=download
                )
            except requests.RequestException as problem:
                problems.append(f"{url}: {_plainly(problem)}")
                # Retry a source as long as an attempt receives anything.
                if download.bytes_here in (before, 0):
                    break
            except ValueError:
                # pooch has removed the wrong bytes. If the download was resumed, the older part may
                # have been wrong, so this source may send the whole file.
                problems.append(f"{url}: wrong checksum")
                if before == 0:
                    break
            else:
                return
    raise FailureError(
        f"{file.name} could not be fetched: {'; '.join(problems)}. Nothing was changed; try again "
        "later (the download resumes), or download the file yourself and use --from FOLDER"
    )


def _plainly(problem: requests.RequestException) -> str:
    """A short reason for a failed request."""
    if isinstance(problem, requests.HTTPError) and problem.response is not None:
        return f"the server answered {problem.response.status_code}"
    if isinstance(problem, requests.Timeout) or "timed out" in str(problem):
        return "the server stalled"
    if isinstance(problem, requests.exceptions.ChunkedEncodingError) or "Incomplete" in str(
        problem
    ):
        return "the connection broke off"
    return "no connection"


def copy_checked(dataset: DataSet, source: Path, folder: Path) -> Path:
    """Copy a data set's files from a folder; all are checked before the first one is copied."""
    with progress_bar("checking and copying", 2 * len(dataset.files)) as advance:
        for file in dataset.files:
            path = source / file.name
            if not path.is_file():
                rule = f"must be a folder that holds {file.name}"
                raise refuse(
                    "--from", rule, str(source), "choose the folder with the original files"
                )
            found = pooch.file_hash(str(path))
            if found != file.sha256:
                raise SynsampError(
                    f"{path} must have the sha256 {file.sha256}, got {found}; use the original file"
                )
            advance(1)
        for file in dataset.files:
            copy_whole(source / file.name, folder / file.name)
            advance(1)
    return folder


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file so that the target is always the old or the new one, never a part."""
    if target.exists() and target.samefile(source):
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".copying-") as beside:
            copy = Path(beside) / target.name
            shutil.copyfile(source, copy)
            os.replace(copy, target)
    except OSError as problem:
        raise cannot_write(target, problem) from None
