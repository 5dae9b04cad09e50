"""Tables that image-analysis programs write, as the sheets that laboratories write by hand.

ImageJ and Fiji: the Results table of ROIs measured in a stack, with "Display label" on. A label is
``image:ROI`` or ``image:ROI:slice``. SynapFlow: a folder of one CSV per time point and stack,
called ``NAME_tp1_stack0.csv``, with the columns ``id`` and ``size`` and one row per layer of a
spine.
MapManager needs no conversion: ``spineID``, ``t`` and ``segmentID`` are known names of columns.
SpineS exports sizes without names of spines and sessions; `sheet.py` asks for them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pandas as pd

from synsamp.errors import refuse
from synsamp.spines.sheet import Sheet, open_sheet

MEASURES = frozenset(("Area", "Mean", "IntDen", "RawIntDen"))
"""Headings of ImageJ of which a Results table has at least one."""

POSITIONS = ("Frame", "Slice")
MOST_FILES = 10_000
_NAME = re.compile(r"(?P<animal>.+?)_tp(?P<time>\d+)_stack(?P<stack>[^.]+)\.csv")


def from_imagej(page: Sheet) -> Sheet:
    """The Results table of ImageJ with columns for image, ROI and session; others unchanged."""
    if "Label" not in page.header or not MEASURES & set(page.header):
        return page
    at = page.header.index("Label")
    labels = [row[at].split(":") for _, row in page.rows]
    if not all(len(parts) in (2, 3) for parts in labels):
        return page
    when = next((n for n in POSITIONS if n in page.header), None)
    if when is not None:
        k = page.header.index(when)
        sessions = [row[k] for _, row in page.rows]
    elif all(len(parts) == 3 for parts in labels):
        sessions = [parts[2] for parts in labels]
    else:
        raise page.wrong(
            None,
            "must show the session of each ROI: a column Frame or Slice",
            ", ".join(page.header),
            "tick 'Stack position' in Analyze > Set Measurements and measure again",
        )
    places = defaultdict(set)
    for parts, session in zip(labels, sessions, strict=True):
        places[parts[0], parts[1]].add(session)
    if len({*sessions}) > 1 and max(map(len, places.values())) == 1:
        raise page.wrong(
            None,
            "must name a ROI alike in all sessions",
            labels[0][1],
            "rename the ROIs of one spine in the ROI Manager, then measure again",
        )
    rows = [
        (line, [*row, parts[0], parts[1], session])
        for (line, row), parts, session in zip(page.rows, labels, sessions, strict=True)
    ]
    header = [n if n not in ("Label", *POSITIONS) else f"ImageJ {n}" for n in page.header]
    return replace(
        page,
        header=[*header, "fov", "spine", "session"],
        rows=rows,
        read_as={**page.read_as, "written by": "ImageJ"},
    )


def from_synapflow(folder: Path) -> pd.DataFrame:
    """The spines in a folder of SynapFlow as one row per spine and time point.

    Parameters
    ----------
    folder
        The folder of 3D sizes, such as ``output/sizes/3D/median`` after tracking in time.
    """
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".csv")
    found = [(path, _NAME.fullmatch(path.name)) for path in files[:MOST_FILES]]
    if not any(match for _, match in found):
        raise refuse(
            str(folder),
            "must be a file, or a folder of SynapFlow with files NAME_tp1_stack0.csv",
            f"{len(files)} other CSV files",
            "give the folder of 3D sizes",
        )
    rows = []
    for path, match in found:
        if match is None:
            continue
        page = open_sheet(path, is_header=lambda cells: "id" in cells)
        missing = [name for name in ("id", "size") if name not in page.header]
        if missing:
            raise page.wrong(
                None, f"must have the columns id and size of SynapFlow, without {missing[0]}",
                ", ".join(page.header), "run compute_size.py of SynapFlow first",
            )  # fmt: skip
        name, size = (page.header.index(n) for n in ("id", "size"))
        seen: dict[str, str] = {}
        for line, row in page.rows:
            if seen.setdefault(row[name], row[size]) != row[size]:
                raise page.wrong(
                    line,
                    f"must have one size for the spine {row[name]}",
                    row[size],
                    "give the folder of 3D sizes, not that of 2D sizes",
                )
        where = match["animal"], match["stack"], int(match["time"])
        rows += [(*where, spine, text) for spine, text in seen.items()]
    frame = pd.DataFrame(rows, columns=["animal", "fov", "session", "spine", "size"])
    frame.attrs["name"] = folder.name
    return frame
