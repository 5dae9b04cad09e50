"""The command line: a thin shell over experiments, runs and report.

Heavy modules are imported inside the commands, so that ``synsamp --help`` answers at once. Bad
input ends in exactly one line on standard error and exit code 2; a run that failed or was not
strict enough in exit code 1; Ctrl-C in 130, with a folder that `synsamp resume` continues.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module, metadata
from typing import Annotated

import typer

from synsamp.cli.arguments import check_words, guard
from synsamp.cli.messages import complain
from synsamp.cli.printing import make_printable
from synsamp.errors import FailureError, SynsampError
from synsamp.experiments.registry import REGISTRY, Registry

COMMANDS = {
    "list": "look",
    "run": "run",
    "sweep": "run",
    "resume": "run",
    "new": "new",
    "lab": "lab",
    "claims": "look",
    "report": "look",
    "check": "look",
    "export": "export",
    "figure": "figure",
    "data": "tools",
    "spines": "spines",
    "doctor": "tools",
}
"""The module of each command, which has ``add_NAME(app, registry)``; in the order of the help."""
Version = Annotated[bool, typer.Option("--version", help="Show the version and exit.")]


def main() -> None:
    """Run the command line over the paper's experiments."""
    sys.exit(run_command_line(sys.argv[1:], REGISTRY))


def run_command_line(arguments: Sequence[str], registry: Registry) -> int:
    """Run one command and return its exit code; every expected trouble becomes one line."""
    make_printable(sys.stdout, sys.stderr)
    try:
        check_words(arguments)
        app = build_app(registry)
        code = app(list(arguments) or ["--help"], prog_name="synsamp", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk is reported here, not after the end
    except typer.TyperException as error:  # unknown command or option, missing argument
        return complain(error.format_message() + " Try `synsamp --help`.", 2)
    except SynsampError as error:
        return complain(str(error), 1 if isinstance(error, FailureError) else 2)
    except (MemoryError, ImportError) as error:
        return _explain_memory(error)
    except BrokenPipeError:  # `synsamp list | head`: the reader has stopped, which is no mistake
        _stop_writing()
        return 1
    except OSError as error:
        return _explain_system(error)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code if isinstance(code, int) else 0


def _explain_memory(error: MemoryError | ImportError) -> int:
    """A library that cannot be loaded is short of memory too, if it is installed at all."""
    torn = isinstance(error, ModuleNotFoundError) or "cannot import name" in str(error)
    if torn:  # files of two versions side by side, or one that is gone
        return complain(f"{error}; install synsamp again", 1)
    why = f" ({error})" if str(error) else ""
    remedy = "close other programs, raise the limit (ulimit -v), or use fewer trials"
    return complain(f"not enough memory to run this command{why}; {remedy}", 1)


def _explain_system(error: OSError) -> int:
    """A full disk and a lack of memory are no mistakes of the user; a wrong path is one."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        code = complain("the disk is full; make room, then give the same command again", 1)
        _stop_writing()
        return code
    if error.errno in (errno.ENOMEM, errno.EAGAIN, None):
        return _explain_memory(MemoryError(str(error)))
    what = f"{error.filename}: " if error.filename else ""
    return complain(f"{what}{error.strerror or error}; check the path and its permissions", 2)


def _stop_writing() -> None:
    """Drop what waits to be written to standard output: the interpreter would try once more."""
    with suppress(AttributeError, OSError):  # closed, or none of the system's
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_app(registry: Registry) -> typer.Typer:
    """Build the commands over a set of experiments."""
    app = typer.Typer(
        help="Reproduce the experiments in “Network Plasticity as Bayesian Inference”, test the "
        "paper's claims, and build a report.",
        epilog="Start with `synsamp list`, then `synsamp run landscape`.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    @app.callback(invoke_without_command=True)
    def options(version: Version = False) -> None:
        if version:
            typer.echo(f"synsamp {metadata.version('synsamp')}")

    for name, module in COMMANDS.items():
        getattr(import_module(f"synsamp.cli.{module}"), f"add_{name}")(app, registry)
    return guard(app)
