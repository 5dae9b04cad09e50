"""Coverage of the intervals with renamed returns, missed spines and offsets.

For docs/reference/spines-methods.md:

    OPENBLAS_NUM_THREADS=1 python -m tools.docs_spines_parts measure FILE.json
    python -m tools.docs_spines_parts write FILE.json

Each kind of table is fitted with the part of the model that describes it, and without it as a
negative control. An interrupted run continues when it is started again.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import stats

from synsamp.spines import SpineTable, fit
from synsamp.spines.fit import Fitted, fit_process
from synsamp.spines.returns import split_returns
from synsamp.spines.simulate import simulated_table

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "spines-methods.md"
BEGIN = "<!-- parts: begin (written by tools/docs_spines_parts.py) -->"
END = "<!-- parts: end -->"
TABLES = 100
KINDS = {
    "renamed": "returning spines get new names",
    "missed": "sessions miss 5 % of the spines",
    "animal": "brightness of animals, σ 0.4",
    "session": "brightness of sessions, σ 0.25",
}
NAMES = {"mean": "μ", "spread": "s", "relaxation": "τ", "noise": "η", "bT": "b·T"}


def make(kind: str, repetition: int) -> tuple[SpineTable, dict[str, float]]:
    """A table of one kind and its true parameters."""
    rng = np.random.default_rng([21, repetition])
    true = {
        "mean": rng.uniform(-0.8, 0.5),
        "spread": 1.0,
        "relaxation": float(np.exp(rng.uniform(np.log(8), np.log(30)))),
        "noise": rng.uniform(0.1, 0.4),
    }
    table = simulated_table(
        **true,
        n_spines=150,
        n_animals=5,
        times=np.arange(0.0, 32.0, 4.0),
        threshold_on="true" if kind == "session" else "measured",
        missed=0.05 if kind == "missed" else 0.0,
        seed=repetition,
    )
    if kind == "renamed":
        table = split_returns(table)
    if kind in ("animal", "session"):
        shape = (5, 1) if kind == "animal" else (5, 8)
        offsets = (0.4 if kind == "animal" else 0.25) * rng.standard_normal(shape)
        table = replace(table, size=table.size * np.exp(offsets[table.animal_number]))
    return table, {**true, "bT": 1.0 / true["relaxation"]}


def hits(fitted: Fitted, true: dict[str, float]) -> list[bool]:
    """Whether each interval contains the true value."""
    ends = [fitted.interval(name) for name in NAMES]
    return [bool(e[0] <= true[n] <= e[1]) for e, n in zip(ends, NAMES, strict=True)]


def one(kind: str, repetition: int) -> list[list[bool]]:
    """Hits with the part and without it."""
    table, true = make(kind, repetition)
    fitted = fit(table, offsets="session" if kind == "session" else None)
    plain = replace(table, renamed=False)
    without = fit_process(
        plain.observations(), animal=plain.animal_number, missed=False, profiled=False
    )
    return [hits(fitted, true), hits(without, true)]


def measure(target: Path) -> None:
    """Fit all tables."""
    found = json.loads(target.read_text()) if target.exists() else {kind: [] for kind in KINDS}
    for k in range(TABLES):
        for kind in KINDS:
            if len(found[kind]) <= k:
                found[kind].append(one(kind, k))
        target.write_text(json.dumps(found))


def write(source: Path) -> None:
    """The table between the marks of the page."""
    found = json.loads(source.read_text())
    head = " | ".join(f"{symbol} %" for symbol in NAMES.values())
    lines = [
        f"| table | tables | {head} | without the part: lowest % |",
        "| --- | ---: |" + " ---: |" * (len(NAMES) + 1),
    ]
    for kind, words in KINDS.items():
        rows = np.array(found[kind], bool)
        own, control = rows[:, 0].mean(axis=0), rows[:, 1].mean(axis=0)
        n = len(rows)
        cells = []
        for share in own:
            ends = stats.binomtest(round(share * n), n).proportion_ci(method="wilson")
            cells.append(f"{100 * share:.0f} ({100 * ends.low:.0f}–{100 * ends.high:.0f})")
        worst = int(control.argmin())
        symbol = list(NAMES.values())[worst]
        lines.append(
            f"| {words} | {n} | {' | '.join(cells)} | {symbol}: {100 * control[worst]:.0f} |"
        )
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    {"measure": measure, "write": write}[sys.argv[1]](Path(sys.argv[2]))
