"""``--set key=value``: change a preset's parameters from text, or say in one line why not."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic import ValidationError

from synsamp.errors import SynsampError, refuse
from synsamp.experiments.base import Parameters


def override(preset: Parameters, settings: Sequence[str]) -> Parameters:
    """Return the preset with each ``key=value`` applied; ``section.key`` reaches into a section.

    A value is read as JSON if it is JSON (``4``, ``true``, ``[1, 2]``), else as plain text, else
    as a list without its brackets (``0.25,1,4`` or ``uniform,bimodal``): the first reading that
    the parameter accepts.
    """
    values = preset.model_dump(mode="json")
    texts: dict[tuple[str, ...], str] = {}
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator:
            raise refuse("--set", "must look like key=value", _short(setting), _example(values))
        path = tuple(key.strip().split("."))
        _check_path(path, values)
        texts[path] = text
    readings = {path: list(_readings(text)) for path, text in texts.items()}
    problems: dict[tuple[str, ...], list[Any]] = {path: [] for path in texts}
    while True:
        for path, candidates in readings.items():
            _put(values, path, candidates[0])
        try:
            return type(preset).model_validate(values)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            culprit = next((p for p in readings if _concerns(p, problem["loc"])), None)
            if culprit is not None:
                problems[culprit].append(problem)
                if len(readings[culprit]) > 1:
                    readings[culprit].pop(0)
                    continue
                # The reading that had the right type says best what is wrong with the value.
                problem = min(problems[culprit], key=_is_of_type)
            raise _explain(problem, preset, texts, culprit) from None


def restore(parameters: type[Parameters], resolved: Mapping[str, Any], where: str) -> Parameters:
    """Rebuild the parameters a run folder recorded."""
    try:
        return parameters.model_validate(resolved)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in problem["loc"]) or "the parameters"
        raise SynsampError(
            f"{where}: {key} {_rule(problem)}, got {_short(problem['input'])}; "
            "the folder is damaged or was written by another version of synsamp"
        ) from None


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return ``{"section.key": value}`` for all parameters of a dump."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            result |= flat(value, f"{prefix}{key}.")
        else:
            result[f"{prefix}{key}"] = value
    return result


def meanings(model: type[Parameters], prefix: str = "") -> dict[str, str]:
    """Return what each parameter means, by its full name."""
    found: dict[str, str] = {}
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Parameters):
            found |= meanings(kind, f"{prefix}{name}.")
        else:
            found[prefix + name] = field.description or ""
    return found


def _check_path(path: tuple[str, ...], values: Mapping[str, Any]) -> None:
    inner: Any = values
    for part in path:
        if not isinstance(inner, Mapping) or part not in inner:
            key = ".".join(path)
            known = list(flat(values))
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.4) or known[:1]
            meant = f"did you mean {near[0]}?"
            raise refuse("--set or --vary", "must name a parameter", _short(key), meant)
        inner = inner[part]


def _put(values: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for part in path[:-1]:
        if not isinstance(values.get(part), dict):
            # Another --set replaced the whole section by something that is none.
            raise refuse("--set", "must not set both a section and a key in it", ".".join(path))
        values = values[part]
    values[path[-1]] = value


def _readings(text: str) -> Iterator[Any]:
    """Yield the ways to read a value, in the order they are tried."""
    for candidate in (text, f"[{text}]"):
        with suppress(ValueError, RecursionError):
            yield json.loads(candidate)
        if candidate is text:
            yield text
    if "," in text:
        yield [word.strip() for word in text.split(",")]


def _concerns(path: tuple[str, ...], location: tuple[int | str, ...]) -> bool:
    """Whether an error's location is at or below a key (a union adds its own parts between)."""
    parts = iter(location)
    return all(part in parts for part in path)


def _is_of_type(problem: Any) -> bool:
    return str(problem["type"]).endswith(("_type", "_parsing"))


def _explain(
    problem: Any,
    preset: Parameters,
    texts: Mapping[tuple[str, ...], str],
    culprit: tuple[str, ...] | None,
) -> SynsampError:
    if culprit is None:  # a rule between several parameters
        given = ", ".join(f"{'.'.join(path)}={_short(text)}" for path, text in texts.items())
        return SynsampError(f"parameters {_rule(problem)}, got {given}; change one of them")
    before = flat({"": preset.model_dump(mode="json")}).get("." + ".".join(culprit))
    remedy = f"the preset has {_short(before)}" if before is not None else ""
    tail = f"; {remedy}" if remedy else ""
    return SynsampError(f"{'.'.join(culprit)} {_rule(problem)}, got {_short(texts[culprit])}{tail}")


def _rule(problem: Any) -> str:
    """Turn pydantic's sentence into a rule: "must be greater than or equal to 0"."""
    message = str(problem["msg"]).split(", unable to parse")[0]
    for start, instead in (
        ("Input should", "must"),
        ("Value error, ", ""),
        ("Value should", "must"),
    ):
        if message.startswith(start):
            return instead + message[len(start) :]
    return f"must be acceptable ({message})"


def _example(values: Mapping[str, Any]) -> str:
    key, value = next(iter(flat(values).items()), ("key", "value"))
    return f"for example --set {key}={json.dumps(value)}"


def _short(value: Any) -> str:
    """Show a value on one short line, whatever it is."""
    text = value if isinstance(value, str) and value.isprintable() else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
