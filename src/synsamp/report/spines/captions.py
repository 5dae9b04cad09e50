"""Captions of the figures of a spine table."""

from __future__ import annotations

from synsamp.report.spines.figures import MOST_ROWS, overlapping, own_days
from synsamp.spines.analysis import Analysis

CAPTIONS = {
    "raster": "Presence of every spine (rows, sorted by animal and first appearance) in every "
    "session.",
    "sizes": "Sizes over time, with a few spines in colour. A line ends where a spine was absent.",
    "distribution": "Distribution of log size.",
    "change": "Mean change of log size to the next session against size. If sizes return to a "
    "mean, large spines shrink and small spines grow. Spines below the threshold are missing "
    "here; the fit accounts for them.",
    "correlation": "Correlation of log size against the time between sessions, for spines seen in "
    "both.",
    "survival": "Survival of new spines (Kaplan–Meier with 95 % band) and the two best survival "
    "models, on linear (left) and logarithmic axes (right). Kaplan–Meier counts a loss in the "
    "session in which it was observed, so its steps lie above the models, which account for the "
    "interval.",
    "turnover": "Gain and loss between successive sessions, relative to the spines present before.",
    "conditions": "Left: survival of new spines in each condition (Kaplan–Meier with 95 % band "
    "over spines). Right: turnover ratio of each animal (points) and their mean (line).",
}

PREDICTED = {
    "distribution": "The band contains 95 % of tables simulated from the fitted process and "
    "threshold.",
    "change": "The band contains 95 % of tables simulated from the fit.",
    "correlation": "The band contains 95 % of tables simulated from the fit.",
    "survival": "The orange band contains 95 % of tables simulated from the process fitted to the "
    "sizes; it has no parameters fitted to lifetimes.",
}
"""Added if a process was fitted."""


def caption(found: Analysis, key: str) -> str:
    """The caption of one figure."""
    parts = [CAPTIONS[key]]
    if found.fitted is not None and key in PREDICTED:
        parts.append(PREDICTED[key])
        if found.simulated is not None:
            parts.append(
                "The dashed line is one table of the same size, simulated from the rule under the "
                "fitted prior without a circuit."
            )
    if key == "raster" and own_days(found.table):
        parts.append(
            "Columns number the sessions of each animal or dendrite, which were on different days."
        )
    if key == "raster" and len(found.table.spine) > MOST_ROWS:
        parts.append(f"{MOST_ROWS} of {len(found.table.spine):,} spines are shown.")
    if key == "sizes" and found.fitted is not None and (found.table.state == 0).any():
        parts.append("Spines below the threshold are not seen.")
    if key == "turnover":
        intervals = found.turnover.intervals
        if overlapping(intervals[["from", "to"]].drop_duplicates()):
            parts.append("Each line is one interval of one animal; dashed: all animals.")
        elif intervals["animal"].nunique() > 1:
            parts.append("Points are animals; bars show all animals.")
    return " ".join(parts)
