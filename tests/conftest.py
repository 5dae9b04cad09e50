"""What every test may use."""

from __future__ import annotations

import signal

import pytest


def pytest_configure() -> None:
    """Hear Ctrl-C as a user's Python does: what runs in the background of a shell ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def tally(record_property):
    """Note how many cases of a kind were tried, for the table in docs/reliability.md."""

    def note(kind: str, count: int = 1) -> None:
        record_property("tried", f"{kind}={count}")

    return note
