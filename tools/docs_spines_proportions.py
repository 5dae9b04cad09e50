"""Coverage of the intervals of survival proportions, for docs/reference/spines-methods.md.

    python tools/docs_spines_proportions.py

The true values are means over ten tables of 20,000 spines, accurate to 0.2 %.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from synsamp.analysis.intervals import share_interval
from synsamp.spines.lifetimes import new_spine_lifetimes, proportions_at
from synsamp.spines.proportions import surviving_at
from synsamp.spines.simulate import simulated_table

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "spines-methods.md"
BEGIN = "<!-- proportions: begin (written by tools/docs_spines_proportions.py) -->"
END = "<!-- proportions: end -->"
TIMES = np.arange(10) * 4.0
AT = np.array([4.0, 8.0, 16.0])
SIZES = ((30, 1), (100, 1), (400, 1), (100, 4), (400, 4), (400, 8))
TABLES = 1000


def truth() -> np.ndarray:
    """Proportions of new spines surviving one, two and four intervals."""
    tables = (simulated_table(n_spines=20_000, times=TIMES, seed=10**6 + k) for k in range(10))
    return np.mean(
        [surviving_at(new_spine_lifetimes(table).durations, AT) for table in tables], axis=0
    )


def main() -> None:
    """Simulate, count, write."""
    true = truth()
    head = ["spines", "animals", "tables", *(f"{at:g} days" for at in AT)]
    lines = ["| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for n, animals in SIZES:
        held = []
        for k in range(TABLES):
            table = simulated_table(n_spines=n, times=TIMES, n_animals=animals, seed=k)
            found = proportions_at(table, new_spine_lifetimes(table), AT)
            if len(found) == len(AT):  # else too few lifetimes remain
                held.append((found.low.values <= true) & (true <= found.high.values))
        proportions = [share_interval(column) for column in np.transpose(held)]
        cells = [f"{100 * s.value:.1f} ({100 * s.low:.0f}–{100 * s.high:.0f})" for s in proportions]
        lines.append(f"| {n} | {animals} | {len(held)} | " + " | ".join(cells) + " |")
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
