"""Many tabs of a real browser at one local server."""

from __future__ import annotations

import pytest

from browser import CHROMIUM, needs_browser
from lab.running_server import Running, wait_until
from synsamp.lab import server

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = needs_browser
TABS, WORKING = 20, 3
LAB = "document.querySelector('.synsamp-lab').lab"


@pytest.fixture
def context():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context()
        context.set_default_timeout(120_000)
        yield context
        browser.close()


def test_twenty_tabs_of_one_address_and_the_end_of_the_server(context, monkeypatch):
    monkeypatch.setattr(server, "MOST_SESSIONS", WORKING)  # each takes a process
    running = Running()
    try:
        tabs = [context.new_page() for _ in range(TABS)]
        for tab in tabs:
            tab.goto(running.server.address)
        working, turned_away = tabs[:WORKING], tabs[WORKING:]
        for tab in working:
            tab.get_by_role("heading", name="Toy").wait_for()
        for tab in turned_away:
            tab.get_by_text("close another one").wait_for()
        assert running.server.sessions == WORKING

        first, second = working[:2]
        box = first.locator(".knob", has_text="temperature").locator("input.value")
        box.fill("3")
        box.press("Enter")
        found = [tab.evaluate(f"{LAB}.session.read('settings')") for tab in (first, second)]
        values = [{**one["settings"], **one["pending"]}["temperature"] for one in found]
        assert values == [3, 1]  # each tab has its own session

        working.pop().close()
        wait_until(lambda: running.server.sessions == WORKING - 1)
        again = turned_away[0]
        again.reload()
        again.get_by_role("heading", name="Toy").wait_for()
    finally:
        running.end()
    for tab in (*working, again):
        tab.get_by_text("start it again with: synsamp lab").wait_for()
        assert tab.get_by_role("button", name="Play").is_disabled()
