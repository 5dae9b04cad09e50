"""Labels and ticks shared by the figures of a spine table."""

from __future__ import annotations

from typing import Any

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from synsamp.spines.table import SpineTable


def shown(name: str, longest: int = 24) -> str:
    """A name from the table as text of a figure: printable, no formulas, not too long."""
    text = "".join(c if c.isprintable() else "?" for c in name).replace("$", r"\$")
    return text if len(text) <= longest else text[: longest - 1] + "…"


def time_label(table: SpineTable) -> str:
    """Time with its unit."""
    return f"time ({table.time_unit}s)" if table.time_unit else "time"


def size_label(table: SpineTable) -> str:
    """The measured size with its unit."""
    name = shown(table.size_name.partition("(")[0].partition("[")[0].strip().lower() or "size")
    return f"{name} ({shown(table.size_unit)})" if table.size_unit else name


def log_axis(axis: Any) -> None:
    """Few ticks on a logarithmic axis, as plain numbers, so that labels do not overlap."""
    low, high = axis.get_view_interval()
    steps = (1, 2, 5) if high / low < 60 else (1, 3) if high / low < 8000 else (1,)
    ticks = [m * 10.0**e for e in range(-12, 13) for m in steps]
    axis.set_major_locator(FixedLocator([t for t in ticks if low <= t <= high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
