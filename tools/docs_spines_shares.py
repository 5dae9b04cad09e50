"""How often the intervals of survival shares hold the truth; written into docs/spines.md.

    python -m tools.docs_spines_shares

The truth is the mean over ten tables of 20,000 spines, a fifth of a per cent or better.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from synsamp.analysis.intervals import share_interval
from synsamp.spines.lives import new_lives, shares_at
from synsamp.spines.shares import alive_at
from synsamp.spines.simulate import simulated_table

PAGE = Path(__file__).parents[1] / "docs" / "spines.md"
BEGIN = "<!-- shares: begin (written by tools/docs_spines_shares.py) -->"
END = "<!-- shares: end -->"
TIMES = np.arange(10) * 4.0
AT = np.array([4.0, 8.0, 16.0])
SIZES = ((30, 1), (100, 1), (400, 1), (100, 4), (400, 4), (400, 8))
TABLES = 1000


def truth() -> np.ndarray:
    """Shares of new spines alive after one, two and four intervals."""
    tables = (simulated_table(n_spines=20_000, times=TIMES, seed_=10**6 + k) for k in range(10))
    return np.mean([alive_at(new_lives(table).times, AT) for table in tables], axis=0)


def main() -> None:
    """Simulate, count, write."""
    true = truth()
    head = ["spines", "animals", "tables", *(f"{at:g} days" for at in AT)]
    lines = ["| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for n, animals in SIZES:
        held = []
        for k in range(TABLES):
            table = simulated_table(n_spines=n, times=TIMES, n_animals=animals, seed_=k)
            found = shares_at(table, new_lives(table), AT)
            if len(found) == len(AT):  # else too few lives are left to say anything
                held.append((found.low.values <= true) & (true <= found.high.values))
        shares = [share_interval(column) for column in np.transpose(held)]
        cells = [f"{100 * s.value:.1f} ({100 * s.low:.0f}–{100 * s.high:.0f})" for s in shares]
        lines.append(f"| {n} | {animals} | {len(held)} | " + " | ".join(cells) + " |")
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
