"""The report in a real browser, from a phone to a wide screen."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape, unescape

import pytest

from synsamp.report.write import write_report
from synsamp.runs import execute
from toys.app import TOYS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: nothing to look with"),
]

# The page stands in a frame of the width wanted; a frame from srcdoc may be measured from outside.
PROBE = """<!doctype html><body style="margin:0">
<iframe id="frame" style="border:0;width:{width}px;height:900px" srcdoc="{page}"></iframe>
<pre id="measured"></pre><script>
document.getElementById("frame").onload = event => {{
  const window_ = event.target.contentWindow, page = window_.document;
  page.querySelectorAll("details").forEach(d => d.open = true);
  const wide = [...page.querySelectorAll("body *")].filter(e => {{
    const box = e.getBoundingClientRect();
    return box.right > {width} + 0.5 && !e.closest(".sheet, nav, thead");
  }}).map(e => e.tagName + "." + e.className);
  document.getElementById("measured").textContent = JSON.stringify({{
    scroll: page.documentElement.scrollWidth,
    wide: wide,
    clipped: [...page.querySelectorAll("td, p, li, h1, h2, h3, .card")].filter(e =>
      e.offsetParent && e.scrollWidth > e.clientWidth + 1).map(e => e.tagName + "." + e.className),
    broken: [...page.images].filter(i => !i.complete || !i.naturalWidth).length,
    images: page.images.length,
    small: [...page.images].filter(i => i.getBoundingClientRect().width < 280).length,
    shrunk: Math.min(...[...page.images].map(
      i => i.getBoundingClientRect().width / i.getAttribute("width"))),
    told: [...page.querySelectorAll(".sideways")].filter(p => p.offsetParent).length,
    cut: [...page.images].filter(i => {{
      const sheet = i.closest(".sheet");
      return i.getBoundingClientRect().width > sheet.clientWidth
        && window_.getComputedStyle(sheet).overflowX != "auto";
    }}).length,
    loaded: window_.performance.getEntriesByType("resource").map(e => e.name)
              .filter(n => !n.startsWith("data:")),
    ink: window_.getComputedStyle(page.body).color,
    paper: window_.getComputedStyle(page.body).backgroundColor,
  }});
}};
</script></body>"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("browser")
    execute(TOYS.find("walk").load(), root / "a", settings=["label=averyveryverylongw"])
    execute(TOYS.find("stroll").load(), root / "b")
    return write_report([root / "a", root / "b"], TOYS, root / "report.html")


def measure(report, tmp_path, width, *flags):
    probe = tmp_path / "probe.html"
    probe.write_text(PROBE.format(width=width, page=escape(report.read_text())))
    done = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=1700,1000",
            "--virtual-time-budget=5000",
            "--dump-dom",
            *flags,
            probe.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stderr
    assert found.group(1), "the page was not measured"
    return json.loads(unescape(found.group(1)))


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_the_page_fits_its_window_and_loads_nothing(report, tmp_path, width):
    found = measure(report, tmp_path, width)
    assert found["scroll"] <= width, found["wide"]
    assert found["wide"] == []
    assert found["clipped"] == []
    assert found["images"] == 4
    assert found["broken"] == 0
    assert found["small"] == 0
    assert found["cut"] == 0
    assert found["loaded"] == []


# Labels are drawn at 8.5 pt or more, a hundred pixels to the inch; 9 pixels can be read.
SMALLEST_LABEL_PX = 8.5 * 100 / 72


@pytest.mark.parametrize("width", [360, 390])
def test_on_a_phone_drawings_stay_readable_and_scroll_in_their_card(report, tmp_path, width):
    found = measure(report, tmp_path, width)
    assert found["shrunk"] * SMALLEST_LABEL_PX >= 9
    assert found["cut"] == 0
    assert found["told"] == 2  # of four drawings two are wider than a phone
    assert found["scroll"] <= width


def test_the_probe_sees_what_does_not_fit(report, tmp_path):
    wide = tmp_path / "wide.html"
    wide.write_text(report.read_text().replace("<main>", '<main><hr width="700">'))
    found = measure(wide, tmp_path, 360)
    assert found["scroll"] > 360
    assert found["wide"] == ["HR."]


def test_dark_is_dark_and_light_is_light(report, tmp_path):
    light = measure(report, tmp_path, 800)
    dark = measure(report, tmp_path, 800, "--blink-settings=preferredColorScheme=0")
    assert _brightness(light["paper"]) > 200 > 100 > _brightness(light["ink"])
    assert _brightness(dark["paper"]) < 60 < 180 < _brightness(dark["ink"])


def _brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
