"""A panel is cut out of its figure, with the lettering of a paper or a talk."""

from __future__ import annotations

import pytest
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from synsamp.cli import run_command_line
from synsamp.errors import SynsampError
from synsamp.experiments.base import Experiment
from synsamp.experiments.registry import Entry, Registry
from synsamp.report import panel
from synsamp.report.panel import save_panel
from synsamp.runs import execute


def draw(parameters, runs):
    figure = Figure(figsize=(7, 2))
    first, second, last = figure.subplots(1, 3)
    first.set_title("A  first")
    first.plot([0, 1], label="line")
    first.text(0.5, 0.5, "small", fontsize=6)
    second.plot([1, 0])  # of panel A, too
    last.set_title("B  last")
    figure.legend(loc="outside lower center")
    return {"AB": figure}


EXPERIMENT = Experiment(
    name="panels", title="Panels", run=lambda p, seed: xr.Dataset({"x": seed}), draw=draw
)
REGISTRY = Registry([Entry("panels", "", "Panels", lambda: EXPERIMENT)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("panels") / "run")


def size(path):
    with Image.open(path) as image:
        return tuple(
            inches / dpi for inches, dpi in zip(image.size, image.info["dpi"], strict=True)
        )


def test_panels_are_cut_out_and_larger_for_a_talk(folder, tmp_path):
    found = {}
    for style in ("paper", "talk"):
        for name in ("A", "B", "AB"):
            save_panel(EXPERIMENT, folder, name, style, out := tmp_path / f"{name}-{style}.png")
            found[name, style] = size(out)
        whole = found["AB", style][0]
        assert found["A", style][0] == pytest.approx(2 / 3 * whole, rel=0.15)
        assert found["B", style][0] == pytest.approx(1 / 3 * whole, rel=0.2)
    assert found["AB", "talk"][0] == pytest.approx(1.2 * found["AB", "paper"][0], rel=0.05)


def test_text_of_every_kind_is_enlarged():
    sizes = []
    for style in ("paper", "talk"):
        figure = draw(None, [])["AB"]
        panel._enlarge(figure, panel.STYLES[style])
        texts = {text.get_text(): text.get_fontsize() for text in figure.findobj(Text)}
        sizes.append({key: texts[key] for key in ("small", "A  first", "line", "0.5")})
    for key, of_paper in sizes[0].items():
        assert sizes[1][key] == pytest.approx(1.45 * of_paper), key


@pytest.mark.parametrize(
    ("suffix", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_the_suffix_is_the_format(folder, tmp_path, capsys, suffix, start):
    out = tmp_path / f"figure.{suffix}"
    words = ["figure", str(folder.path), "--panel", "A", "--out", str(out)]
    assert run_command_line(words, REGISTRY) == 0
    assert out.read_bytes().startswith(start)
    assert capsys.readouterr().out == f"wrote {out}\n"
    assert run_command_line(words, REGISTRY) == 2  # nothing is replaced
    assert "must be a new file" in capsys.readouterr().err


def test_what_cannot_be_drawn_says_why(folder, tmp_path, capsys):
    with pytest.raises(SynsampError, match=r"--panel must be one of A, AB, B .* got 'C'"):
        save_panel(EXPERIMENT, folder, "C", "paper", tmp_path / "c.png")
    for words, said in (
        (["--style", "poster"], "--style must be"),
        (["--out", "figure.jpg"], "--out must end in .pdf, .svg, .png"),
    ):
        command = ["figure", str(folder.path), "--panel", "A", *words]
        assert run_command_line(command, REGISTRY) == 2
        assert said in capsys.readouterr().err
