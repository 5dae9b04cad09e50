"""The chart at the top of docs/reference/benchmarks.md, from the tables on that page.

python -m tools.benchmark_chart
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from synsamp.figures.style import BLUE, GRAY, ORANGE, STYLE

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "benchmarks.md"
PICTURE = PAGE.parents[1] / "images" / "benchmarks.svg"
Row = dict[str, str]


def table(page: str, name: str) -> list[Row]:
    """The rows of a benchmark's first table."""
    section = page.partition(f"<!-- {name}: begin -->")[2].partition(f"<!-- {name}: end -->")[0]
    lines = re.findall(r"^\|(.*)\|$", section, re.M)
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=False)) for row in cells[2:]]


def ratios(page: str) -> dict[str, float]:
    """By peer and task: how many times as long it takes as synsamp for the same result."""
    found: dict[str, float] = {}
    for name, task in (("rule", "Langevin updates"), ("rbm", "Boltzmann machine")):
        by_peer: dict[str, list[float]] = {}
        for row in table(page, name):
            peer = row.get("sampler") or row["by"]
            if peer != "synsamp":
                by_peer.setdefault(peer, []).append(float(row["time / synsamp"]))
        found |= {f"{task}: {p}": float(np.exp(np.log(v).mean())) for p, v in by_peer.items()}
    spiking = table(page, "spiking")[0]
    brian = re.search(r"(Brian2)[^|]*: ([\d.]+) us", spiking["against"])
    if brian:
        found["network spike: Brian2"] = float(brian[2]) / float(spiking["us per spike"])
    posteriors: dict[str, dict[str, float]] = {}
    for row in table(page, "sampling"):
        posteriors.setdefault(row["posterior"], {})[row["method"]] = float(row["ESS per s"])
    for posterior, speeds in posteriors.items():
        if "blackjax NUTS" in speeds:
            ratio = speeds["synsamp, Underdamped"] / speeds["blackjax NUTS"]
            found[f"effective sample, {posterior}: NUTS"] = ratio
    steps = {(row["method"], row["parameters"]): row["ms per step"] for row in table(page, "jax")}
    for method, size in steps:
        if method == "blackjax SGLD":
            ratio = float(steps[method, size]) / float(steps["synsamp", size])
            found[f"step of {int(size):,} parameters in JAX: SGLD"] = ratio
    return found


def draw(found: dict[str, float], picture: Path = PICTURE) -> None:
    """A bar per peer; to the right of 1 synsamp is faster."""
    names = sorted(found, key=lambda name: found[name])
    values = [found[name] for name in names]
    with mpl.rc_context({**STYLE, "svg.hashsalt": "synsamp", "svg.fonttype": "none"}):
        figure: Any = Figure(figsize=(8, 0.3 * len(names) + 1.2), layout="constrained")
        axes = figure.subplots()
        colours = [BLUE if value >= 1 else ORANGE for value in values]
        axes.barh(names, np.array(values) - 1, left=1, color=colours, height=0.6)
        for place, value in enumerate(values):
            text = f" {value:.2g}× " if value < 100 else f" {value:,.0f}× "
            axes.text(value, place, text, va="center", ha="left" if value >= 1 else "right")
        axes.axvline(1, color=GRAY, lw=0.8)
        axes.set(xscale="log", xlim=(min(0.3, *values) / 1.5, max(values) * 3))
        axes.set_xlabel("time of the other tool relative to synsamp (log scale)")
        figure.savefig(picture, metadata={"Date": None})


def main() -> None:
    """Draw the chart from the tables on the page."""
    draw(ratios(PAGE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
