"""Calibrate the fit of spine tables and write the results into the page of its methods.

    OPENBLAS_NUM_THREADS=1 python -m tools.docs_spines measure FILE.json [SPINES …]
    python -m tools.docs_spines write FILE.json …                            # table and picture

For each number of spines and sessions, tables are simulated with new parameters each time
and fitted, every second one with spines seen by their true instead of their measured size;
counted is how often the 95 % interval holds the truth, and how wide it is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from synsamp.analysis.intervals import share_interval
from synsamp.figures.style import BLUE, GRAY, STYLE
from synsamp.spines.fit import fit_process
from synsamp.spines.process import OneTimeScale, RandomWalk
from synsamp.spines.simulate import simulated_table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "spines-methods.md"
PICTURE = ROOT / "docs" / "images" / "spines-calibration.png"
BEGIN = "<!-- calibration: begin (written by tools/docs_spines.py) -->"
END = "<!-- calibration: end -->"
NEEDS = ROOT / "src" / "synsamp" / "report" / "spines" / "needs.json"
ENOUGH = 0.8
"""Fraction of tables that must answer a question for a size to count as sufficient."""

SIZES = [(n, k) for k in (10, 5, 30) for n in (20, 60, 200, 600, 2000)]
REPETITIONS = {20: 100, 60: 100, 200: 60, 600: 30, 2000: 15}
ROUNDS = 20
QUESTIONS = {
    "bT": "b·T within a factor 2",
    "spread": "s within a factor 1.5",
    "mean": "μ within ± s/2",
    "relaxation": "τ within a factor 3",
    "noise": "noise distinguished from 0",
    "walk": "return to a mean, not a walk",
}
NAMES = {"mean": "μ", "spread": "s", "relaxation": "τ", "noise": "η", "bT": "b·T"}


def truth(rng: np.random.Generator) -> dict[str, float]:
    """Plausible parameters, in units of the spread; intervals are about 4 days."""
    return {
        "mean": float(rng.uniform(-1.0, 0.5)),
        "spread": 1.0,
        "relaxation": float(np.exp(rng.uniform(np.log(8.0), np.log(60.0)))),
        "noise": float(np.exp(rng.uniform(np.log(0.1), np.log(0.4)))),
    }


def one(n: int, sessions: int, repetition: int) -> dict[str, object]:
    """Simulate a table, fit it, and keep the truth with the intervals."""
    rng = np.random.default_rng([n, sessions, repetition])
    true = truth(rng)
    times = np.cumsum(rng.integers(2, 7, sessions)).astype(float)  # unequal intervals
    table = simulated_table(
        **true,
        n_spines=n,
        times=times,
        threshold_on="true" if repetition % 2 else "measured",
        seed=int(rng.integers(2**31)),
    )
    seen = table.observations()
    fitted = fit_process(seen, OneTimeScale)
    true["bT"] = true["spread"] ** 2 / true["relaxation"]
    found = {name: [true[name], fitted.value(name), *fitted.interval(name)] for name in NAMES}
    ahead = None
    if n <= 60:
        walk = fit_process(seen, RandomWalk, threshold_on=fitted.threshold_on)
        ahead = walk.aic - fitted.aic
    return {"n": n, "sessions": sessions, "found": found, "ahead_of_walk": ahead}


def measure(target: Path, *spines: str) -> None:
    """Run all repetitions in rounds over all sizes, writing after each table.

    An interrupted run continues when it is started again.
    """
    rows: list[dict[str, object]] = json.loads(target.read_text()) if target.exists() else []
    sizes = [size for size in SIZES if not spines or str(size[0]) in spines]
    for share in np.arange(1, ROUNDS + 1) / ROUNDS:
        for n, sessions in sizes:
            done = sum((row["n"], row["sessions"]) == (n, sessions) for row in rows)
            for k in range(done, round(share * REPETITIONS[n])):
                rows.append(one(n, sessions, k))
                target.write_text(json.dumps(rows))
        print(f"{share:.0%} of all", flush=True)


def covered(rows: list[dict], name: str) -> np.ndarray:
    """In which tables the interval contains the true value."""
    values = np.array([row["found"][name] for row in rows], float)
    return (values[:, 2] <= values[:, 0]) & (values[:, 0] <= values[:, 3])


def answered(rows: list[dict]) -> dict[str, float]:
    """Fraction of tables that answer each question."""
    found = {k: np.array([row["found"][k] for row in rows], float) for k in NAMES}
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = {k: v[:, 3] / v[:, 2] for k, v in found.items()}
    spread = found["spread"][:, 1]
    width = found["mean"][:, 3] - found["mean"][:, 2]
    ahead = [row["ahead_of_walk"] for row in rows if row["ahead_of_walk"] is not None]
    return {
        "bT": float((ratio["bT"] <= 2).mean()),
        "spread": float((ratio["spread"] <= 1.5).mean()),
        "mean": float((width <= spread).mean()),
        "relaxation": float((ratio["relaxation"] <= 3).mean()),
        "noise": float((found["noise"][:, 2] > 0).mean()),
        "walk": float((np.array(ahead) > 2).mean()) if ahead else np.nan,
    }


def needs(groups: dict[tuple[int, int], list[dict]]) -> dict[str, list[tuple[int, int]]]:
    """For each question the smallest sufficient number of spines at each number of sessions."""
    proportions = {size: answered(part) for size, part in groups.items()}
    found: dict[str, list[tuple[int, int]]] = {}
    for question in QUESTIONS:
        found[question] = []
        for sessions in sorted({k for _, k in groups}):
            sizes = [
                n for n, k in groups if k == sessions and proportions[n, k][question] >= ENOUGH
            ]
            # Skipped if fewer sessions suffice with as few spines.
            if sizes and all(min(sizes) < n for n, _ in found[question]):
                found[question].append((min(sizes), sessions))
    return found


def write(*sources: Path | str) -> None:
    """The tables between the marks of the page, and the picture."""
    rows = [row for source in sources for row in json.loads(Path(source).read_text())]
    groups = {
        size: [r for r in rows if (r["n"], r["sessions"]) == size]
        for size in sorted(SIZES)
        if any((r["n"], r["sessions"]) == size for r in rows)
    }
    head = ["spines", "sessions", "tables", *(f"{v} %" for v in NAMES.values())]
    lines = ["| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for (n, k), part in groups.items():
        proportions = [f"{100 * covered(part, name).mean():.0f}" for name in NAMES]
        lines.append("| " + " | ".join([f"{n:,}", str(k), str(len(part)), *proportions]) + " |")
    lines += ["", *pooled(rows), ""]
    questions = list(QUESTIONS.values())
    lines += [
        "Percentage of these tables in which a question was answered:",
        "",
        "| spines | sessions | " + " | ".join(questions) + " |",
        "|" + " ---: |" * (2 + len(questions)),
    ]
    for (n, k), part in groups.items():
        proportions = ["" if np.isnan(v) else f"{100 * v:.0f}" for v in answered(part).values()]
        lines.append(f"| {n:,} | {k} | " + " | ".join(proportions) + " |")
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")
    NEEDS.write_text(json.dumps(needs(groups), indent=2) + "\n")
    draw(groups)
    print(f"wrote {PAGE}, {NEEDS} and {PICTURE}")


def pooled(rows: list[dict]) -> list[str]:
    """Coverage over all tables, and over those of a number of spines, with its own interval."""
    numbers = sorted({row["n"] for row in rows})
    parts = {"all": rows} | {f"{n:,}": [r for r in rows if r["n"] == n] for n in numbers}
    lines = [
        "All sessions together, with the 95 % interval of each percentage:",
        "",
        "| spines | tables | " + " | ".join(NAMES.values()) + " |",
        "|" + " ---: |" * (2 + len(NAMES)),
    ]
    for words, part in parts.items():
        proportions = [share_interval(covered(part, name)) for name in NAMES]
        cells = [f"{100 * s.value:.1f} ({100 * s.low:.0f}–{100 * s.high:.0f})" for s in proportions]
        lines.append(f"| {words} | {len(part)} | " + " | ".join(cells) + " |")
    return lines


def draw(groups: dict[tuple[int, int], list[dict]]) -> None:
    """Coverage with its Monte-Carlo interval, and estimates against the truth."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 5.2))
        axes = figure.subplots(2, 5, height_ratios=(1, 1.15))
        numbers = sorted({n for n, _ in groups})
        for column, (name, symbol) in enumerate(NAMES.items()):
            top, bottom = axes[0, column], axes[1, column]
            top.axhline(0.95, color=GRAY, lw=0.8)
            # All sessions together: separate error bars of so few tables would overlap.
            parts = [[row for g in groups if g[0] == n for row in groups[g]] for n in numbers]
            found = [share_interval(covered(part, name)) for part in parts]
            value = np.array([f.value for f in found])
            bars = [value - [f.low for f in found], [f.high for f in found] - value]
            top.errorbar(numbers, value, bars, fmt="o", ms=4, lw=1.2, color=BLUE)
            top.set(xscale="log", ylim=(0.5, 1.02), title=symbol, xlabel="spines")
            top.set(xticks=[20, 200, 2000], xticklabels=["20", "200", "2,000"])
            top.minorticks_off()
            if column:
                top.set(yticklabels=[])
            _against_truth(bottom, groups, name, symbol)
        axes[0, 0].set(ylabel="intervals that contain\nthe true value (nominal 95 %)")
        axes[1, 0].set(ylabel="estimate")
        figure.savefig(PICTURE, dpi=150)


def _against_truth(axes, groups: dict, name: str, symbol: str) -> None:
    """200 and 2,000 spines over 10 sessions."""
    logarithmic = name in ("relaxation", "bT")
    for size, colour, alpha in (((200, 10), GRAY, 0.45), ((2000, 10), BLUE, 0.9)):
        if size in groups:
            values = np.array([row["found"][name] for row in groups[size]], float)
            axes.plot(
                values[:, 0] + (0.012 * (size[0] == 2000) if name == "spread" else 0),
                values[:, 1],
                ".",
                ms=4,
                color=colour,
                alpha=alpha,
                label=f"{size[0]:,} spines",
            )
    if name == "spread":
        axes.axhline(1.0, color=GRAY, lw=0.8)
        axes.set(xticks=[1.0], xlim=(0.95, 1.06), ylim=(0.5, 1.8))
    else:
        ends = axes.get_xlim()
        axes.plot(ends, ends, color=GRAY, lw=0.8)
        axes.set(xlim=ends)
    if logarithmic:
        axes.set(xscale="log", yscale="log")
        ticks = [10, 30, 100] if name == "relaxation" else [0.02, 0.05, 0.1]
        for which in (axes.set_xticks, axes.set_yticks):
            which(ticks, [f"{t:g}" for t in ticks])
        axes.minorticks_off()
    axes.set(xlabel=f"true {symbol}")
    if name == "mean":
        axes.legend(fontsize=7, loc="upper left", handletextpad=0)


if __name__ == "__main__":
    {"measure": measure, "write": write}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
