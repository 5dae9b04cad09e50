"""Numbers as words, the same in the terminal, the report and the README."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synsamp.experiments.base import Band
    from synsamp.runs.storage.folder import ClaimRecord


def number(value: float | None) -> str:
    """Write a number with three significant digits, and thousands without an exponent."""
    if value is None:
        return "not finite"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    else:
        text = f"{value:.2e}"
    return text.replace("-", "−")


def rule_text(claim: ClaimRecord) -> str:
    """Write what a claim must meet: its band or, over an ensemble, that of its whole interval."""
    return "all > 0.5" if claim.interval is not None else band_text(claim.band)


def band_text(band: Band) -> str:
    """Write the band in words: ``0.1 to 0.3``, ``≥ 5``, ``≤ 2``."""
    low, high = band
    if low is None:
        return f"≤ {number(high)}"
    if high is None:
        return f"≥ {number(low)}"
    return number(low) if low == high else f"{number(low)} to {number(high)}"
