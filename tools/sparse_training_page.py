"""Write the table of short sparse runs in docs/paper/deep-experiments.md from docs/data."""

from __future__ import annotations

import pandas as pd

from benchmarks import Row, markdown_table
from synsamp.runs.storage.atomic import replacing
from tools.markdown import ROOT, replace_between

DATA = ROOT / "docs" / "data" / "sparse_training.csv"
PAGE = ROOT / "docs" / "paper" / "deep-experiments.md"


def table(rows: pd.DataFrame) -> str:
    """Mean and range of the accuracy of every way over seeds."""
    lines: list[Row] = []
    for way, part in rows.groupby("way", sort=False):
        percent = 100 * part["accuracy"]
        seeds = f"{percent.min():.1f} to {percent.max():.1f}"
        lines.append({"": str(way), "correct, %": f"{percent.mean():.1f}", "seeds": seeds})
    return markdown_table(lines)


def write_page() -> None:
    """Write the table."""
    text = replace_between(
        PAGE.read_text(encoding="utf-8"),
        "<!-- sparse: begin -->",
        "<!-- sparse: end -->",
        table(pd.read_csv(DATA)),
    )
    with replacing(PAGE) as file:
        file.write(text.encode())
