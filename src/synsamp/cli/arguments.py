"""What every command refuses in the same way, before it does anything.

A word that is empty or no text; a path that names a device or a pipe, from which reading never ends
and which a new file would take the place of; too little memory to load what computes; a
number that is not whole.
"""

from __future__ import annotations

import functools
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from synsamp.errors import SynsampError, refuse

MOST_TRIALS = 1_000_000
LEAST_MEMORY = 1500 << 20
"""Address space that the numerical libraries and one small run take; with less, some of them wait
for ever while they are loaded."""


def check_words(words: Sequence[str]) -> None:
    """Refuse words that are none: nothing that synsamp takes may be empty."""
    for place, word in enumerate(words):
        option, _, value = word.partition("=")
        before = words[place - 1] if place else ""
        if not word:
            name = before if before.startswith("--") else f"word {place + 1} of the command"
            raise refuse(name, "must not be empty", word, "give a value or leave it out")
        if option.startswith("--") and "=" in word and not value:
            raise refuse(option, "must not be empty", value, "give a value or leave it out")
        if "\0" in word or not _is_utf8(word):
            name = f"word {place + 1} of the command"
            raise refuse(name, "must be text in UTF-8 without zero bytes", word[:60], "rename it")


def whole_number(name: str, text: str, at_most: int | None = None, at_least: int = 0) -> int:
    """Read a whole number from the command line; without a bound, what fits into 63 bits."""
    from synsamp import arguments

    example = f"for example {name} 7"
    limit = arguments.LARGEST_SEED if at_most is None else at_most
    plain = text.isascii() and text.isdecimal() and len(text) <= 30
    if not plain or not at_least <= int(text) <= limit:
        too_large = plain and int(text) > limit
        top = f" and <= {limit:,}" if too_large or at_most is not None else ""
        raise refuse(name, f"must be a whole number >= {at_least}{top}", text[:40], example)
    return int(text)


def guard(app: typer.Typer) -> typer.Typer:
    """Let every command of an app check its paths and the memory first."""
    for command in app.registered_commands:
        if command.callback is not None and not hasattr(command.callback, "__wrapped__"):
            command.callback = _checked(command.callback)
    return app


def _checked(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def run(*args: Any, **values: Any) -> Any:
        _check_memory()
        for name, value in values.items():
            for path in _paths(value):
                if _is_device(path):
                    rule = "must be a plain file or a folder, no device or pipe"
                    raise refuse(_shown(command, name), rule, str(path), "name another")
        return command(*args, **values)

    return run


def _paths(value: Any) -> Iterator[Path]:
    for part in value if isinstance(value, list | tuple) else [value]:
        if isinstance(part, Path):
            yield part


def _is_device(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:  # it is not there, or cannot be seen: for the command to say
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _shown(command: Callable[..., Any], name: str) -> str:
    """How a parameter is called on the command line."""
    for mark in get_args(get_type_hints(command, include_extras=True)[name])[1:]:
        if names := getattr(mark, "param_decls", None):
            return str(names[0])
        if metavar := getattr(mark, "metavar", None):
            return str(metavar)
    return f"--{name.replace('_', '-')}"


def _check_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        raise SynsampError(
            f"memory limit must be at least {LEAST_MEMORY >> 10} KB, got {limit >> 10} KB; "
            "raise it with `ulimit -v unlimited`"
        )


def _is_utf8(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
