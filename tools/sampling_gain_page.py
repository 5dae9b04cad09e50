"""Write the tables of docs/howto/sampling-gain.md from docs/data/sampling_gain.csv."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

from benchmarks import markdown_table
from synsamp.runs.storage.atomic import replacing
from tools.markdown import ROOT, replace_between

DATA = ROOT / "docs" / "data" / "sampling_gain.csv"
PAGE = ROOT / "docs" / "howto" / "sampling-gain.md"
SEEDS = 8
SCORES = {
    "accuracy": "accuracy, %",
    "log score": "log score",
    "calibration error": "calibration error",
    "letters": "letters: AUC",
}


def interval(values: Any, spec: str = ".3f") -> str:
    """Mean and half of its 95 % interval over seeds."""
    half = values.std(ddof=1) / len(values) ** 0.5 * stats.t.ppf(0.975, len(values) - 1)
    return f"{values.mean():{spec}} ± {half:{spec}}".replace("-", "−")


def summary(label: str, part: pd.DataFrame) -> dict[str, Any]:
    """A row: means with 95 % intervals over seeds."""
    row: dict[str, Any] = {"": label}
    for column, title in SCORES.items():
        percent = column == "accuracy"
        row[title] = interval(part[column] * (100 if percent else 1), ".2f" if percent else ".3f")
    return row


def methods(rows: pd.DataFrame) -> str:
    """Scores of every method, and its log score minus Adam's for the same seeds."""
    lines = []
    adam = rows[rows["method"] == "Adam"].set_index("seed")["log score"]
    for name, part in rows.groupby("method", sort=False):
        paired = part.set_index("seed")["log score"] - adam
        difference = "–" if name == "Adam" else interval(paired)
        rate, width = part["rate"].iloc[0], part["width"].iloc[0]
        line = summary(str(name), part) | {"log score minus Adam's": difference}
        lines.append(line | {"rate": f"{rate:g}", "width": f"{width:g}"})
    return markdown_table(lines)


def widths(tuning: pd.DataFrame, names: list[str]) -> str:
    """Log score of validation images by the width of the prior, at the rate of each method."""
    lines = []
    for name in names:
        own = tuning[tuning["method"] == name]
        best = own.loc[own["log score"].idxmin(), "rate"]
        scores = own[own["rate"] == best].set_index("width")["log score"].sort_index()
        lines.append({"": name} | {f"{width:g}": f"{v:.3f}" for width, v in scores.items()})
    return markdown_table(lines)


def tables(rows: pd.DataFrame) -> dict[str, str]:
    """Every table of the page."""
    by_table = dict(iter(rows.groupby("table", sort=False)))
    main = by_table["methods"]
    burnt = by_table["burn-in"].groupby("method", sort=False)
    return {
        "methods": methods(main),
        "widths": widths(by_table["tuning"], list(main["method"].unique())),
        "burn-in": markdown_table([summary(str(name), part) for name, part in burnt]),
    }


def store(path: Path) -> None:
    """Keep the rows of a run, of methods for which all seeds are there."""
    rows = pd.read_csv(path)
    scored = rows[rows["table"] == "methods"].groupby("method")["seed"].nunique()
    whole = rows["method"].isin(scored.index[scored == SEEDS]) | (rows["table"] == "burn-in")
    with replacing(DATA) as file:
        file.write(rows[whole].to_csv(index=False, float_format="%.6g").encode())


def write_page() -> None:
    """Write all tables; nothing before the first full run and without the page."""
    if not (DATA.exists() and PAGE.exists()):
        return
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(pd.read_csv(DATA)).items():
        text = replace_between(text, f"<!-- {name}: begin -->", f"<!-- {name}: end -->", table)
    with replacing(PAGE) as file:
        file.write(text.encode())
