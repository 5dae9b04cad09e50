"""A process that runs a command on the toys and meets trouble at a chosen moment.

Moments are counted in operations on files, not in seconds, so that they are the same on any
machine. Each process is forked from one that has imported everything, so that hundreds are cheap.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import synsamp.report.write
import synsamp.runs.ensembles.run
import synsamp.runs.storage.check
import toys.coins
import toys.walk  # noqa: F401
from synsamp import cli
from synsamp.cli import run as commands
from synsamp.runs.storage import machine
from synsamp.runs.storage.checkpoint import CheckpointFolder
from toys.app import WITH_COINS

machine.processor()  # once, before the forks
EVENTS = {
    "open",
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.scandir",
    "shutil.rmtree",
    "fcntl.flock",
}
CHANGES = EVENTS - {"open", "os.scandir", "fcntl.flock"}


class Moments:
    """Counts operations on files and does something at one of them."""

    def __init__(self, at, act):
        self.count, self.at, self.act = 0, at, act
        self.first_checkpoint = self.last_status = None
        self._fsync = os.fsync

    def start(self):
        sys.addaudithook(self._heard)
        os.fsync = self._synced

    def _synced(self, handle):
        self._step("fsync", (handle,))
        self._fsync(handle)

    def _heard(self, event, arguments):
        if event in EVENTS:
            self._step(event, arguments)

    def _step(self, event, arguments):
        self.count += 1
        if event == "os.rename":
            name = os.fspath(arguments[1])
            if name.endswith(".checkpoint") and self.first_checkpoint is None:
                self.first_checkpoint = self.count
            if name.endswith("status.json"):
                self.last_status = self.count
        if self.at is not None and self.count >= self.at:
            self.act(event, arguments, self.count == self.at)


def kill(event, arguments, now):
    os.kill(os.getpid(), signal.SIGKILL)


def fail(number, lasting, event, arguments, now):
    """Fail what writes: once, or from then on."""
    writes = event in CHANGES or event == "fsync"
    if event == "open":
        flags = arguments[2]
        writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if writes and (now or lasting):
        raise OSError(number, os.strerror(number))


def _carry_out(arguments, log, at, act):
    CheckpointFolder.due = lambda self: True
    # Drawing takes the most time.
    synsamp.report.write.ReportPage.add = lambda page, folder: None
    commands.conclude = lambda root, registry, code, report, strict=False: code
    moments = Moments(at, act)
    with open(log, "w") as file, redirect_stdout(file), redirect_stderr(file):
        sys.stderr = file
        moments.start()
        code = cli.run_command_line(arguments, WITH_COINS)
        moments.at = None
    found = {"first": moments.first_checkpoint, "last": moments.last_status, "all": moments.count}
    Path(f"{log}.json").write_text(json.dumps(found))
    os._exit(code)


def processes():
    """Return what starts them; call once."""
    tests = str(Path(__file__).parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torture.ground"])
    return context


def command(context, arguments, log, at=None, act=kill):
    """Run a command in a separate process; returns its exit code and what it printed."""
    words = [str(word) for word in arguments]
    process = context.Process(target=_carry_out, args=(words, str(log), at, act))
    process.start()
    process.join(60)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise AssertionError(f"{words} hangs when trouble comes at {at}")
    return process.exitcode, Path(log).read_text()


def moments_of(log):
    """What a command that ended by itself counted."""
    return json.loads(Path(f"{log}.json").read_text())
