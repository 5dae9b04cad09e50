"""The command and what it writes: the page, its figures, the numbers, the Methods."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from spines.tables import long_text, truth, write
from synsamp.cli import run_command_line
from synsamp.experiments.registry import Registry
from synsamp.spines.returns import split_returns

EVIL = '<script>alert(1)</script>"$x_$&'


def command(*arguments):
    return run_command_line(["spines", *map(str, arguments)], Registry([]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of two conditions with hostile names, analysed with all options."""
    root = tmp_path_factory.mktemp("spines")
    table = truth(n_spines=90, n_animals=6, noise=0.15, times=np.array([0, 4, 8, 12, 20.0]))
    frame = table.frame.drop(columns=["present", "dendrite", "condition"])
    frame["genotype"] = np.where(frame["animal"].isin(["m1", "m3", "m5"]), EVIL, "=wild")
    frame["animal"] = frame["animal"] + "<i>$"
    frame = frame.rename(columns={"time": "Day", "size": "Volume (µm³)"})
    frame.to_csv(root / "my table.csv", index=False, sep=";", decimal=",")
    assert command(root / "my table.csv", "--by", "genotype", "--simulate", "--seed", 3) == 0
    return root / "my table-spines"


class Page(HTMLParser):
    """Tags and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def test_everything_is_written(folder):
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    figures = ["change", "conditions", "correlation", "distribution", "raster"]
    figures += ["sizes", "survival", "turnover"]
    wanted = [f"figures/{n}{s}" for n in figures for s in (".png", ".svg")]
    assert names == sorted([*wanted, "methods.txt", "report.html", "results.csv", "results.nc"])


def test_the_page_escapes_names_from_the_table(folder):
    page = Page((folder / "report.html").read_text())
    kinds = {tag for tag, _ in page.tags}
    assert not kinds & {"script", "i", "link", "iframe", "object", "embed", "base", "form"}
    assert EVIL in page.text
    policies = [a for t, a in page.tags if t == "meta" and "content" in a]
    assert any("default-src 'none'" in a["content"] for a in policies)
    images = [a["src"] for t, a in page.tags if t == "img"]
    assert len(images) == 8
    assert all(src.startswith("data:image/") for src in images)
    for words in ("The table", "Fitted process", "Turnover", "Conditions"):
        assert words in page.text


def test_warnings_stand_before_the_first_number(tmp_path):
    table = split_returns(truth(n_spines=120, noise=0.2))
    assert command(write(tmp_path, long_text(table), "renamed.csv")) == 0
    shown = Page((tmp_path / "renamed-spines" / "report.html").read_text()).text
    warned, verdict = shown.index("Read this first"), shown.index("The table")
    assert warned < shown.index("none of", warned) < shown.index("--returns kept") < verdict
    assert verdict < shown.index("relaxation time τ = σ²/b")


def test_control_and_bidirectional_characters_do_not_reach_the_page(tmp_path):
    """A right-to-left override, BEL and ESC in names of columns, animals and the file."""
    hostile = "a\u202eb\x07c\x1b[31md"
    rows = [f"{hostile} animal,spine,day,{hostile} volume,{hostile}"]
    rows += [f"{hostile},{s},{d},{s % 3 + 0.5 * d},x" for s in range(6) for d in range(3)]
    path = write(tmp_path, "\n".join(rows), "t\u202e\x07.csv")
    columns = f"animal={hostile} animal,size={hostile} volume"
    assert command(path, "--columns", columns, "--out", tmp_path / "out") == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "a\ufffdb\ufffdc\ufffd[31md" in page  # shown with replacement characters
    assert not set("\u202e\x07\x1b") & set(page)


def test_numbers_are_the_same_in_every_file(folder):
    rows = pd.read_csv(folder / "results.csv")
    assert not rows["row"].astype(str).str.match(r"[=+@-]").any()  # no formulas for a spreadsheet
    with xr.open_dataset(folder / "results.nc", engine="scipy") as data:
        data.load()
    chosen = rows[(rows["part"] == "process") & (rows["quantity"] == "estimate")]
    np.testing.assert_allclose(chosen["value"], data["process_estimate"].values)
    assert data["state"].shape == (90, 5)
    assert data["simulated_size"].shape == (90, 5)
    assert data.attrs["size_unit"] == "µm³"
    parts = set(rows["part"])
    assert {
        "process",
        "comparison",
        "check",
        "survival",
        "survival_model",
        "turnover",
        "effect",
    } <= parts
    assert {"condition_survival", "condition_turnover"} <= parts
    assert {"curve_distribution", "curve_change", "curve_correlation"} <= parts


def test_the_methods_state_every_choice(folder):
    text = (folder / "methods.txt").read_text()
    for words in (
        "90 spines of 6 animals",
        "every 4 to 8 days",
        "empty cells are absent",
        "seen at least once",
        "µm³",
        "profile likelihood",
        "T = 1 by convention",
        "seed 3",
        EVIL,
    ):
        assert words in text, words


def test_the_summary_of_the_table_is_printed_first(tmp_path, capsys):
    path = write(tmp_path, long_text(truth(n_spines=40, times=np.arange(5) * 3.0)))
    assert command(path, "--threshold", "1,0") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1 animal, dendrites not named, 40 spines, 5 sessions from 0 to 12")
    assert "intervals of 3 days; 200 observations" in lines[1]
    assert any(re.match(r"  mean μ of log size: ", line) for line in lines)
    assert lines[-1] == f"report: {tmp_path / 'spines-spines' / 'report.html'}"
    assert command(path) == 0  # replaces its own report


def test_presence_alone_gives_survival_and_turnover(tmp_path, capsys):
    table = truth(n_spines=60)
    rows = ["spine,session,present"] + [
        f"{entry.spine},{entry.time:g},{int(entry.present)}" for entry in table.frame.itertuples()
    ]
    assert command(write(tmp_path, "\n".join(rows))) == 0
    printed = capsys.readouterr().out
    assert "not computed: no process is fitted: the table has no sizes" in printed
    assert "lifetimes of new spines; best model by AIC" in printed
    assert (tmp_path / "spines-spines" / "figures" / "turnover.png").exists()
    assert not (tmp_path / "spines-spines" / "figures" / "sizes.png").exists()


def test_a_tiny_table_reports_what_is_missing(tmp_path, capsys):
    path = write(tmp_path, "spine,day,volume\na,0,0\na,1,0.5\nb,0,0.7\nb,1,0.6\n")
    assert command(path) == 0
    printed = capsys.readouterr().out
    assert "no process is fitted: sizes must be at least 12, got 3" in printed
    assert "no survival model is fitted: 0 new spines disappeared, 3 are needed" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv"], "none.csv"),
        (["t.csv", "--out", "t.csv"], "--out must be a folder"),
        (["t.csv", "--out", "full"], "--out must be new, empty or an earlier report"),
        (["t.csv", "--out", "no/where"], "--out must be in an existing folder"),
        (["t.csv", "--columns", "spine"], "--columns must be ROLE=NAME"),
        (["t.csv", "--columns", "spine=x"], "must have one column for spine"),
        (["t.csv", "--columns", "mouse=x"], "has the column roles spine, time"),
        (["t.csv", "--absent", "never"], "absent must be zero, empty or row"),
        (["t.csv", "--by", "drug"], "must have one column for --by"),
        (["t.csv", "--threshold", "low"], "--threshold must be a size > 0"),
        (["t.csv", "--threshold", "-1"], "--threshold must be a finite number > 0"),
        (["t.csv", "--seed", "x"], "--seed must be a whole number"),
        (["t.csv", "--sheet", "x"], "sheet needs an .xlsx file"),
    ],
)
def test_bad_use_is_one_line_and_exit_code_two(tmp_path, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "spine,time,size\na,0,1\na,1,1\n", "t.csv")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    assert command(*arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert [p.name for p in (tmp_path / "full").iterdir()] == ["mine"]
