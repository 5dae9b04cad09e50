"""Tables for the tests, as text, from tables of known truth."""

from __future__ import annotations

import numpy as np

from synsamp.spines import simulated_table


def write(folder, text, name="spines.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def truth(**given):
    """Log sizes of mean −0.5, spread 1 and relaxation time 20 days, seen only above size 1."""
    return simulated_table(**{"n_spines": 300, "times": np.arange(12) * 3.0, **given})


def long_text(table, absent="0", delimiter=",", decimal=".", header=None):
    """One row per spine and session; ``absent`` None leaves the row out."""
    rows = [delimiter.join(header or ("animal", "spine", "time (days)", "volume"))]
    for entry in table.frame.itertuples():
        if not entry.present and absent is None:
            continue
        size = f"{entry.size:.9g}".replace(".", decimal) if entry.present else absent
        time = f"{entry.time:g}".replace(".", decimal)
        rows.append(delimiter.join((entry.animal, entry.spine, time, size)))
    return "\n".join(rows) + "\n"


PUBLISHED = (
    (1420, 422, 517),
    (1515, 473, 495),
    (1537, 535, 371),
    (1373, 385, 478),
    (1466, 485, 407),
)
"""Spines at risk, lost and new in the five intervals of Loewenstein, Yanover and Rumpel (2015)."""


def published_text(seed=0):
    """A generated file with the layout and the counts of that table: no header, no returns.

    Cell, dendrite, spine, session and size. Which spines are lost depends on their size.
    """
    rng = np.random.default_rng(seed)
    n = PUBLISHED[0][0]
    x, names, rows = rng.normal(0.5, 0.8, n), list(range(n)), []
    for k, (at_risk, lost, new) in enumerate((*PUBLISHED, (1388, 0, 0))):
        assert len(names) == at_risk
        for name, value in zip(names, x, strict=True):
            where = f"{name % 8 + 1},{name % 40 + 1},{name + 1}"
            rows.append(f"{where},{k + 1},{np.exp(value):.6g}")
        if not lost:
            break
        x = 0.5 + 0.8 * (x - 0.5) + 0.48 * rng.standard_normal(x.size)
        stay = np.sort(np.argsort(x + 0.5 * rng.standard_normal(x.size))[lost:])
        n += new
        names = [names[i] for i in stay] + list(range(n - new, n))
        x = np.r_[x[stay], rng.normal(0.0, 0.6, new)]
    return "\n".join(rows) + "\n"
