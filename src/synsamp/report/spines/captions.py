"""What stands beside each figure of a spine table: only what that figure shows."""

from __future__ import annotations

from synsamp.report.spines.figures import MOST_ROWS, overlapping, own_days
from synsamp.spines.analysis import Analysis

CAPTIONS = {
    "raster": "Presence of every spine (rows, by animal and by when it was first seen) at every "
    "session.",
    "sizes": "Sizes over time. A few spines are drawn in colour; a line ends where a spine was "
    "absent.",
    "distribution": "Distribution of log size.",
    "change": "Mean change of log size to the next session against size. Spines above the mean "
    "shrink and those below grow if sizes return to a mean; what is not seen does not count, which "
    "the fit takes into account.",
    "correlation": "Correlation of log size between sessions some time apart, for spines seen in "
    "both.",
    "survival": "Survival of new spines (Kaplan–Meier with 95 % band) and the two best laws; right "
    "with logarithmic axes. The steps count a loss when it was noticed and so lie above the laws, "
    "which know only in which interval it fell.",
    "turnover": "Gain and loss relative to the spines seen before, between successive sessions.",
    "conditions": "Conditions side by side. Left: survival of new spines (Kaplan–Meier with 95 % "
    "band, spines as the unit). Right: turnover ratio of each animal, and the mean over animals.",
}

FORETOLD = {
    "distribution": "The band holds 95 % of tables simulated from the fitted process with its "
    "threshold.",
    "change": "The band holds 95 % of tables simulated from the fit.",
    "correlation": "The band holds 95 % of tables simulated from the fit.",
    "survival": "The orange band holds 95 % of tables simulated from the process of sizes; nothing "
    "in it is fitted to lives.",
}
"""Where a process was fitted."""


def caption(found: Analysis, key: str) -> str:
    """The caption of one figure."""
    parts = [CAPTIONS[key]]
    if found.fitted is not None and key in FORETOLD:
        parts.append(FORETOLD[key])
        if found.simulated is not None:
            parts.append(
                "The dashed line is one table as large as this one from the rule under the fitted "
                "prior, without a circuit."
            )
    if key == "raster" and own_days(found.table):
        parts.append("Columns count the sessions of each, which were on days of their own.")
    if key == "raster" and len(found.table.spine) > MOST_ROWS:
        parts.append(f"Of {len(found.table.spine):,} spines {MOST_ROWS} are drawn.")
    if key == "sizes" and found.fitted is not None and (found.table.state == 0).any():
        parts.append("Below the threshold a spine is not seen.")
    if key == "turnover":
        intervals = found.turnover.intervals
        if overlapping(intervals[["from", "to"]].drop_duplicates()):
            parts.append("Each line is an interval of an animal; dashed: all together.")
        elif intervals["animal"].nunique() > 1:
            parts.append("Dots are animals, bars all together.")
    return " ".join(parts)
