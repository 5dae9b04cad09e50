"""The page of a spine table in a real browser, from a phone to a wide screen."""

from __future__ import annotations

import numpy as np
import pytest

from browser import measure, needs_browser
from spines.tables import truth
from synsamp.report.spines.write import write_spines
from synsamp.spines import analyse, read

pytestmark = needs_browser


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Two conditions with long names, and all that the page can show but the posterior."""
    table = truth(n_spines=90, n_animals=6, noise=0.15, times=np.array([0, 4, 8, 12, 20.0]))
    frame = table.frame.drop(columns=["present", "dendrite", "condition"])
    frame["genotype"] = np.where(
        frame["animal"].isin(["m1", "m3", "m5"]), "heterozygous(knock-in/wild-type)", "wild type"
    )
    found = analyse(read(frame, by="genotype"), simulate=True)
    return write_spines(found, tmp_path_factory.mktemp("browser") / "out", "0")


@pytest.mark.parametrize("width", [390, 800, 1600])
def test_the_page_fits_its_window_and_is_quiet(report, tmp_path, width):
    found = measure(report, tmp_path, width)
    assert found["scroll"] <= width, found["wide"]
    assert found["wide"] == []
    assert found["clipped"] == []
    assert found["images"] == 8
    assert found["broken"] == 0
    assert found["small"] == 0
    assert found["cut"] == 0
    assert found["loaded"] == []
    assert found["console"] == []


def test_every_figure_has_alternative_text(report, tmp_path):
    alts = measure(report, tmp_path, 800)["alts"]
    assert len(set(alts)) == 8
    assert min(map(len, alts)) > 30, alts


def test_the_probe_sees_what_is_wrong(report, tmp_path):
    bad = tmp_path / "bad.html"
    text = report.read_text().replace("<main>", '<main><hr width="700"><img src="none.png">')
    bad.write_text(text)
    found = measure(bad, tmp_path, 390)
    assert found["wide"] == ["HR."]
    assert found["broken"] == 1
    assert "" in found["alts"]
    assert any("Content Security Policy" in line for line in found["console"])
