"""The code of the README runs, and links on all pages lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]


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
    assert names["result"].r_hat.max() < 1.01
    assert names["result"].ess_bulk.min() >= 400
    # t with 7 degrees of freedom at p = 1e-3, and room for the bias of the step.
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
    assert np.isclose(data["active/time"].values, 400, rtol=1e-12).sum() == 2
    assert (data["active/active"].values[-1, :2] == 0).all()


def test_links_lead_somewhere():
    pages = [page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "docs").glob("*.md"))]
    for name in ("README.md", "CONTRIBUTING.md", *pages):
        page = ROOT / name
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{name}: {target}"


def slugs(page):
    """Anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def test_links_lead_to_headings():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text("utf-8")):
            found = page.parent / target if target else page
            assert anchor in slugs(found), f"{page.name}: {target}#{anchor}"
