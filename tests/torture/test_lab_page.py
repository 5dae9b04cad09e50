"""The lab's page for half an hour at full speed: memory does not grow."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from browser import CHROMIUM, needs_browser
from lab.page_in_browser import served
from torture.scale import LONG

pytestmark = [
    *needs_browser,
    pytest.mark.skipif(not LONG, reason="runs for 40 minutes: only in make torture"),
]

MINUTES = 30
WARM_UP_MINUTES = 6
"""Snapshots of the time line, series over time and compiled code fill up first."""
LEAK_MINUTES = 4
LEAK_MEGABYTES = 6
"""What the control loses per minute."""
MOST_GROWTH = 2.0
"""Megabytes per minute. A third of the control's leak."""

ACT = """minute => {
  const { lab } = document.querySelector(".synsamp-lab");
  const act = (action) => lab.session.act(action);
  act({ kind: "set", name: "temperature", value: minute % 2 ? 0.8 : 1 });
  if (minute % 5 === 1) act({ kind: "twin", on: false });
  if (minute % 5 === 2) act({ kind: "lesion", what: "inputs", group: "x", members: [minute] });
  if (minute % 5 === 3) act({ kind: "probe" });
  if (minute % 5 === 4) lab.session.goto(Math.floor(0.9 * lab.session.tick));
  if (!lab.session.playing) lab.session.play();
  return lab.session.tick;
}"""
LEAK = "bytes => (globalThis.leak ??= []).push(new Uint8Array(bytes).fill(1))"


def megabytes(page, system):
    """Memory of the pages' processes, after garbage collection in the page and its worker."""
    for _ in range(2):
        page.evaluate("gc()")
        for worker in page.workers:
            worker.evaluate("gc()")
    found = 0
    for one in system.send("SystemInfo.getProcessInfo")["processInfo"]:
        if one["type"] == "renderer":  # Chromium keeps a spare one
            rows = Path(f"/proc/{one['id']}/smaps_rollup").read_text().splitlines()
            found += sum(int(row.split()[1]) for row in rows if row.startswith("Anonymous:"))
    assert found > 0
    return found / 1024


def growth(memory):
    """Megabytes per minute: the median slope between all pairs of minutes."""
    first, second = np.triu_indices(len(memory), 1)
    values = np.array(memory)
    return float(np.median((values[second] - values[first]) / (second - first)))


def test_half_an_hour_at_full_speed_takes_no_more_memory(tally):
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with served() as address, api.sync_playwright() as player:
        browser = player.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--js-flags=--expose-gc"],
        )
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(f"{address}/index.html#scene=digits&seed=1")
        page.get_by_text("spikes computed per second").wait_for(timeout=120_000)
        system = browser.new_browser_cdp_session()
        memory, ticks = [], []
        for minute in range(MINUTES):
            end = time.monotonic() + 60
            ticks.append(page.evaluate(ACT, minute))
            page.wait_for_timeout(1000 * (end - time.monotonic()))
            memory.append(megabytes(page, system))
            print(f"{minute + 1} min, {ticks[-1]} ticks, {memory[-1]:.1f} MB", flush=True)
        tally("minutes of the lab at full speed", MINUTES)
        leaking = []
        for minute in range(LEAK_MINUTES):
            page.evaluate(ACT, 5 * minute)
            for _ in range(6):
                page.evaluate(LEAK, LEAK_MEGABYTES * 2**20 // 6)
                page.wait_for_timeout(10_000)
            leaking.append(megabytes(page, system))
            print(f"leaking for {minute + 1} min, {leaking[-1]:.1f} MB", flush=True)
        browser.close()
    assert wrong == []
    assert ticks[-1] > 10 * ticks[1]
    found = growth(memory[WARM_UP_MINUTES:])
    print(f"{found:.2f} MB per minute, with the leak {growth(leaking):.2f}")
    assert found < MOST_GROWTH
    assert growth(leaking) > MOST_GROWTH  # so that a leak would be seen
