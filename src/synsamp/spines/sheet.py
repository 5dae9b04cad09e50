"""Read a file or a frame as cells of text; detect delimiter, encoding and sheet."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from synsamp.data.reading import content_of
from synsamp.errors import SynsampError, refuse

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
SNIFFED_LINES = 60
"""Lines from which the delimiter is detected."""

LARGEST_BYTES = 2_000_000_000
MOST_COLUMNS = 16_384  # as in Excel; matching the names of a million columns takes minutes


@dataclass(frozen=True, eq=False)
class Sheet:
    """Header and rows with their line numbers, and how they were read."""

    name: str
    unit: str  # "line" of a file, "row" of a frame
    header: list[str]
    rows: list[tuple[int, list[str]]]
    read_as: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.header) > MOST_COLUMNS:
            raise self.wrong(
                None,
                f"must have at most {MOST_COLUMNS:,} columns",
                f"{len(self.header):,}",
                "remove columns, or write one row per spine and session",
            )

    def wrong(self, line: int | None, rule: str, value: object, remedy: str) -> SynsampError:
        """Build the error for an entry of this sheet: location, rule, value, remedy."""
        where = self.name if line is None else f"{self.name}, {self.unit} {line},"
        shown = value if len(str(value)) <= 60 else str(value)[:57] + "..."
        return refuse(where, rule, shown, remedy)


def open_sheet(source: str | Path | pd.DataFrame, sheet: str | None = None) -> Sheet:
    """Cells of a .csv, .tsv, .txt or .xlsx file, or of a pandas DataFrame."""
    if isinstance(source, pd.DataFrame):
        return _from_frame(source)
    path = Path(source)
    name = "".join(c if c.isprintable() else "?" for c in path.name)
    content = content_of(path, LARGEST_BYTES, "remove columns that are not needed")
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        return _from_workbook(name, content, sheet)
    if sheet is not None:
        raise refuse("sheet", f"needs an .xlsx file, {name} is none", sheet, "leave it out")
    if content[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        raise refuse(
            name, "must be text", "an Excel workbook", "save as .xlsx, or export the sheet as CSV"
        )
    return _from_text(name, content)


def _from_text(name: str, content: bytes) -> Sheet:
    text, encoding = _decode(name, content)
    lines = text.splitlines()
    skipped = 0
    delimiter = None
    while lines and (not lines[0].strip(" ,;\t|") or lines[0].startswith("#")):
        lines.pop(0)
        skipped += 1
    if lines and lines[0].lower().startswith("sep=") and len(lines[0].strip()) == 5:
        delimiter = lines.pop(0).strip()[4]  # Excel's way to name it
        skipped += 1
    if not lines:
        raise refuse(name, "must hold a header and observations", "nothing", "export it again")
    delimiter = delimiter or _delimiter(name, lines[:SNIFFED_LINES])
    if delimiter not in DELIMITERS:
        raise refuse(
            name, "must be separated by comma, semicolon, tab or |", delimiter, "export it again"
        )
    # Not pandas.read_csv: errors name the line, and it pads short rows without a warning.
    reader = csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter)
    rows: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            rows.append((reader.line_num + skipped, [cell.strip() for cell in cells]))
    except csv.Error as error:
        line = reader.line_num + skipped
        raise refuse(
            f"{name}, line {line},", "must be CSV", str(error), "export it again"
        ) from None
    read_as = {"delimiter": DELIMITERS[delimiter], "encoding": encoding}
    return _squared(name, "line", rows[0], rows[1:], read_as)


def _decode(name: str, content: bytes) -> tuple[str, str]:
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            try:
                return content.decode(encoding), "UTF-16"
            except UnicodeDecodeError as error:
                raise refuse(name, "must be text", error.reason, "save it as UTF-8") from None
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise refuse(f"{name}, line {line},", "must be text", "a zero byte", "save it as UTF-8 CSV")
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), "Windows-1252 (Latin-1)"


def _delimiter(name: str, lines: list[str]) -> str:
    """The delimiter under which most rows have as many cells as the header."""

    def score(sign: str) -> tuple[float, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=sign) if any(row)]
        except csv.Error:
            return 0.0, 0
        if not widths or widths[0] < 2:
            return 0.0, 0
        return sum(w == widths[0] for w in widths) / len(widths), widths[0]

    best = max(DELIMITERS, key=score)
    if score(best)[1] < 2:
        raise refuse(
            f"{name}, line 1,",
            "must be a header of several columns separated by comma, semicolon, tab or |",
            lines[0][:60],
            "export it as CSV; lines before the header must begin with #",
        )
    return best


def _from_workbook(name: str, content: bytes, sheet: str | None) -> Sheet:
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise refuse(
            name, "needs the package openpyxl", "none installed", "pip install 'synsamp[xlsx]'"
        ) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        names = list(book.sheetnames)
        chosen = names[0] if sheet is None and names else sheet
        if chosen not in names:
            raise refuse(name, f"must hold the sheet; it has {', '.join(names)}", sheet, "name one")
        cells = [
            (number, [_text(cell) for cell in row])
            for number, row in enumerate(book[chosen].iter_rows(values_only=True), start=1)
        ]
    except SynsampError:
        raise
    except Exception as error:  # openpyxl passes on any error of its zip and XML parsers
        what = type(error).__name__
        raise refuse(name, "must be an .xlsx workbook", what, "save it again in Excel") from None
    rows = [(number, row) for number, row in cells if any(row)]
    if not rows:
        raise refuse(
            name, "must hold a header and observations", "nothing", "choose another --sheet"
        )
    read_as = {"sheet": str(chosen)}
    if sheet is None and len(names) > 1:
        read_as["other sheets, not read"] = ", ".join(names[1:])
    return _squared(name, "line", rows[0], rows[1:], read_as)


def _from_frame(frame: pd.DataFrame) -> Sheet:
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    header = [_text(name) for name in frame.columns]
    if not header or not len(frame):
        raise refuse("frame", "must hold columns and rows", frame.shape, "one row per observation")
    columns = [[_text(cell) for cell in frame.iloc[:, k]] for k in range(len(header))]
    rows = [(k, list(cells)) for k, cells in enumerate(zip(*columns, strict=True))]
    return Sheet("frame", "row", header, rows)


def _text(cell: Any) -> str:
    """A cell as text, as in a CSV file."""
    if (
        cell is None
        or cell is pd.NaT
        or cell is pd.NA
        or (isinstance(cell, float) and cell != cell)
    ):
        return ""
    if isinstance(cell, (pd.Timestamp, datetime.datetime)):
        return cell.isoformat(sep=" ")
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell).strip()


def _squared(
    name: str,
    unit: str,
    first: tuple[int, list[str]],
    rest: Iterable[tuple[int, list[str]]],
    read_as: dict[str, str],
) -> Sheet:
    """Rows as wide as the header: drop extra empty cells, raise an error for short rows."""
    header = list(first[1])
    while header and not header[-1]:
        header.pop()
    sheet = Sheet(name, unit, header, [], read_as)
    for number, cells in rest:
        if not any(cells):
            continue
        if len(cells) < len(header) or any(cells[len(header) :]):
            raise sheet.wrong(
                number,
                f"must have {len(header)} cells like the header",
                len(cells),
                "fill or remove cells, and quote text that holds the delimiter",
            )
        sheet.rows.append((number, cells[: len(header)]))
    if not sheet.rows:
        raise sheet.wrong(
            None, "must hold observations", "a header only", "one row per spine and session"
        )
    return sheet
