"""Write the tables of docs/howto/sampling-gain.md from docs/data/sampling_gain.csv."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

from benchmarks import markdown_table
from synsamp.runs.storage.atomic import replacing
from tools.markdown import ROOT, replace_between

DATA = ROOT / "docs" / "data" / "sampling_gain.csv"
PAGE = ROOT / "docs" / "howto" / "sampling-gain.md"
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


def summary(label: str, part: pd.DataFrame, against: pd.DataFrame | None) -> dict[str, Any]:
    """A row: means with 95 % intervals over seeds, and the paired difference of the log score."""
    row: dict[str, Any] = {"": label}
    for column, title in SCORES.items():
        percent = column == "accuracy"
        row[title] = interval(part[column] * (100 if percent else 1), ".2f" if percent else ".3f")
    if against is not None:
        paired = part.set_index("seed")["log score"] - against.set_index("seed")["log score"]
        is_it = (part["method"].iloc[0], part["width"].iloc[0]) == (
            against["method"].iloc[0],
            against["width"].iloc[0],
        )
        row["log score minus Adam's"] = "–" if is_it else interval(paired, ".4f")
    return row


def tables(rows: pd.DataFrame) -> dict[str, str]:
    """Every table of the page."""
    found = {}
    main = rows[rows["table"] == "methods"]
    for task in main["task"].unique():
        own = main[main["task"] == task]
        groups = own.groupby("method", sort=False)
        reference = own[own["method"] == "Adam"]
        found[task] = markdown_table(
            [
                summary(str(name), part, reference) | {"rate": float(part["rate"].iloc[0])}
                for name, part in groups
            ]
        )
    mnist = main[main["task"] == "mnist"]
    burnt = rows[rows["table"] == "burn-in"]
    found["burn-in"] = markdown_table(
        [summary(str(name), part, None) for name, part in burnt.groupby("method", sort=False)]
    )
    cooled = pd.concat([mnist, rows[rows["table"] == "temperatures"]])
    by_temperature = {
        f"T = {T}": cooled[cooled["method"].isin([f"`Underdamped`, T = {T}", own_name])]
        for T, own_name in (
            ("0.001", ""),
            ("0.01", ""),
            ("0.1", ""),
            ("1", "`Underdamped` (SGHMC), T = 1"),
        )
    }
    found["temperatures"] = markdown_table(
        [summary(name, part, None) for name, part in by_temperature.items()]
    )
    wide = rows[rows["table"] == "widths"]
    names = list(wide["method"].unique())
    wide = pd.concat([wide, mnist[mnist["method"].isin(names)]]).sort_values("width", kind="stable")
    lines = []
    for name in names:
        own = wide[wide["method"] == name]
        for width, part in own.groupby("width"):
            lines.append({"method": name, **summary(f"{width:g}", part, None)})
    for line in lines:
        line["width"] = line.pop("")
    order = ["method", "width", *SCORES.values()]
    found["widths"] = markdown_table([{k: line[k] for k in order} for line in lines])
    return found


def store(path: Path) -> None:
    """Keep the rows of a run."""
    shutil.copyfile(path, DATA)


def write_page() -> None:
    """Write all tables."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(pd.read_csv(DATA)).items():
        text = replace_between(text, f"<!-- {name}: begin -->", f"<!-- {name}: end -->", table)
    with replacing(PAGE) as file:
        file.write(text.encode())
