"""A page looked at in a real browser: which elements and attributes came alive."""

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

# Each page stands in a frame of its own, and is looked at from outside when all have loaded.
PROBE = """<!doctype html><body>{frames}
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


def look_at(pages, folder):
    """What a browser makes of each page."""
    frames = "".join(f'<iframe srcdoc="{escape(page)}"></iframe>' for page in pages)
    probe = folder / "probe.html"
    probe.write_text(PROBE.format(frames=frames), encoding="utf-8")
    done = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            f"--user-data-dir={folder / 'profile'}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            probe.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stderr
    assert found.group(1), "the pages were not looked at"
    return json.loads(unescape(found.group(1)))
