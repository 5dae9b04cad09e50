"""Code and commands of the README work as printed, and links on all pages lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line.split("#")[0].strip() for line in re.findall(r"^    (\S.*)$", README, re.M)]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"] + [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if not {"_build", "generated", "jupyter_execute"} & {*page.parts}
]


def test_the_ten_lines_run_draw_and_sample_the_right_posterior(tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    names = {}
    exec(code, names)
    assert (tmp_path / "posterior.png").stat().st_size > 5_000
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


def test_the_readme_has_two_screens():
    assert len(README.split()) < 700


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("make ")])
def test_a_printed_target_exists(line):
    done = subprocess.run([*shlex.split(line), "--dry-run"], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_printed_commands_work_in_a_fresh_shell(tmp_path):
    """After the line that activates .venv; a shell without it does not find the command."""
    (tmp_path / ".venv").symlink_to(sys.prefix)
    activate = next(line for line in COMMANDS if ".venv/bin/activate" in line)
    used = [line for line in COMMANDS if line.startswith("synsamp ")]
    assert used
    helps = "\n".join(f"{' '.join(shlex.split(line)[:2])} --help" for line in used)
    for first, works in ((activate, True), ("true", False)):
        script = f"{first}\n{helps}\n"
        clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(
            ["sh", "-ec", script], cwd=tmp_path, env=clean, capture_output=True, timeout=120
        )
        assert (done.returncode == 0) == works, done.stderr.decode()


def test_experiments_that_the_readme_runs_exist():
    from synsamp.experiments.registry import REGISTRY

    runs = [shlex.split(line)[2] for line in COMMANDS if line.startswith("synsamp run ")]
    assert runs
    for name in runs:
        REGISTRY.find(name)


def slugs(page):
    """Anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", page.read_text("utf-8")):
        elsewhere = target.startswith(("http", "lab:", "lab.html"))
        if elsewhere or re.search("generated/|gallery/", target):
            continue
        found = page.parent / target if target else page
        assert found.exists(), target
        assert not anchor or anchor in slugs(found), f"{target}#{anchor}"
