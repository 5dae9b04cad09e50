"""Numbers as words, the same in the terminal, the report and the README."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synsamp.claims import Band, Claim, Kind
    from synsamp.runs.storage.folder import ClaimRecord


WORDS = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "undecided": ("undecided", "undecided"),
    "not specific": ("not specific", "not specific"),
}


KINDS: dict[Kind, tuple[str, str]] = {
    "statement": ("the paper's statement", "the paper's statements"),
    "implication": ("implied by the paper", "implications"),
    "question": ("our own question", "our own questions"),
}
"""What a claim is, alone and counted."""


def number_text(value: float | None) -> str:
    """Write a number with three significant digits, and thousands without an exponent."""
    if value is None:
        return "not finite"
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    else:
        text = f"{value:.2e}"
    return text.replace("-", "−")


def value_text(claim: ClaimRecord) -> str:
    """Write what was measured: ``0.31 (0.28 to 0.35)``; one seed has no interval."""
    return _with_interval(claim.value, claim.interval)


def measured_text(claim: ClaimRecord) -> str:
    """Write what was measured, and over how many seeds: ``0.31 (0.28 to 0.35), n = 8``."""
    return f"{value_text(claim)}, n = {claim.n}"


def null_text(claim: ClaimRecord) -> str:
    """Write what the null gave, if there is one."""
    return (
        "" if claim.null_interval is None else _with_interval(claim.null_value, claim.null_interval)
    )


def paper_text(claim: ClaimRecord) -> str:
    """Write the paper's number, and where it lies: ``16, above``."""
    if claim.paper is None:
        return ""
    return number_text(claim.paper) + (f", {claim.paper_is}" if claim.paper_is else "")


def verdict_text(claim: ClaimRecord) -> str:
    """Write the verdict, with what would decide an undecided one."""
    return ": ".join(filter(None, verdict_and_why(claim)))


def verdict_and_why(claim: ClaimRecord) -> tuple[str, str]:
    """The verdict, and of an undecided one what would decide it."""
    if claim.verdict != "undecided":
        return claim.verdict, ""
    if claim.n == 1:
        return "one seed", f"{'in' if _in_band(claim.band, claim.value) else 'outside'} the band"
    return "undecided", _what_decides(claim)


def _what_decides(claim: ClaimRecord) -> str:
    if claim.needed is not None:
        return f"{claim.needed:,} seeds would decide"
    if claim.value is None or (claim.null_interval is not None and claim.null_value is None):
        return "a seed has no finite value"
    if _in_band(claim.band, claim.value) and _in_band(claim.band, claim.null_value):
        return "its null lies in the band, too"
    return "no number of seeds will decide: the mean lies at the edge of the band"


def _in_band(band: tuple[float | None, float | None], value: float | None) -> bool:
    low, high = band
    return value is not None and (low is None or low <= value) and (high is None or value <= high)


def seeds_note(claims: Sequence[ClaimRecord]) -> str:
    """What to say where verdicts are missing for want of seeds; else nothing."""
    open_ = [claim for claim in claims if claim.verdict == "undecided"]
    if any(claim.n == 1 for claim in open_):
        return "One seed decides nothing: values are shown against their bands."
    if any(claim.needed is not None for claim in open_):
        return "Few seeds leave much undecided: `--trials N` runs more."
    return ""


def source_text(claim: Claim | ClaimRecord) -> str:
    """Write where the paper says so, and whether it does: ``Fig. 4H; the paper's statement``."""
    return f"{claim.source}; {KINDS[claim.kind][0]}" if claim.source else ""


def tally(claims: Sequence[ClaimRecord]) -> str:
    """Count verdicts, separately for each kind of claim if there are several.

    ``5 hold, 1 fails``, or ``the paper's statements: 5 hold, 1 fails; our own questions: 1 holds``.
    """
    of_kind = {kind: [claim for claim in claims if claim.kind == kind] for kind in KINDS}
    counted = {kind: count_verdicts(some) for kind, some in of_kind.items() if some}
    if len(counted) < 2:
        return count_verdicts(claims)
    return "; ".join(f"{KINDS[kind][1]}: {text}" for kind, text in counted.items())


def count_verdicts(claims: Sequence[ClaimRecord]) -> str:
    """Count verdicts: ``5 hold, 1 fails, 2 undecided``."""
    count = {word: sum(c.verdict == word for c in claims) for word in WORDS}
    said = [
        f"{n} {one if n == 1 else many}"
        for word, (one, many) in WORDS.items()
        if (n := count[word]) or word == "holds"
    ]
    return ", ".join(said)


def interval_text(value: float | None, interval: tuple[float | None, float | None]) -> str:
    """Write an interval in brackets, if there is one that says more than the value."""
    low, high = interval
    if low is None or high is None or low == high == value:
        return ""
    return f"({number_text(low)} to {number_text(high)})"


def _with_interval(value: float | None, interval: tuple[float | None, float | None]) -> str:
    return f"{number_text(value)} {interval_text(value, interval)}".rstrip()


def band_text(band: Band) -> str:
    """Write the band in words: ``0.1 to 0.3``, ``≥ 5``, ``≤ 2``."""
    low, high = band
    if low is None:
        return f"≤ {number_text(high)}"
    if high is None:
        return f"≥ {number_text(low)}"
    return number_text(low) if low == high else f"{number_text(low)} to {number_text(high)}"
