"""The README keeps its word: its code runs, its table is what runs measured."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from synsamp.errors import SynsampError
from synsamp.runs import execute
from toys.app import TOYS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
import readme_claims  # noqa: E402


def test_the_ten_lines_run_and_sample_the_right_posterior():
    page = (ROOT / "README.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.S).group(1)
    names = {}
    exec(code, names)
    theta = names["result"].theta.values
    # The exact posterior mean of θ₁θ₂, by summing over a grid.
    grid = np.linspace(-7, 7, 801)
    a, b = np.meshgrid(grid, grid)
    misfit = ((names["responses"][:, None, None] - a * b) ** 2).sum(0)
    density = np.exp(-misfit / 2 - (a**2 + b**2) / 2)
    exact = (a * b * density).sum() / density.sum()
    means = theta.prod(axis=2).mean(axis=1)  # one per chain, independent
    error = means.std(ddof=1) / np.sqrt(len(means))
    # t with 7 degrees of freedom at p = 1e-3; Euler's bias at this step was measured as -0.0125.
    tolerance = 5.4 * error + 0.02
    assert abs(means.mean() - exact) < tolerance
    for prior_or_likelihood_alone in (0.0, names["responses"].mean()):
        assert abs(means.mean() - prior_or_likelihood_alone) > tolerance


def test_the_protocol_runs_as_printed():
    page = (ROOT / "README.md").read_text()
    code = re.findall(r"```python\n(.*?)```", page, re.S)[1]
    names = {}
    exec(code, names)
    data = names["data"]
    assert data["control/active/active"].sizes == {"time": 41, "post": 5}
    # a row just before the lesion and a row just after it
    assert (data["active/time"].values == 400).sum() == 2
    assert (data["active/active"].values[-1, :2] == 0).all()


def test_links_lead_somewhere():
    pages = [page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "docs").glob("*.md"))]
    for name in ("README.md", "CONTRIBUTING.md", *pages):
        page = ROOT / name
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{name}: {target}"


def test_the_table_is_what_the_runs_measured(tmp_path):
    execute(TOYS.find("walk").load(), tmp_path / "all" / "walk")
    execute(TOYS.find("stroll").load(), tmp_path / "all" / "a", seed=4)
    page = tmp_path / "page.md"
    page.write_text(f"before\n{readme_claims.BEGIN}\nstale\n{readme_claims.END}\nafter\n")
    for _ in range(2):  # writing again changes nothing
        readme_claims.main([str(tmp_path / "all"), "--into", str(page)], TOYS)
        text = page.read_text()
        assert text.startswith("before\n")
        assert text.endswith("after\n")
        assert "stale" not in text
        assert text.count("| The walk goes very far |") == 2
        assert text.count("**fails**") == 2
        assert text.count("**undecided**") == 2
        tally = "1 holds, 1 fails, 1 undecided"
        assert f"`walk` (quick preset, n = 1): {tally}; `stroll` (quick preset, n = 1)" in text


def test_a_page_without_markers_is_left_alone(tmp_path):
    execute(TOYS.find("stroll").load(), tmp_path / "run")
    page = tmp_path / "page.md"
    page.write_text("mine")
    with pytest.raises(SynsampError, match="must hold"):
        readme_claims.main([str(tmp_path / "run"), "--into", str(page)], TOYS)
    assert page.read_text() == "mine"


def test_the_readme_has_the_markers():
    page = (ROOT / "README.md").read_text()
    assert readme_claims.insert(page, "x") != page
