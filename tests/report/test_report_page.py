"""The report: everything is on it, nothing comes from elsewhere, text is shown as text."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from synsamp.errors import SynsampError
from synsamp.experiments.base import Claim
from synsamp.experiments.registry import Entry, Registry
from synsamp.report.alt import alternative_text
from synsamp.report.claim_range import EDGE, WIDTH, claim_range
from synsamp.report.draw import panels_of
from synsamp.report.numbers import (
    band_text,
    number_text,
    seeds_note,
    source_text,
    tally,
    verdict_text,
)
from synsamp.report.write import ReportPage, write_report
from synsamp.runs import execute
from synsamp.runs.storage.check import integrity_problems
from synsamp.runs.storage.folder import ClaimRecord, RunFolder
from toys import walk
from toys.app import TOYS


class Page(HTMLParser):
    """Collects tags with their attributes, and the text outside of style."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self._open = [], "", []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "img"):
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if self._open and self._open[-1] != "style":
            self.text += data


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def report(root):
    execute(walk.EXPERIMENT, root / "a", settings=["step.size=2"])
    execute(TOYS.find("stroll").load(), root / "b")
    path = write_report([root / "a", root / "b"], TOYS, root / "report.html")
    return path.read_text()


def test_an_experiment_without_a_drawing_has_its_records_drawn_by_their_kind(tmp_path):
    plain = replace(walk.EXPERIMENT, draw=None)
    registry = Registry([Entry(plain.name, plain.alias, plain.title, lambda: plain)])
    execute(plain, tmp_path / "a", settings=["blocks=5"])
    page = write_report([tmp_path / "a"], registry, tmp_path / "report.html").read_text()
    assert plain.captions["A"] not in page
    assert "Records drawn by their kind" in page
    assert "fig0 path" in page
    assert (tmp_path / "a" / "figures" / "path.png").is_file()
    assert "The walk ends near its mean" in page
    assert integrity_problems(tmp_path / "a") == []


def test_everything_is_on_the_page(report):
    text = re.sub(r"\s+", " ", Page(report).text)
    experiment = walk.EXPERIMENT
    expected = [
        experiment.title,
        experiment.summary,
        *experiment.captions.values(),
        *experiment.assumptions,
        *experiment.deviations,
        "The walk goes very far",
        "Fig. 0B",
        "step.size",
        "standard deviation of one step",
        "numpy",
        "Claims: 2 hold, 2 fail, 2 undecided",
        "Synaptic sampling: 2 experiments, preset quick",
        "one seedin the band",
        "one seed, which decides nothing by itself",
        "fifty are very far",
    ]
    for words in expected:
        assert words in text, words


def test_figures_come_first_and_claims_are_folded(report):
    first = report[report.index('id="run-1"') : report.index('id="run-2"')]
    assert first.index("<figure") < first.index("What holds.") < first.index("<details")
    assert first.index("<details") < first.index("The walk goes very far")


def test_one_run_is_named_by_its_title_and_code_is_set_as_code(tmp_path):
    coded = replace(
        walk.EXPERIMENT, summary="Give `--trials 2` & <b>wait</b>.", captions={"A": "`x`"}
    )
    registry = Registry([Entry(coded.name, coded.alias, coded.title, lambda: coded)])
    execute(coded, tmp_path / "a", settings=["blocks=5"])
    page = write_report([tmp_path / "a"], registry, tmp_path / "report.html").read_text()
    assert f"<h1>{coded.title}</h1>" in page
    assert "Give <code>--trials 2</code> &amp; &lt;b&gt;wait&lt;/b&gt;. (walk" in page
    assert "<code>x</code></p>" in page
    assert "`" not in Page(page).text


def test_a_growing_page_lists_what_is_to_come(tmp_path):
    report = ReportPage(tmp_path / "report.html", TOYS, ["walk", "stroll"])
    report.write()
    text = Page(report.out.read_text()).text
    assert "2 experiments, under way" in text
    assert text.count("to come") == 2
    execute(TOYS.find("stroll").load(), tmp_path / "b")
    with RunFolder.reopen(tmp_path / "b") as folder:
        report.add(folder)
    text = Page(report.out.read_text()).text
    assert text.count("to come") == 1
    assert "A short walk" in text


def test_the_page_loads_nothing(report):
    for tag, attributes in Page(report).tags:
        assert tag not in ("script", "link", "iframe", "object", "embed", "base")
        for name in ("src", "href", "srcset", "action", "poster", "background"):
            if name in attributes:
                assert attributes[name].startswith(("data:image/", "#")), tag
    style = re.search(r"<style>(.*?)</style>", report, re.S).group(1)
    assert "url(" not in style
    assert "@import" not in style
    assert "default-src 'none'" in report


def test_navigation_leads_to_each_run(report):
    tags = Page(report).tags
    ids = {attributes.get("id") for _, attributes in tags}
    links = [attributes["href"] for tag, attributes in tags if tag == "a"]
    assert links == ["#run-1", "#run-2"]
    assert all(link[1:] in ids for link in links)


def test_what_was_set_is_marked(report):
    rows = re.findall(r'<tr class="given"><td class="key">([^<]*)', report)
    assert rows == ["step.size"]
    chips = re.findall(r'<li class="chosen">([^<]*) <b>([^<]*)</b>', report)
    assert chips == [("step.size", "2")]


def test_a_figure_has_its_captions_as_alternative_text(report):
    texts = [attributes["alt"] for tag, attributes in Page(report).tags if tag == "img"]
    assert len(texts) == 4
    assert texts[0] == f"fig0 A. {walk.EXPERIMENT.captions['A']}"


def test_a_figure_without_a_caption_has_the_titles_of_its_panels():
    figure = Figure()
    axes = figure.add_subplot()
    axes.set(title="How far", xlabel="block", ylabel="$x$ / m")
    assert alternative_text(figure) == "How far, block, x / m."


def test_the_policy_allows_the_page_its_own_style_and_pictures_alone(report):
    policy = next(
        attributes["content"]
        for tag, attributes in Page(report).tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    style = re.search(r"<style>(.*?)</style>", report, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": f"'sha256-{digest}'",
        "form-action": "'none'",
        "base-uri": "'none'",
    }


def test_figures_stand_next_to_their_captions(report):
    figures = re.findall(r"<figure.*?</figure>", report, re.S)
    assert len(figures) == 4
    assert "The walk wanders." in figures[0]
    assert "&lt;far&gt; &amp; stays" in figures[1]
    assert all(re.search(r'src="data:image/(svg\+xml|png);base64,', figure) for figure in figures)


@pytest.mark.parametrize(
    ("key", "panels"), [("A", ["A"]), ("AC", ["A", "C"]), ("S1", ["S1"]), ("extra", []), ("B", [])]
)
def test_a_key_names_its_panels(key, panels):
    assert panels_of(key, {"A": "", "C": "", "S1": ""}) == panels


def test_nothing_a_user_writes_becomes_markup(tmp_path):
    evil = "<script>alert(1)</script>\"'&"
    settings = ["label=<b>&\"'"]
    experiment = replace(
        walk.EXPERIMENT,
        title=evil,
        summary=evil,
        captions={"A": evil},
        assumptions=(evil,),
        deviations=(evil,),
        claims=[Claim("x", evil, evil, "end", (0.0, None), unit=evil, detail=evil, reason=evil)],
    )
    execute(experiment, tmp_path / "a", settings=settings)
    original, walk.EXPERIMENT = walk.EXPERIMENT, experiment
    try:
        page = write_report([tmp_path / "a"], TOYS, tmp_path / "r.html").read_text()
    finally:
        walk.EXPERIMENT = original
    parsed = Page(page)
    assert not [tag for tag, _ in parsed.tags if tag == "script"]
    assert parsed.text.count("alert(1)") == 11


def test_drawing_twice_gives_the_same_files(tmp_path):
    execute(walk.EXPERIMENT, tmp_path / "a")
    first = write_report([tmp_path / "a"], TOYS, tmp_path / "1.html").read_bytes()
    files = {p: p.read_bytes() for p in (tmp_path / "a" / "figures").iterdir()}
    assert {p.name for p in files} == {"A.png", "A.svg", "B.png", "B.svg"}
    assert write_report([tmp_path / "a"], TOYS, tmp_path / "2.html").read_bytes() == first
    assert files == {p: p.read_bytes() for p in files}


def test_drawing_changes_no_result(tmp_path):
    folder = execute(walk.EXPERIMENT, tmp_path / "a")
    before = {
        p: p.read_bytes() for p in folder.path.rglob("*") if p.is_file() and p.name != ".lock"
    }
    write_report([tmp_path / "a"], TOYS, tmp_path / "r.html")
    assert before == {p: p.read_bytes() for p in before}


def test_other_files_are_not_replaced(tmp_path):
    execute(walk.EXPERIMENT, tmp_path / "a")
    (tmp_path / "r.html").write_text("<html>mine</html>")
    for target in (tmp_path / "r.html", tmp_path / "a", tmp_path / "no" / "r.html"):
        with pytest.raises(SynsampError, match="report must"):
            write_report([tmp_path / "a"], TOYS, target)
    assert (tmp_path / "r.html").read_text() == "<html>mine</html>"


ends = st.none() | st.floats(-1e9, 1e9)


far = st.none() | st.floats(-1e12, 1e12)


@given(far, ends, ends, far, far, st.tuples(far, far))
def test_a_claim_is_drawn_within_its_picture(value, low, high, paper, null, interval):
    if low is None and high is None:
        low = 0.0
    if low is not None and high is not None:
        low, high = sorted((low, high))
    holds = value is not None and (low is None or low <= value) and (high is None or value <= high)
    claim = ClaimRecord(
        id="x",
        statement="",
        source="",
        measure="m",
        value=value,
        interval=interval,
        n=2,
        paper=paper,
        null_value=null,
        null_interval=None if null is None else interval,
        band=(low, high),
        verdict="holds" if holds else "fails",
    )
    svg = claim_range(claim)
    assert ('<circle class="holds"' in svg or '<circle class="fails"' in svg) == (value is not None)
    assert ('<circle class="null"' in svg) == (null is not None)
    assert ('class="paper"' in svg) == (paper is not None)
    for name in ("cx", "x1", "x2", "x"):
        for found in re.findall(rf' {name}="([^"]*)"', svg):
            assert EDGE - 2.1 <= float(found) <= WIDTH - EDGE + 2.1
    if value is not None and low is not None and high is not None and high - low > 1e-3:
        x = float(re.search(r'<circle class="(?:holds|fails)" cx="([^"]*)"', svg).group(1))
        left, width = (float(re.search(rf' {n}="([^"]*)"', svg).group(1)) for n in ("x", "width"))
        # What holds is drawn inside the bar, what fails outside, to the width of a pixel.
        if holds:
            assert left - 1 <= x <= left + width + 1
        else:
            assert x <= left + 2 or x >= left + width - 2
    Page(svg)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.5964, "−0.596"),
        (20.0, "20"),
        (12345.6, "12,346"),
        (1e-4, "1.00e−04"),
        (None, "not finite"),
    ],
)
def test_numbers_read_well(value, text):
    assert number_text(value) == text


AT_THE_EDGE = "no number of seeds will decide: the mean lies at the edge of the band"


@pytest.mark.parametrize(
    ("n", "needed", "value", "verdict", "note"),
    [
        (1, None, 0.5, "one seed: in the band", "One seed decides nothing"),
        (1, None, 2.0, "one seed: outside the band", "One seed decides nothing"),
        (4, 1234, 0.5, "undecided: 1,234 seeds would decide", "Few seeds leave much undecided"),
        (4, None, 0.5, f"undecided: {AT_THE_EDGE}", ""),
        (4, None, None, "undecided: a seed has no finite value", ""),
    ],
)
def test_what_is_undecided_says_what_would_decide_it(n, needed, value, verdict, note):
    claim = ClaimRecord(
        id="x", statement="", source="", measure="m", value=value, interval=(None, None), n=n,
        band=(0.0, 1.0), verdict="undecided", needed=needed,
    )  # fmt: skip
    assert verdict_text(claim) == verdict
    assert seeds_note([claim]).startswith(note)
    assert bool(seeds_note([claim])) == bool(note)
    assert seeds_note([claim.model_copy(update={"verdict": "holds"})]) == ""
    if verdict.endswith("would not decide"):
        alike = claim.model_copy(update={"null_value": 0.5})
        assert verdict_text(alike) == "undecided: its null lies in the band, too"


def test_bands_read_well():
    assert band_text((None, 2.0)) == "≤ 2"
    assert band_text((0.5, None)) == "≥ 0.5"
    assert band_text((0.1, 0.3)) == "0.1 to 0.3"
    assert band_text((1.0, 1.0)) == "1"


def test_verdicts_are_counted_separately_for_statements_implications_and_questions():
    def record(kind, verdict):
        return ClaimRecord(
            id="x", statement="", source="Fig. 1", measure="m", value=0.5, interval=(0.4, 0.6), n=8,
            band=(0.0, 1.0), verdict=verdict, kind=kind,
        )  # fmt: skip

    stated = [record("statement", "holds"), record("statement", "fails")]
    asked = record("question", "fails")
    assert tally(stated) == "1 holds, 1 fails"
    assert tally([asked]) == "0 hold, 1 fails"
    both = "the paper's statements: 1 holds, 1 fails; our own questions: 0 hold, 1 fails"
    assert tally([*stated, asked]) == both
    assert source_text(asked) == "Fig. 1; our own question"
