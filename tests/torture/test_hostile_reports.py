"""A run folder from elsewhere: whatever its words are, the page shows them and does nothing."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

import pytest
import xarray as xr

from browser import inspect_page, needs_browser
from synsamp.errors import SynsampError
from synsamp.report.write import write_report
from synsamp.runs import execute
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage.folder import RunFolder
from synsamp.runs.storage.results import open_results, write_results_manifest
from torture.scale import many
from toys import coins, walk
from toys.app import WITH_COINS

pytestmark = needs_browser

ESCAPES = ("", '">', "'>", "</b>", "</title>", "</style>", "-->", "]]>", "&#34;>", "\\\"'>")
LIVE = (
    '<meta http-equiv="refresh" content="0;url=data:text/html,gone">',
    '<form action="data:text/html,gone"><input autofocus><button>go</button></form>',
    "<script>window.alive = 1</script>",
    '<img src=x onerror="window.alive = 1">',
    '<svg onload="window.alive = 1"></svg>',
    '<base href="data:text/html,gone">',
    '<iframe srcdoc="gone"></iframe>',
    "<a href='javascript:window.alive = 1'>link</a>",
    '<link rel="stylesheet" href="data:text/css,*{display:none}">',
    "<object data=x></object><embed src=x>",
    "<details open ontoggle='window.alive = 1'></details>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
)
ODD = (
    "{{ 7 * 7 }}{% for x in y %}",
    "$\\frac{1}{$ \\undefined",
    "\x00\x01\x07\x1b[31m\x7f\x9b",
    "\ud800 and \udfff",
    "\u202egnp.exe\u2066",
    "a" * 20_000,
    "\n\n\t ",
    "%s%n{0}{}",
    '" onmouseover="window.alive = 1" style="display:none',
    "' onfocus='window.alive = 1' tabindex='0",
)
PAYLOADS = [*ODD, *(escape + live for live, escape in product(LIVE, ESCAPES))]
# In the short form several stand in one payload: all tags, and all ways out of what is around.
SHORT = ["".join(ODD[:5]), *ODD[5:], "".join(map("".join, zip(ESCAPES, LIVE, strict=False)))]

TAGS = (
    "html head meta title style body header div h1 p span nav a small main section h2 ul li b h3 "
    "figure img figcaption details summary table thead tr th tbody td code footer svg line rect "
    "path circle"
)
ATTRIBUTES = (
    "lang charset name content http-equiv class aria-label aria-hidden id href data-label viewBox "
    "role x1 x2 y1 y2 x y width height rx d cx cy r alt src tabindex"
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A plain run and a sweep; each test overwrites their words."""
    root = tmp_path_factory.mktemp("untrusted")
    execute(walk.EXPERIMENT, root / "plain")
    with Workers(count=1) as workers:
        execute_ensemble(
            coins.EXPERIMENT, root / "sweep", 3, vary=["coin.chance=0.3,0.6"], workers=workers
        )
    return root


def rewrite(path, change):
    content = json.loads(path.read_text())
    path.write_text(json.dumps(change(content)))


def spoil(root, payload):
    """Put the payload into every word of both folders that may be any word."""

    def described(content):
        return content | {
            "preset": payload,
            "given": [f"label={payload}", f"{payload}={payload}", payload],
            "versions": {payload: payload, "synsamp": payload, "platform": payload},
        }

    def claimed(content):
        free = (
            "id",
            "statement",
            "source",
            "measure",
            "unit",
            "reason",
            "detail",
            "at",
            "paper_is",
        )
        words = dict.fromkeys(free, payload) | {"paper": 1.0}
        return [claim | words for claim in content]

    for name in ("plain", "sweep"):
        rewrite(root / name / "run.json", described)
        rewrite(root / name / "status.json", lambda content: content | {"message": payload})
        rewrite(root / name / "claims.json", claimed)
    rewrite(
        root / "plain" / "run.json",
        lambda content: (
            content
            | {"vary": {payload: [payload, payload]}}
            | {"resolved": content["resolved"] | {"label": storable(payload)[:20]}}
        ),
    )
    spoil_results(root / "sweep", storable(payload)[:200] or "x")
    for name in ("plain", "sweep"):
        RunFolder(root / name).write_manifest()  # as whoever sends such a folder would


def storable(text):
    """What Zarr and pydantic take for text at all."""
    return text.encode(errors="replace").decode()


def spoil_results(sweep, payload):
    """Rename what varies, and the claims and units, in the results and under another manifest.

    An array's name is a path in the store, so a slash cannot be part of it.
    """
    key = payload.replace("/", "∕").replace("\x00", "0").strip() or "x"
    found = {name: data.load() for name, data in open_results(sweep).items()}
    (old,) = json.loads((sweep / "run.json").read_text())["vary"]
    rewrite(sweep / "run.json", lambda c: c | {"vary": {key: c["vary"][old]}})
    for name, data in found.items():
        data = data.rename({old: key}) if old in data.dims else data
        for word in ("claim", "claim_unit"):
            if word in data.coords:
                names = [f"{i}{payload}" for i in range(data.sizes["claim"])]
                data = data.assign_coords({word: ("claim", names)})
        clean = xr.Dataset(data.variables).set_coords(list(data.coords))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Zarr on strings
            clean.to_zarr(sweep / "results.zarr", group=name, mode="w", consolidated=False)
    write_results_manifest(sweep)


def hostile_page(root, payload, monkeypatch):
    """The page of both folders, with the payload also in all that an experiment may say."""
    spoil(root, payload)
    for module in (walk, coins):
        words = {
            "title": payload,
            "summary": payload,
            "captions": {"A": payload, "B": payload},
            "assumptions": (payload,),
            "deviations": (payload,),
        }
        monkeypatch.setattr(module, "EXPERIMENT", replace(module.EXPERIMENT, **words))
    out = root / "page.html"
    return write_report([root / "plain", root / "sweep"], WITH_COINS, out).read_text("utf-8")


def test_no_text_of_an_untrusted_folder_runs_as_script(folders, tmp_path, monkeypatch, tally):
    payloads = PAYLOADS if many(0, 1) else SHORT
    pages = [hostile_page(folders, payload, monkeypatch) for payload in payloads]
    for start in range(0, len(pages), 20):
        seen = inspect_page(pages[start : start + 20], tmp_path)
        for payload, found in zip(payloads[start:], seen, strict=False):
            assert not found["gone"], payload
            assert set(found["tags"]) <= set(TAGS.split()), payload
            assert set(found["attributes"]) <= set(ATTRIBUTES.split()), payload
            assert {lead.rstrip("12") for lead in found["leads"]} <= {"#run-", "data:image/"}
            assert found["alive"] == 0, payload
            assert found["broken"] == 0, payload
            assert found["images"] >= 4
    tally("reports from hostile words", len(payloads))


def test_a_drawing_of_untrusted_text_is_a_whole_file_without_script(folders, monkeypatch, tally):
    payloads = SHORT[: many(2, len(SHORT))]
    for payload in payloads:
        hostile_page(folders, payload, monkeypatch)
        for path in (folders / "sweep" / "figures").glob("*.svg"):
            tags = {element.tag.rpartition("}")[2] for element in ElementTree.parse(path).iter()}
            assert not tags & {"script", "foreignObject", "iframe", "form", "a"}, payload
    tally("figures from hostile words", len(payloads))


def test_the_browser_sees_markup_that_lives(tmp_path):
    """The other side: were a word let through unchanged, the test above would fail."""
    head = "<!doctype html><html lang=en><head></head><body>"
    seen = inspect_page([head + live for live in LIVE], tmp_path)
    for live, found in zip(LIVE, seen, strict=True):
        assert (
            found["gone"]
            or not set(found["tags"]) <= set(TAGS.split())
            or not set(found["attributes"]) <= set(ATTRIBUTES.split())
            or found["alive"]
            or "javascript:" in found["leads"]
        ), live


@pytest.mark.parametrize(
    "change",
    [
        {"value": None, "band": [None, None]},
        {"value": 1e308, "band": [-1e308, 1e308]},
        {"value": 1.0, "band": [3.0, -3.0]},
        {"interval": [1e308, -1e308]},
    ],
    ids=str,
)
def test_an_untrusted_claim_with_odd_numbers_is_still_shown(tmp_path, change, tally):
    execute(walk.EXPERIMENT, tmp_path / "a")
    rewrite(tmp_path / "a" / "claims.json", lambda claims: [c | change for c in claims])
    RunFolder(tmp_path / "a").write_manifest()
    page = write_report([tmp_path / "a"], WITH_COINS, tmp_path / "r.html").read_text()
    assert page.count("The walk goes very far") == 1
    tally("reports from hostile words")


def test_a_name_that_climbs_out_raises_an_error(tmp_path, monkeypatch):
    """A figure's key becomes a file's name."""
    from toys import walk_figures

    execute(walk.EXPERIMENT, tmp_path / "a")
    draw = walk_figures.draw
    monkeypatch.setattr(
        walk_figures, "draw", lambda p, r: {f"../../{k}": f for k, f in draw(p, r).items()}
    )
    with pytest.raises((SynsampError, ValueError), match="key of a figure must be letters"):
        write_report([tmp_path / "a"], WITH_COINS, tmp_path / "r.html")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a"]
