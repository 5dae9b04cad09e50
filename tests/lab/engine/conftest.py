"""A browser page for the tests of the browser's engine.

One per file: while Playwright runs, its event loop occupies the thread, and neither a second one
nor asyncio.run can start there.
"""

from __future__ import annotations

import functools

import pytest

from lab.engine.browser_engine import in_browser, opened


@pytest.fixture(scope="module")
def engine_page():
    """A page of Chromium with the engine's files at its own address."""
    with opened() as page:
        yield page


@pytest.fixture(scope="module")
def browser_session(engine_page):
    """Runs a session in the browser."""
    return functools.partial(in_browser, engine_page)
