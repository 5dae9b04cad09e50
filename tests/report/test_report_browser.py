"""The report in a real browser, from a phone to a wide screen."""

from __future__ import annotations

import re

import pytest

from browser import measure, needs_browser
from synsamp.report.write import write_report
from synsamp.runs import execute
from toys.app import TOYS

pytestmark = needs_browser


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    root = tmp_path_factory.mktemp("browser")
    execute(TOYS.find("walk").load(), root / "a", settings=["label=averyveryverylongw"])
    execute(TOYS.find("stroll").load(), root / "b")
    return write_report([root / "a", root / "b"], TOYS, root / "report.html")


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
    assert found["marked"] == 2  # of four drawings two are wider than a phone
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
