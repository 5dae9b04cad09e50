"""Data files from anywhere: read, or refused in one line, in bounded memory and time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from torture import hostile_files
from torture.scale import many

READER = Path(__file__).with_name("read_hostile.py")
SHORT_STEP = 5


def read_all(cases):
    """Read (kind, path) pairs in one process with little memory."""
    done = subprocess.run(
        [sys.executable, str(READER)],
        input="".join(f"{kind}\t{path}\n" for kind, path in cases),
        capture_output=True,
        text=True,
        timeout=600,
    )
    reported = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(reported) == len(cases), (
        f"reading died at {cases[len(reported)]}: {done.stderr[-2000:]}"
    )
    return reported


def lay(path, content):
    """Write a file, or a folder of files by name."""
    if isinstance(content, bytes):
        path.write_bytes(content)
        return
    for name, part in content.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(part)


def wrong(reported, names):
    """Those that ended neither read nor in one short line with a remedy."""
    return [
        (name, found)
        for name, found in zip(names, reported, strict=True)
        if found["outcome"] != "read"
        and not (
            found["outcome"] in ("SynsampError", "InUseError")
            and len(found["message"].splitlines()) == 1
            and len(found["message"]) < 1000
            and any(word in found["message"] for word in ("must", "readable", "not enough memory"))
        )
    ]


@pytest.mark.parametrize("kind", hostile_files.KINDS)
def test_a_hostile_file_is_read_or_raises_a_one_line_error(kind, tmp_path, tally):
    cases = list(hostile_files.KINDS[kind]())[:: many(SHORT_STEP, 1)]
    paths = []
    for number, (_, content) in enumerate(cases):
        paths.append(tmp_path / f"{number}.{kind}")
        lay(paths[-1], content)
    reported = read_all([(kind, path) for path in paths])
    assert wrong(reported, [name for name, _ in cases]) == []
    assert any(found["outcome"] != "read" for found in reported)
    tally("hostile data files", len(cases))


def test_what_is_no_plain_file_raises_a_one_line_error(tmp_path, tally):
    paths = hostile_files.no_plain_files(tmp_path)
    cases = [(kind, path) for kind in hostile_files.KINDS for path in paths]
    reported = read_all(cases)
    assert wrong(reported, cases) == []
    assert {found["outcome"] for found in reported} == {"SynsampError"}
    tally("hostile data files", len(cases))


def test_an_empty_table_is_not_refused_for_lack_of_memory(tmp_path, tally):
    (tmp_path / "empty.csv").touch()
    (told,) = read_all([("csv", tmp_path / "empty.csv")])
    assert "must hold a header" in told["message"]
    tally("hostile data files")


def test_good_files_of_these_kinds_are_read(tmp_path):
    """The makers of bad files make good ones too; else all would fail for a wrong reason."""
    good = {
        "idx": hostile_files.gzip.compress(hostile_files.idx((3, 28, 28), n_bytes=2352)),
        "wav": hostile_files.wav(),
        "sphere": hostile_files.sphere(),
        "png": hostile_files.png(),
        "tar": hostile_files.tar(),
        "draws": hostile_files.zarr_files(),
        "npz": hostile_files.archive(
            {
                "images.npy": hostile_files.array_file(),
                "labels.npy": hostile_files.array_file("(3,)", content=bytes(3)),
            }
        ),
    }
    cases = []
    for kind, content in good.items():
        path = tmp_path / kind
        lay(path, content)
        cases.append((kind, path))
    assert [found["message"] for found in read_all(cases)] == [
        "(3, 28, 28)",
        "(400,)",
        "(400,)",
        "(1, 4, 4)",
        "1",
        "(2, 4, 3)",
        "(3, 28, 28)",
    ]
