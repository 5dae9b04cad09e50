"""What every test may use."""

from __future__ import annotations

import pytest


@pytest.fixture
def tally(record_property):
    """Note how many cases of a kind were tried, for the table in docs/reliability.md."""

    def note(kind: str, count: int = 1) -> None:
        record_property("tried", f"{kind}={count}")

    return note
