"""What marks an absence in a table, decided for the table as a whole.

A zero (or a word such as "absent"), an empty cell (or NaN, n/a) or a missing row can mark an
absence. Zeros always do. Unless ``absent`` says otherwise, empty cells do if the table has no
zeros, and missing rows if it has neither zeros nor empty cells. A session without any entry for a
dendrite (or, without a column for it, an animal) was not imaged there; that is no absence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from synsamp.errors import refuse
from synsamp.spines.table import TableWarning

SEEN, ABSENT, NOT_IMAGED, EMPTY, NO_ROW = 1, 0, -1, -2, -3
KINDS_OF_ABSENCE = ("zero", "empty", "row")


def kinds_of(absent: str | None) -> set[str] | None:
    """The user's choice of what marks an absence; None: decide from the table."""
    if absent is None:
        return None
    kinds = {word.strip() for word in str(absent).split(",")}
    if not kinds <= set(KINDS_OF_ABSENCE):
        raise refuse("absent", "must be zero, empty or row", absent, "separate several by commas")
    return kinds


def decide(
    state: np.ndarray,
    line_of: np.ndarray,
    keys: Sequence[tuple[str, str, str]],
    times: np.ndarray,
    kinds: set[str] | None,
    imaged_together: str,
    line: str,
) -> tuple[str, list[TableWarning]]:
    """Replace empty cells and missing rows in place by absent or not imaged; describe the choice.

    ``imaged_together`` is "a dendrite" or "an animal", ``line`` the word for a row of the table.
    """
    zeros, empties = bool((state == ABSENT).any()), bool((state == EMPTY).any())
    if kinds is None:
        kinds = {"zero"}
        if not zeros:
            kinds.add("empty" if empties else "row")
    units: dict[tuple[str, str], list[int]] = defaultdict(list)
    for k, (animal, dendrite, _) in enumerate(keys):
        units[animal, dendrite].append(k)
    blank, missing = 0, False
    hollows: list[str] = []
    lines: list[int] = []
    for (animal, dendrite), rows in units.items():
        part = state[rows]
        unimaged = (part == NO_ROW).all(axis=0)
        hollow = np.isin(part, (NO_ROW, EMPTY)).all(axis=0) & ~unimaged
        if hollow.any() and len(rows) >= 3 and "empty" in kinds:
            where = " ".join(filter(None, (animal, dendrite))) or "the table"
            hollows += [f"{where} at {t:g}" for t in times[hollow]]
            lines += sorted({*line_of[rows][:, hollow].ravel().tolist()} - {0})
            unimaged |= hollow
        blank += int(unimaged.sum())
        part[:, unimaged] = NOT_IMAGED
        missing |= bool((part == NO_ROW).any())
        part[part == EMPTY] = ABSENT if "empty" in kinds else NOT_IMAGED
        part[part == NO_ROW] = ABSENT if "row" in kinds else NOT_IMAGED
        state[rows] = part
    parts = ["zeros and words such as 'lost' are absent"] if zeros else []
    for there, what, kind in ((empties, "empty cells", "empty"), (missing, "missing rows", "row")):
        if there:
            parts.append(f"{what} are {'absent' if kind in kinds else 'not imaged'}")
    if blank:
        parts.append(
            f"a session without any entry for {imaged_together} was not imaged there "
            f"({blank} of {len(units) * times.size})"
        )
    warnings = []
    if hollows:
        more = f" and {len(hollows) - 4} more" if len(hollows) > 4 else ""
        warnings.append(
            TableWarning(
                f"every cell of {'; '.join(hollows[:4])}{more} is empty: read as not imaged; if "
                "the spines were absent, write 0 there and give --absent zero,empty",
                tuple(sorted({*lines})),
                line,
            )
        )
    return f"absences: {'; '.join(parts) or 'none'}", warnings
