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
    for look in table.frame.itertuples():
        if not look.present and absent is None:
            continue
        size = f"{look.size:.9g}".replace(".", decimal) if look.present else absent
        time = f"{look.time:g}".replace(".", decimal)
        rows.append(delimiter.join((look.animal, look.spine, time, size)))
    return "\n".join(rows) + "\n"
