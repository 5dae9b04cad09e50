"""The lab in one file, opened from the file system."""

from __future__ import annotations

import pytest

from browser import needs_browser
from synsamp.errors import SynsampError
from synsamp.lab import single_file

pytestmark = needs_browser


def test_it_opens_from_the_file_system_and_learns(engine_page, tmp_path):
    path = tmp_path / "lab.html"
    single_file.write_single_file(path)
    page = engine_page.context.browser.new_page()
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.get_by_text("WebAssembly in this browser").wait_for(timeout=60_000)
    page.get_by_text("spikes computed per second").wait_for(timeout=60_000)
    page.close()
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    assert [url for url in asked if url.startswith("file:")] == [path.as_uri()]


def test_text_that_would_end_a_script_is_an_error(monkeypatch):
    monkeypatch.setattr(single_file, "bundle", lambda path: "x = '</SCRIPT>'export default m;")
    with pytest.raises(SynsampError, match="must not contain"):
        single_file.single_file()
