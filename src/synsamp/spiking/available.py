"""Is there enough memory? Asked before anything large is allocated."""

from __future__ import annotations

import os
from pathlib import Path

from synsamp.errors import refuse


def available_bytes() -> int:
    """Memory that processes may still take, as far as the system tells; else 2**62."""
    found = 2**62
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration, ValueError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return found


def require_memory(what: str, count: float, bytes_each: float) -> None:
    """Raise an error unless ``count`` of something fit into memory."""
    wanted, available = count * bytes_each, available_bytes()
    if wanted > available:
        raise refuse(
            what,
            f"must fit into memory: {wanted:,.0f} bytes are wanted, {available:,} are available",
            f"about {count:,.0f}",
            f"at {bytes_each:.0f} bytes each, {available / bytes_each:,.0f} would fit",
        )
