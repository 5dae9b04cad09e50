"""In a separate process with little memory: read each file that is named, and report how it went.

Standard input has lines ``kind<tab>path``; standard output gets one JSON object per line.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import signal
import sys
import tempfile
import warnings
from pathlib import Path

ROOM_BYTES = 1 << 30
"""Memory beyond what the imports take."""
PATIENCE_S = 20


def main() -> None:
    read = reading_functions()
    for function in read.values():  # what is imported late is imported before memory is counted
        with contextlib.suppress(Exception):
            function(Path(__file__))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM_BYTES, used + ROOM_BYTES))
    signal.signal(signal.SIGALRM, too_slow)
    for line in sys.stdin:
        kind, path = line.rstrip("\n").split("\t")
        signal.alarm(PATIENCE_S)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a warning on the terminal is a line too many
                told = {"outcome": "read", "message": str(read[kind](Path(path)))}
        except BaseException as error:
            told = {"outcome": type(error).__name__, "message": str(error)}
        signal.alarm(0)
        print(json.dumps(told), flush=True)


def too_slow(*_: object) -> None:
    raise TimeoutError(f"took more than {PATIENCE_S} s")


def reading_functions():
    """How users read each kind; each function returns what it read."""
    from types import SimpleNamespace

    import numpy as np

    from synsamp.cli import run_command_line
    from synsamp.data import digits_from_folder, embedded_files, read_sound
    from synsamp.data.digits import EmbeddedDigits
    from synsamp.data.idx import read_idx_images
    from synsamp.data.unpack import unpack_recordings
    from synsamp.errors import SynsampError
    from synsamp.experiments.registry import REGISTRY
    from synsamp.jax import open_draws

    def sound(path):
        found = read_sound(path)
        assert found.waveform.ndim == 1
        assert 100 <= found.rate_hz <= 1e6
        return found.waveform.shape

    def png(path):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "1").mkdir()
            (Path(folder) / "1" / "a.png").symlink_to(path)
            return digits_from_folder(folder).images.shape

    def npz(path):
        files = SimpleNamespace(files=lambda _: Fixed(path), as_file=contextlib.nullcontext)
        embedded_files.resources = files
        return EmbeddedDigits().load().train.images.shape

    def csv(path):
        errors = io.StringIO()
        with (
            contextlib.redirect_stderr(errors),
            contextlib.redirect_stdout(io.StringIO()),
            tempfile.TemporaryDirectory() as folder,
        ):
            out = str(Path(folder) / "a.png")
            code = run_command_line(["spines", str(path), "--out", out], REGISTRY)
        if code:
            assert code == 2 or (code == 1 and "memory" in errors.getvalue())
            raise SynsampError(errors.getvalue().strip())
        return "drawn"

    def tar(path):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "inner" / "recordings"
            try:
                return unpack_recordings(path, target)
            finally:
                assert {p.name for p in Path(folder).iterdir()} <= {"inner"}
                assert {p.name for p in target.parent.glob("*")} <= {"recordings"}

    def draws(path):
        found = open_draws(path, np.zeros(3)).tree()
        assert found.dtype.kind == "f"
        return found.shape

    return {
        "idx": lambda path: read_idx_images(path).shape,
        "wav": sound,
        "sphere": sound,
        "png": png,
        "npz": npz,
        "csv": csv,
        "tar": tar,
        "draws": draws,
    }


class Fixed:
    """A path that stays the same whatever is joined to it: in place of the package's folder."""

    def __init__(self, path):
        self.path = path

    def __truediv__(self, _):
        return self

    def __fspath__(self):
        return str(self.path)


if __name__ == "__main__":
    main()
