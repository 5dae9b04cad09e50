"""The command line in surroundings that are not the usual ones: terminals, limits, full disks."""

from __future__ import annotations

import contextlib
import os
import pty
import resource
import subprocess
import sys

import numpy as np
import pytest

from synsamp.cli.printing import ascii_text

APP = "import sys; from synsamp.cli import main; sys.argv[0] = 'synsamp'; main()"


def call(*arguments, environment=None, memory=None, stdout=subprocess.PIPE, program=APP):
    """Run the program itself; memory in bytes of address space."""

    def limit():
        if memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | (environment or {}),
        stdout=stdout,
        stderr=subprocess.PIPE,
        preexec_fn=limit,
        timeout=120,
    )


def one_line(errors):
    lines = errors.decode().splitlines()
    return len(lines) == 1 and lines[0].startswith("synsamp: ")


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["ascii", "latin-1", "C"],
)
def test_any_terminal_will_do(environment):
    """One process for several commands: what counts is set when Python starts."""
    several = """if True:
        import sys
        from synsamp.cli import main
        found = []
        for line in sys.argv[1:]:
            sys.argv[:] = ["synsamp", *line.split()]
            try:
                found.append(main())
            except SystemExit as ended:
                found.append(ended.code)
        sys.exit(found != [0, 0, 0, 2] and str(found))
    """
    lines = ["--help", "list", "list fig1", "run x≥θ"]
    done = call(*lines, environment=environment, program=several)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stdout.decode(environment.get("PYTHONIOENCODING", "ascii"))) > 3000


@pytest.mark.parametrize(
    ("character", "letters"),
    [("θ", "theta"), ("Θ", "Theta"), ("≥", ">="), ("é", "e"), ("₁", "1"), ("─", "-"), ("🧠", "?")],
)
def test_what_a_terminal_lacks_is_written_in_plain_letters(character, letters):
    assert ascii_text(character) == letters


@pytest.mark.parametrize("megabytes", [100, 300, 800])
def test_too_little_memory_is_reported_before_anything_is_loaded(megabytes):
    """At some limits OpenBLAS would wait for ever while it is loaded."""
    done = call("list", "fig1", memory=megabytes << 20)
    assert done.returncode == 2
    assert one_line(done.stderr)
    assert b"memory limit must be at least" in done.stderr


def test_a_full_disk_behind_standard_output_is_reported():
    with open("/dev/full", "wb") as full:
        done = call("list", stdout=full)
    assert done.returncode == 1
    assert one_line(done.stderr)
    assert b"disk is full" in done.stderr


def test_a_closed_pipe_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = call("list", stdout=pipe)
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.parametrize("command", [["data", "list"], ["data", "show", "mnist"], ["doctor"]])
def test_a_data_folder_of_an_unknown_user_is_reported(command):
    done = call(*command, environment={"SYNSAMP_DATA": "~no-such-user/x"})
    told = done.stdout + done.stderr
    assert done.returncode == (1 if command == ["doctor"] else 2)
    assert b"SYNSAMP_DATA must be a folder whose ~ can be found" in told.replace(b"\n", b" ")
    assert b"Traceback" not in told


def test_a_failure_of_the_network_is_no_mistake_of_the_user(tmp_path, monkeypatch, capsys):
    from synsamp.cli import run_command_line
    from synsamp.data import fetch
    from synsamp.experiments.registry import REGISTRY

    def no_network(*_, **__):
        raise fetch.requests.ConnectionError("no route to host")

    monkeypatch.setenv("SYNSAMP_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(fetch.requests, "get", no_network)
    assert run_command_line(["data", "fetch", "mnist"], REGISTRY) == 1
    errors = capsys.readouterr().err
    assert "could not be fetched" in errors
    assert "Traceback" not in errors
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_words_of_a_folder_do_not_steer_the_terminal(capsys):
    from rich.console import Console

    from synsamp.cli import claim_tables
    from synsamp.runs.storage.folder import ClaimRecord

    hostile = "\x1b[2J\x1b]0;title\x07\u202e"
    claim = ClaimRecord(
        id=hostile, statement=hostile, source=hostile, measure=hostile, value=1.0, n=3,
        interval=(0.5, 1.5), band=(0.0, 2.0), verdict="holds", unit=hostile, detail=hostile,
        reason=hostile, at=hostile, paper=1.0, paper_is=hostile, null_value=0.0,
        null_interval=(0.0, 0.1), null_description=hostile,
    )  # fmt: skip
    for width in (80, 160):
        Console(width=width).print(claim_tables.claims({hostile: [claim]}, width))
    Console().print(claim_tables.sweep(hostile, [claim], 80))
    shown = capsys.readouterr().out
    assert shown.count("claims: 1 holds") == 2
    assert not set(shown) & set("\x1b\x07\u202e")


def test_reports_of_folders_named_in_two_ways_are_joined(tmp_path, monkeypatch, capsys):
    from synsamp.cli import run_command_line
    from toys.app import TOYS

    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        assert run_command_line(["run", "stroll", "--out", name], TOYS) == 0
    capsys.readouterr()
    assert run_command_line(["report", str(tmp_path / "a"), "b"], TOYS) == 0
    assert capsys.readouterr().out == "report: report.html\n"


def test_a_report_never_takes_the_place_of_a_device(tmp_path):
    """Written straight to the target as well: the check is not the command line's alone."""
    from synsamp.errors import SynsampError
    from synsamp.report.write import check_target

    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", "/dev/full"):
        with pytest.raises(SynsampError, match="must not replace another file"):
            check_target(type(tmp_path)(target))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("data", "show", "digits"), ["drawing digits"]),
        (("spines", "spines.csv"), ["fitting processes", "drawing"]),
    ],
)
def test_what_takes_long_shows_it_on_a_terminal(tmp_path, monkeypatch, arguments, words):
    monkeypatch.setenv("TERM", "xterm")  # on a dumb one nothing can move
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    sizes = np.exp(np.cumsum(rng.normal(0, 0.2, (12, 6)), axis=1) - 2)
    rows = [f"{s},{t},{sizes[s, t]:.4f}" for s in range(12) for t in range(6)]
    (tmp_path / "spines.csv").write_text("\n".join(["spine,day,size", *rows]))
    shown, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", APP, *arguments], stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # what a terminal says when the last writer is gone
        while piece := os.read(shown, 65536):
            text += piece
    assert done.wait() == 0, text
    for word in words:
        assert word in text.decode()
