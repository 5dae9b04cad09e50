"""A claim as a small picture: the band it must fall in, and the value measured."""

from __future__ import annotations

from html import escape

from synsamp.report.numbers import number, rule_text
from synsamp.runs.folder import ClaimRecord

WIDTH, HEIGHT, EDGE = 200.0, 26.0, 8.0


def claim_range(claim: ClaimRecord) -> str:
    """Draw the band as a bar (with an arrow where it is open) and the value as a dot, in SVG."""
    low, high = claim.band
    points = [p for p in (low, high, claim.value, *(claim.interval or ())) if p is not None]
    bottom, top = min(points), max(points)
    span = top - bottom
    if span <= 1e-9 * abs(top) + 1e-200:  # all in one place: any width will do
        span = max(abs(top), 1.0)
    # An open side gets more room, so that the bar visibly runs on.
    bottom -= span * (0.35 if low is None else 0.12)
    top += span * (0.35 if high is None else 0.12)

    def x(value: float) -> float:
        return EDGE + (value - bottom) / (top - bottom) * (WIDTH - 2 * EDGE)

    left = EDGE if low is None else x(low)
    right = WIDTH - EDGE if high is None else x(high)
    if right - left < 4.0:  # a band so narrow on this scale that it would not show
        left, right = (left + right) / 2 - 2.0, (left + right) / 2 + 2.0
    middle = HEIGHT / 2
    parts = [
        f'<line class="axis" x1="{EDGE}" x2="{WIDTH - EDGE}" y1="{middle}" y2="{middle}"/>',
        f'<rect class="band" x="{left:.1f}" y="{middle - 5}" width="{right - left:.1f}" '
        'height="10" rx="3"/>',
    ]
    for end, at in ((low, left), (high, right)):
        if end is not None:
            parts.append(
                f'<line class="end" x1="{at:.1f}" x2="{at:.1f}" '
                f'y1="{middle - 8}" y2="{middle + 8}"/>'
            )
    parts += [_arrow(EDGE, -1)] if low is None else []
    parts += [_arrow(WIDTH - EDGE, 1)] if high is None else []
    if claim.interval is not None:
        ends = [x(end) for end in claim.interval]
        parts.append(
            f'<line class="spread" x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" '
            f'y1="{middle}" y2="{middle}"/>'
        )
    if claim.value is not None:
        kind = "in" if claim.holds else "out"
        parts.append(f'<circle class="{kind}" cx="{x(claim.value):.1f}" cy="{middle}" r="5"/>')
    label = escape(f"measured {number(claim.value)}, band {rule_text(claim)} {claim.unit}".strip())
    return (
        f'<svg class="range" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
        f'aria-label="{label}">{"".join(parts)}</svg>'
    )


def _arrow(at: float, direction: int) -> str:
    middle = HEIGHT / 2
    return (
        f'<path class="open" d="M{at - 5 * direction:g} {middle - 5:g} L{at + direction:g} '
        f'{middle:g} L{at - 5 * direction:g} {middle + 5:g}"/>'
    )
