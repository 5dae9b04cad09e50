"""Pages in a real browser: how they fit a window, and what in them comes alive."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape, unescape

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: nothing to look with"),
]

# The page stands in a frame of the width wanted; a frame from srcdoc may be measured from outside.
LAYOUT = """<!doctype html><body style="margin:0">
<iframe id="frame" style="border:0;width:{width}px;height:900px" srcdoc="{page}"></iframe>
<pre id="found"></pre><script>
document.getElementById("frame").onload = event => {{
  const window_ = event.target.contentWindow, page = window_.document;
  page.querySelectorAll("details").forEach(d => d.open = true);
  const wide = [...page.querySelectorAll("body *")].filter(e => {{
    const box = e.getBoundingClientRect();
    return box.right > {width} + 0.5 && !e.closest(".sheet, nav, thead");
  }}).map(e => e.tagName + "." + e.className);
  document.getElementById("found").textContent = JSON.stringify({{
    scroll: page.documentElement.scrollWidth,
    wide: wide,
    clipped: [...page.querySelectorAll("td, p, li, h1, h2, h3, .card")].filter(e =>
      e.offsetParent && e.scrollWidth > e.clientWidth + 1).map(e => e.tagName + "." + e.className),
    broken: [...page.images].filter(i => !i.complete || !i.naturalWidth).length,
    images: page.images.length,
    alts: [...page.images].map(i => i.alt),
    small: [...page.images].filter(i => i.getBoundingClientRect().width < 280).length,
    shrunk: Math.min(...[...page.images].map(
      i => i.getBoundingClientRect().width / i.getAttribute("width"))),
    marked: [...page.querySelectorAll(".sideways")].filter(p => p.offsetParent).length,
    cut: [...page.images].filter(i => {{
      const sheet = i.closest(".sheet");
      return sheet && i.getBoundingClientRect().width > sheet.clientWidth
        && window_.getComputedStyle(sheet).overflowX != "auto";
    }}).length,
    loaded: window_.performance.getEntriesByType("resource").map(e => e.name)
              .filter(n => !n.startsWith("data:")),
    ink: window_.getComputedStyle(page.body).color,
    paper: window_.getComputedStyle(page.body).backgroundColor,
  }});
}};
</script></body>"""

# Each page stands in a separate frame, and is inspected from outside when all have loaded.
ALIVE = """<!doctype html><body>{frames}
<pre id="found"></pre><script>
window.alive = [];
addEventListener("load", () => setTimeout(() => {{
  const found = [...document.querySelectorAll("iframe")].map(frame => {{
    const page = frame.contentDocument;
    if (!page) return {{gone: true}};
    const elements = [...page.querySelectorAll("*")];
    return {{
      gone: frame.contentWindow.location.href !== "about:srcdoc",
      tags: [...new Set(elements.map(e => e.tagName.toLowerCase()))],
      attributes: [...new Set(elements.flatMap(e => e.getAttributeNames()))],
      leads: [...new Set(elements.flatMap(e => ["href", "src", "action", "formaction"]
        .map(n => e.getAttribute(n)).filter(v => v !== null)).map(v => v.slice(0, 11)))],
      broken: [...page.images].filter(i => !i.complete || !i.naturalWidth).length,
      images: page.images.length,
      text: page.body ? page.body.textContent.length : 0,
      alive: frame.contentWindow.alive === undefined ? 0 : 1,
    }};
  }});
  document.getElementById("found").textContent = JSON.stringify(found);
}}, 500));
</script></body>"""


def measure(report, folder, width, *flags):
    """How a page lies in a window this wide, and what it wrote to the console."""
    probe = LAYOUT.format(width=width, page=escape(report.read_text(encoding="utf-8")))
    found, printed = _look(probe, folder, "--window-size=1700,1000", *flags)
    return {**found, "console": re.findall(r":CONSOLE[^\]]*\] (.*)", printed)}


def inspect_page(pages, folder):
    """Which elements and attributes of each page came alive."""
    frames = "".join(f'<iframe srcdoc="{escape(page)}"></iframe>' for page in pages)
    return _look(ALIVE.format(frames=frames), folder)[0]


def _look(probe, folder, *flags):
    """What the probe found, and what the browser printed."""
    page = folder / "probe.html"
    page.write_text(probe, encoding="utf-8")
    done = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            *flags,
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stderr
    assert found.group(1), "the page was not looked at"
    return json.loads(unescape(found.group(1))), done.stderr
