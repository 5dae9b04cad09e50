"""The whole lab as one HTML file, which opens without a server: from a USB stick, by mail.

Browsers forbid a page from the file system to load modules, workers and data. So the file contains
everything: the page's modules joined into one script, the worker as text, and the engine's files in
base64.
"""

from __future__ import annotations

import base64
import json
from html import escape
from pathlib import Path

from synsamp.errors import refuse
from synsamp.lab.bundle import bundle

STATIC = Path(__file__).parent / "static"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; connect-src data: blob:; base-uri 'none'; "
    "form-action 'none'"
)
"""Nothing from anywhere else."""

START = """
const textOf = (id) => document.getElementById(id).textContent;
const bytesOf = (text) => Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0)).buffer;
globalThis.synsampEngine = {
  worker: () => new Worker(URL.createObjectURL(new Blob([textOf("lab-worker")]))),
  recording: () => bytesOf(textOf("lab-recording")),
};
"""


def single_file() -> str:
    """Return the page with everything in it."""
    engine = STATIC / "engine"
    files = [engine / "engine.json", engine / "engine.wasm", *sorted((engine / "scenes").iterdir())]
    known = {path.relative_to(engine).as_posix(): _base64(path) for path in files}
    worker = bundle(engine / "worker.js").rpartition("export default ")[0]
    styles = (STATIC / "lab.css").read_text(encoding="utf-8")
    icon = f"data:image/svg+xml;base64,{_base64(STATIC / 'icon.svg')}"
    parts = [
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        f'<link rel="icon" href="{icon}">',
        f"<style>\n{_safe(styles, '</style')}</style>",
        _script("lab-worker", f"globalThis.synsampFiles = {json.dumps(known)};\n{worker}"),
        _script("lab-recording", _base64(STATIC / "recorded" / "digits.bin.gz")),
        f'<script type="module">{START}{_safe(bundle(STATIC / "page.js"), "</script")}</script>',
    ]
    lines = (STATIC / "index.html").read_text(encoding="utf-8").splitlines()
    outside = ("http-equiv=", 'rel="icon"', 'rel="stylesheet"', "<script ")
    kept = [line for line in lines if not any(mark in line for mark in outside)]
    at = kept.index("  </head>")
    return "\n".join([*kept[:at], *parts, *kept[at:], ""])


def write_single_file(path: Path) -> None:
    """Write the page."""
    path.write_text(single_file(), encoding="utf-8")


def _script(name: str, text: str) -> str:
    """Text that the page reads and the browser does not run."""
    return f'<script type="text/plain" id="{name}">{_safe(text, "</script")}</script>'


def _safe(text: str, end: str) -> str:
    if end in text.lower():
        raise refuse("scripts and styles of the lab", f"must not contain {end}", end)
    return text


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
