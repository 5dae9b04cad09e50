"""Take the pictures of the lab for README and docs from the real page (`make lab-pictures`).

Each scene runs in Chromium with the WebAssembly engine, and is taken in two widths, light and dark.
"""

from __future__ import annotations

import functools
import http.server
import io
import shutil
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageColor
from playwright.sync_api import sync_playwright

import synsamp.lab

STATIC = Path(synsamp.lab.__file__).parent / "static"
IMAGES = Path(__file__).parents[1] / "docs" / "images"
MOST_BYTES = 200_000
WIDE, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
GAP = 24
Colour = tuple[int, ...]
PATIENCE_S = 2400
OTHERS = 96


@dataclass
class Shot:
    """A scene, the lesion made after ``before_s``, and the time at which the picture is taken."""

    scene: str
    until_s: float
    before_s: float = 0.0
    lesion: str = ""
    """Words on the button of the lesion."""


SHOTS = (
    Shot("landscape", 900.0),
    Shot("spines", 200_000.0),
    Shot("digits", 4200.0, 3000.0, "All neurons tuned to 2"),
    Shot("senses", 5700.0, 3600.0, "All visual neurons tuned to 2"),
    Shot("reward", 6000.0),
)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


def main(only: list[str]) -> None:
    """Write docs/images/lab-*.png; the row of narrow pages only if no scene is left out."""
    handler = functools.partial(_Quiet, directory=str(STATIC))
    phones: dict[str, list[Image.Image]] = {"light": [], "dark": []}
    named: dict[str, list[Colour]] = {}
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        sync_playwright() as started,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page_at = f"http://127.0.0.1:{server.server_address[1]}/index.html"
        for shot in SHOTS:
            if not only or shot.scene in only:
                page = browser.new_page(viewport=WIDE)
                page.goto(f"{page_at}#scene={shot.scene}&seed=1")
                _run(page, shot)
                for theme, narrow in phones.items():
                    page.emulate_media(color_scheme=theme)
                    picture = _taken(page, WIDE)
                    named[theme] = _colours(page)
                    _save(picture, f"lab-{shot.scene}-{theme}", named[theme])
                    narrow.append(_taken(page, PHONE))
                page.close()
        browser.close()
        server.shutdown()
    if not only:
        for theme, narrow in phones.items():
            _save(_in_a_row(narrow), f"lab-phone-{theme}", named[theme])


def _run(page: Any, shot: Shot) -> None:
    """Run to the lesion, if there is one, and on to the end; then pause."""
    if shot.lesion:
        _wait(page, shot.before_s)
        page.get_by_role("button", name=shot.lesion).first.click()
    _wait(page, shot.until_s)
    _ask(page, "lab.session.pause()")
    page.mouse.move(0, 0)
    page.wait_for_timeout(1200)  # flashes fade


def _wait(page: Any, time_s: float) -> None:
    for _ in range(PATIENCE_S * 5):
        if _ask(page, "lab?.session?.time ?? 0") >= time_s:
            return
        _ask(page, "lab?.session?.scene && lab.session.speed && lab.session.setSpeed(null)")
        page.wait_for_timeout(200)
    raise SystemExit(f"the lab did not reach {time_s:g} s within {PATIENCE_S} s")


def _ask(page: Any, expression: str) -> Any:
    return page.evaluate(
        f"(() => {{ const lab = document.querySelector('.synsamp-lab')?.lab;"
        f" return {expression}; }})()"
    )


def _taken(page: Any, size: dict[str, int]) -> Image.Image:
    """The page in a window of this size."""
    page.set_viewport_size(size)
    page.wait_for_timeout(600)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def _in_a_row(pictures: list[Image.Image]) -> Image.Image:
    """Pictures side by side, on the background colour of the page."""
    width = sum(picture.width for picture in pictures) + GAP * (len(pictures) - 1)
    row = Image.new("RGB", (width, pictures[0].height), pictures[0].getpixel((0, 400)))
    x = 0
    for picture in pictures:
        row.paste(picture, (x, 0))
        x += picture.width + GAP
    return row


def _colours(page: Any) -> list[Colour]:
    """The colours of the theme."""
    theme = _ask(page, "lab.theme")
    return [ImageColor.getrgb(v) for v in theme.values() if str(v).startswith("#")]


def _save(picture: Image.Image, name: str, named: list[Colour]) -> None:
    """Save as small as needed: in full colour, or with a palette."""
    path = IMAGES / f"{name}.png"
    picture.save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        picture.quantize(palette=_palette(picture, named), dither=Image.Dither.NONE).save(
            path, optimize=True
        )
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} KB", flush=True)


def _palette(picture: Image.Image, named: list[Colour]) -> Image.Image:
    """The colours of the theme, the most frequent ones, and others."""
    counted = sorted(picture.getcolors(picture.width * picture.height) or [], reverse=True)
    frequent = [*named, *(colour for _, colour in counted)][: 256 - OTHERS]
    others = picture.quantize(OTHERS, Image.Quantize.MEDIANCUT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(value for colour in frequent for value in colour), *others[: 3 * OTHERS]])
    return palette


if __name__ == "__main__":
    main(sys.argv[1:])
