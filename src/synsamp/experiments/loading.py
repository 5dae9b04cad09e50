"""Load a custom experiment from a file, a module, or the entry point of an installed package.

Loading executes code, so synsamp loads only what you name on the command line or have installed.
A run folder may come from anyone, so it never decides which code is executed.
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
"""Entry-point group in a package's pyproject.toml: ``mine = "my_package.module:EXPERIMENT"``."""
OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
DEFAULT = "EXPERIMENT"
MOST_BYTES = 4 << 20
START = "`synsamp new my_experiment.py` writes one to start from"


def is_file(text: str) -> bool:
    """Return whether ``text`` has the form of a path."""
    return text.endswith(".py") or "/" in text


def is_object(text: str) -> bool:
    """Return whether ``text`` has the form ``module:OBJECT``."""
    return OBJECT.fullmatch(text) is not None


@dataclass(frozen=True)
class FileLoader:
    """An experiment in a file; the content is kept, so that all processes execute the same code."""

    path: str
    content: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.content).hexdigest()

    def __call__(self) -> Experiment:
        """Execute the file (once per process) and return its experiment."""
        return _experiment(self.path, getattr(execute_file(self), DEFAULT, None))


def execute_file(file: FileLoader) -> ModuleType:
    """Execute a file (once per process) and return it as a module."""
    name = f"synsamp_experiment_{file.digest[:20]}"
    module = sys.modules.get(name)
    if module is None:
        module = ModuleType(name)
        module.__file__ = file.path
        sys.modules[name] = module  # dataclass and pydantic look up the module of a class
        try:
            exec(compile(file.content, file.path, "exec"), module.__dict__)
        except BaseException as error:
            del sys.modules[name]
            if not isinstance(error, Exception):
                raise
            raise _failed(file.path, error) from error
    return module


@dataclass(frozen=True)
class ObjectLoader:
    """An experiment in a module that can be imported: ``my_package.module:EXPERIMENT``."""

    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the module's file, if it has one."""
        file = getattr(import_module(self.text.partition(":")[0]), "__file__", None)
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""

    def __call__(self) -> Experiment:
        """Import the module and return its experiment."""
        name, _, attribute = self.text.partition(":")
        try:
            module = import_module(name)
        except Exception as error:
            raise _failed(self.text, error) from error
        return _experiment(self.text, getattr(module, attribute, None))


@dataclass(frozen=True)
class Given:
    """An experiment that is already loaded."""

    experiment: Experiment
    digest: str = ""

    def __call__(self) -> Experiment:
        """Return the experiment."""
        return self.experiment


def read_file(text: str) -> FileLoader:
    """Read the file of an experiment without executing it."""
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
    """Return the experiments of installed packages by name."""
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
    """Return an error of one line: what went wrong in the user's code, and in which line."""
    if isinstance(error, SyntaxError):
        line = error.lineno
    else:
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == what), None)
    where = f" (line {line})" if line else ""
    said = " ".join(str(error).split())
    return refuse(what, "must load without an error", f"{type(error).__name__}: {said}{where}")
