"""Commands run without the modules and flags that only POSIX systems have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WITHOUT_POSIX = """
import builtins, os, sys, types
msvcrt = types.SimpleNamespace(LK_NBLCK=2, locking=lambda handle, mode, length: None)
original = builtins.__import__
def blocked(name, globals=None, *more, **named):
    importer = (globals or {}).get("__name__", "")
    if name in ("fcntl", "resource", "pwd", "grp", "termios") and importer.startswith("synsamp"):
        raise ImportError(name)
    if name == "msvcrt" and importer.startswith("synsamp"):
        return msvcrt
    return original(name, globals, *more, **named)
builtins.__import__ = blocked
for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
    delattr(os, flag)
import importlib, pkgutil, synsamp
def passed(name):  # JAX and other extras may be missing
    raise sys.exc_info()[1]
names = [m.name for m in pkgutil.walk_packages(synsamp.__path__, "synsamp.", passed)]
assert len(names) > 300
for name in names:
    importlib.import_module(name)
from synsamp.cli import run_command_line
from toys.app import WITH_COINS
for line in sys.argv[1:]:
    code = run_command_line(line.split(), WITH_COINS)
    assert code == 0, line
"""

COMMANDS = (
    "--help",
    "list",
    "doctor",
    "data list",
    "run coins --out run --trials 1",
    "spines table.csv",
)


def test_commands_need_no_posix_modules(tmp_path):
    tests = Path(__file__).parent.parent
    rows = [f"{s},{d},{s % 5 + 0.3 * d + 1}" for s in range(12) for d in range(3)]
    (tmp_path / "table.csv").write_text("\n".join(["spine,day,size", *rows]))
    program = f"import sys; sys.path.append({str(tests)!r})\n{WITHOUT_POSIX}"
    done = subprocess.run(
        [sys.executable, "-c", program, *COMMANDS], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "report.html").exists()
