"""A claim as a small picture: its band, the interval measured, the null, the paper's number."""

from __future__ import annotations

import math

from markupsafe import Markup

from synsamp.report.numbers import band_text, measured_text
from synsamp.report.template import render
from synsamp.runs.storage.folder import ClaimRecord

WIDTH, HEIGHT, EDGE = 200.0, 26.0, 8.0


def claim_range(claim: ClaimRecord) -> Markup:
    """Draw the band as a bar (with an arrow where it is open) and the value as a dot, in SVG."""
    low, high = claim.band
    ends = (*claim.interval, *(claim.null_interval or ()), claim.null_value, claim.paper)
    points = [p for p in (low, high, claim.value, *ends) if p is not None]
    bottom, top = min(points, default=math.nan), max(points, default=math.nan)
    span = top - bottom
    if not math.isfinite(span):  # a folder from elsewhere may say anything: nothing to draw
        return Markup("")
    if span <= 1e-9 * abs(top) + 1e-200:  # all in one place: any width will do
        span = max(abs(top), 1.0)
    # An open side gets more room, so that the bar visibly runs on.
    bottom -= span * (0.35 if low is None else 0.12)
    top += span * (0.35 if high is None else 0.12)

    def x(value: float) -> float:
        return EDGE + (value - bottom) / (top - bottom) * (WIDTH - 2 * EDGE)

    def spread(interval: tuple[float | None, float | None] | None) -> list[str]:
        found = [end for end in interval or () if end is not None]
        return [_place(x(end)) for end in found] if len(found) == 2 else []

    left = EDGE if low is None else x(low)
    right = WIDTH - EDGE if high is None else x(high)
    if right - left < 4.0:  # a band so narrow on this scale that it would not show
        left, right = (left + right) / 2 - 2.0, (left + right) / 2 + 2.0
    return render(
        "claim_range.svg",
        width=WIDTH,
        height=HEIGHT,
        edge=EDGE,
        middle=HEIGHT / 2,
        left=_place(left),
        right_minus_left=_place(right - left),
        ends=[_place(at) for end, at in ((low, left), (high, right)) if end is not None],
        arrows=[
            (_place(at + side), _place(at - 5 * side))
            for end, at, side in ((low, EDGE, -1), (high, WIDTH - EDGE, 1))
            if end is None
        ],
        spread=spread(claim.interval),
        dot=None if claim.value is None else _place(x(claim.value)),
        null=None if claim.null_value is None else _place(x(claim.null_value)),
        null_spread=spread(claim.null_interval),
        paper=None if claim.paper is None else _place(x(claim.paper)),
        verdict=claim.verdict.replace(" ", "-"),
        label=f"measured {measured_text(claim)}, band {band_text(claim.band)} {claim.unit}".strip(),
    )


def _place(value: float) -> str:
    return f"{value:.1f}"
