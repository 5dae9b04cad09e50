"""Find a user's own experiment: a file, an object of a module, or an installed entry point.

Loading runs the user's code, so it happens only for what the user has named on the command line or
installed; a run folder, which may come from anyone, never decides which code is run.
"""

from __future__ import annotations

import hashlib
import re
import sys
import traceback
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from synsamp.errors import SynsampError, refuse
from synsamp.experiments.base import Experiment

GROUP = "synsamp.experiments"
"""Of entry points in a package's pyproject.toml: ``mine = "my_package.module:EXPERIMENT"``."""
OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
DEFAULT = "EXPERIMENT"
MOST_BYTES = 4 << 20
START = "`synsamp new my_experiment.py` writes one to start from"


def is_file(text: str) -> bool:
    """Whether a name is meant as that of a file."""
    return text.endswith(".py") or "/" in text


def is_object(text: str) -> bool:
    """Whether a name is meant as an object of a module."""
    return OBJECT.fullmatch(text) is not None


@dataclass(frozen=True)
class FileLoader:
    """An experiment in a file, with its content: it travels to other processes as it was."""

    path: str
    content: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.content).hexdigest()

    def __call__(self) -> Experiment:
        """Run the file, once in a process."""
        name = f"synsamp_experiment_{self.digest[:20]}"
        module = sys.modules.get(name)
        if module is None:
            module = ModuleType(name)
            module.__file__ = self.path
            sys.modules[name] = module  # classes look up the module they are made in
            try:
                exec(compile(self.content, self.path, "exec"), module.__dict__)
            except BaseException as error:
                del sys.modules[name]
                if not isinstance(error, Exception):
                    raise
                raise _failed(self.path, error) from error
        return _experiment(self.path, getattr(module, DEFAULT, None))


@dataclass(frozen=True)
class ObjectLoader:
    """An experiment that can be imported: ``my_package.module:EXPERIMENT``."""

    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the module's file, if it has one."""
        file = getattr(import_module(self.text.partition(":")[0]), "__file__", None)
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""

    def __call__(self) -> Experiment:
        """Import it."""
        name, _, attribute = self.text.partition(":")
        try:
            module = import_module(name)
        except Exception as error:
            raise _failed(self.text, error) from error
        return _experiment(self.text, getattr(module, attribute, None))


@dataclass(frozen=True)
class Given:
    """An experiment that is at hand already."""

    experiment: Experiment
    digest: str = ""

    def __call__(self) -> Experiment:
        """It is here."""
        return self.experiment


def read_file(text: str) -> FileLoader:
    """Read an experiment's file; it is not run yet."""
    path = Path(text)
    rule = "must be a readable Python file"
    if path.suffix != ".py" or not path.is_file():
        raise refuse("experiment", rule, text, START)
    if path.stat().st_size > MOST_BYTES:
        raise refuse("experiment", f"must be a file of at most {MOST_BYTES >> 20} MB", text)
    try:
        return FileLoader(str(path.resolve()), path.read_bytes())
    except OSError as error:
        raise refuse("experiment", rule, f"{text} ({error.strerror})", START) from None


def installed() -> dict[str, ObjectLoader]:
    """Experiments of installed packages by their names."""
    return {
        point.name: ObjectLoader(point.value.replace(" ", ""))
        for point in metadata.entry_points(group=GROUP)
        if is_object(point.value.replace(" ", ""))
    }


def _experiment(what: str, found: Any) -> Experiment:
    if not isinstance(found, Experiment):
        got = "nothing of that name" if found is None else f"a {type(found).__name__}"
        raise refuse(what, f"must hold an Experiment called {DEFAULT}", got, START)
    return found


def _failed(what: str, error: Exception) -> SynsampError:
    """One line for whatever went wrong in the user's code: where, and what."""
    if isinstance(error, SyntaxError):
        line = error.lineno
    else:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == what), None)
    where = f" (line {line})" if line else ""
    said = " ".join(str(error).split())
    return refuse(what, "must load without an error", f"{type(error).__name__}: {said}{where}")
