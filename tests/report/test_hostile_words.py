"""Words of a user's own experiment on a page in a real browser: shown as text, never alive."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
import xarray as xr
from pydantic import Field, create_model

from browser import CHROMIUM, needs_browser
from spines.tables import truth
from synsamp.claims import Claim
from synsamp.experiments.base import Experiment, Parameters
from synsamp.experiments.registry import Entry, Registry
from synsamp.report.spines.write import write_spines
from synsamp.report.write import write_report
from synsamp.runs import execute
from synsamp.spines import analyse, read
from torture.scale import many

pytestmark = needs_browser

HOSTILE = {
    "script": "<script>window.alive = 1</script>",
    "closed": "</title></style></td></b>--><script>window.alive = 1</script>",
    "handler": '" onmouseover="window.alive = 1" autofocus onfocus="window.alive = 1',
    "image": '<img src=x onerror="window.alive = 1">',
    "svg": '<svg onload="window.alive = 1"><a xlink:href="javascript:window.alive=1">x</a></svg>',
    "link": '<a href="javascript:window.alive = 1">here</a> javascript:window.alive=1',
    "bidi": "safe \u202egnp.exe\u2066\u2069\u200f\ufeff end",
    "control": "bell\x07 escape\x1b[31m null\x00 delete\x7f next\x85 line\u2028",
    "long": "W" * 100_000,
    "long words": "many words " * 9_000,
    "braces": "{{ 7 * 7 }}{% raw %}${alert(1)}",
}
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def mean(p, results):
    return float(results["results"].value.mean())


def _experiment(word):
    """An experiment that says a word wherever a user may."""
    field = Field(1.0, description=word)
    parameters = create_model("Mine", __base__=Parameters, rate=(float, field))

    def run(p, seed):
        attributes = {"units": word, "description": word, "long_name": word}
        return xr.Dataset({"value": ("time", np.arange(5.0) + seed, attributes)})

    claim = Claim(
        f"mine-{word}", word, word, "mean", (0.0, None), unit=word, reason=word, detail=word
    )
    return Experiment(
        name="mine",
        title=word,
        summary=word,
        alias=word,
        parameters=parameters,
        run=run,
        measures=[mean],
        claims=(claim,),
        captions={"A": word},
        assumptions=(word,),
        deviations=(word,),
    )


def _report(word, folder):
    experiment = _experiment(word)
    execute(experiment, folder / "run")
    registry = Registry([Entry("mine", "", "mine", lambda: experiment)])
    return write_report([folder / "run"], registry, folder / "report.html")


def _spines(word, folder):
    table = truth(n_spines=90, n_animals=6, noise=0.15, times=np.array([0, 4, 8, 12, 20.0]))
    frame = table.frame.drop(columns=["present", "dendrite", "condition"])
    frame["group"] = np.where(frame["animal"].isin(["m1", "m3", "m5"]), word, "other")
    frame[word] = 1
    found = analyse(read(frame, by="group"))
    return write_spines(found, folder / "out", word)


# Fitting a table takes ten seconds for each word, so `make test` leaves it to `make torture`.
PAGES = {"report": _report} | ({"spines": _spines} if many(0, 1) else {})


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as player:
        started = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def _look(browser, path, width):
    """What a page holds and did in a window this wide, after the mouse was on each element."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    dialogs, requests = [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    found = page.evaluate("""() => {
        document.querySelectorAll("details").forEach(d => d.open = true);
        const all = [...document.querySelectorAll("*")];
        for (const kind of ["mouseover", "focus", "click", "toggle"])
            all.filter(e => e.tagName != "A" && e.tagName != "SUMMARY")
               .forEach(e => e.dispatchEvent(new Event(kind)));
        return {
            tags: all.map(e => e.tagName),
            attributes: [...new Set(all.flatMap(e => e.getAttributeNames()))],
            leads: all.flatMap(e => ["href", "src"].map(n => e.getAttribute(n)))
                      .filter(v => v !== null && !v.startsWith("#") && !v.startsWith("data:image")),
            scroll: document.documentElement.scrollWidth,
            height: document.documentElement.scrollHeight,
            alive: window.alive === undefined ? 0 : 1,
        };
    }""")
    page.close()
    mine = [url for url in requests if not url.startswith("data:") and url != path.as_uri()]
    return {**found, "dialogs": dialogs, "requests": mine}


@pytest.fixture(scope="module", params=PAGES)
def plain(request, browser, tmp_path_factory):
    """How to write a kind of page, and the same page with a harmless word."""
    write = PAGES[request.param]
    return write, _look(browser, write("word", tmp_path_factory.mktemp("plain")), 1000)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_word_of_the_user_becomes_more_than_text(name, plain, browser, tmp_path, tally):
    write, harmless = plain
    path = write(HOSTILE[name], tmp_path)
    assert not CONTROL.search(path.read_text(encoding="utf-8"))
    for width in (360, 1000):
        found = _look(browser, path, width)
        assert found["alive"] == 0
        assert (found["dialogs"], found["requests"], found["leads"]) == ([], [], [])
        assert Counter(found["tags"]) == Counter(harmless["tags"])
        assert set(found["attributes"]) <= set(harmless["attributes"])
        assert found["scroll"] <= width
    tally("pages from own hostile words")


def test_the_browser_notices_markup_that_is_alive(browser, tmp_path):
    """The negative control: each word, let through unescaped, is noticed."""
    plain = tmp_path / "plain.html"
    plain.write_text("<!doctype html><body><p>word</p>")
    harmless = _look(browser, plain, 360)
    for name, word in HOSTILE.items():
        if name in ("bidi", "control", "braces", "long words"):
            continue
        path = tmp_path / "bad.html"
        path.write_text(f'<!doctype html><body><p title="{word}">{word}</p>')
        found = _look(browser, path, 360)
        assert (
            Counter(found["tags"]) != Counter(harmless["tags"])
            or set(found["attributes"]) > {"title"}
            or found["scroll"] > 360
        ), name
