"""The repository can be published: no local paths, nothing unsafe, every dependency pinned."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Written in pieces, so that this file does not contain the patterns.
FORBIDDEN = {
    "a path of one machine": r"(?<![\w.])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me|Us" + r"ers)/\w",
    "the shared folder": r"\.\./sha" + r"red",
    "a package index": r"(?:index-u" + r"rl|py" + r"pi\.org/simple|trusted-h" + r"ost)",
    "pickle": r"\bimport pick" + r"le\b|allow_pick" + r"le=True",
}
MAY = {
    (".ci/run", "the shared folder"),
    # Users may pickle simulations and Datasets; nothing of the package reads a pickle from a file.
    ("tests/spiking/test_copies.py", "pickle"),
    ("tests/runs/ensembles/test_ensemble.py", "pickle"),
}


def tracked():
    """The files under version control and those about to be, or skip where there is no git."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout, so what belongs to the tree is not known")
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def findings(name, text):
    return [
        f"{name}: {what}: {found.group()!r}"
        for what, pattern in FORBIDDEN.items()
        if (name, what) not in MAY and (found := re.search(pattern, text))
    ]


def test_no_file_names_what_it_must_not():
    wrong = []
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content:
            text = content.decode(errors="replace")
            wrong += findings(path.relative_to(ROOT).as_posix(), text)
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "open('/wo" + "rk/main/x')",
        "cd ../sha" + "red/data",
        "import pick" + "le",
        "/ho" + "me/me/x",
    ],
)
def test_the_guard_detects_forbidden_text(text):
    assert findings("some/file.py", text)


def test_every_pin_is_exact():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert lines
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._+!-]+", line), line


def test_every_dependency_is_pinned():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    pins = {
        line.split("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
    }
    names = {re.match(r"[A-Za-z0-9_-]+", text).group().lower().replace("_", "-") for text in wanted}
    assert names <= pins
