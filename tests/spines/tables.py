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
