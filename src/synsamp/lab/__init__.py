"""The lab: a network learns while you watch, in the browser, from a local server or a notebook."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {"Lab": "widget", "saved_session": "saved"}


def __getattr__(name: str) -> Any:
    if name in _PLACES:  # loaded on first use
        return getattr(import_module(f"synsamp.lab.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
