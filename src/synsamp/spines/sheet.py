"""Read a file or a frame as cells of text; detect delimiter, encoding, sheet and header."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from synsamp.data.reading import content_of
from synsamp.errors import SynsampError, refuse

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
SNIFFED_LINES = 60
"""Lines from which the delimiter is detected."""

MOST_TITLES = 20
"""Rows among which the header is looked for."""

LARGEST_MERGED = 20_000_000
"""Bytes of a workbook up to which merged cells are filled, for which it is read a second time."""

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


Finder = Callable[[list[str]], bool]
"""Whether a row is a header."""


def open_sheet(
    source: str | Path | pd.DataFrame,
    sheet: str | None = None,
    *,
    is_header: Finder,
    has_header: bool = True,
) -> Sheet:
    """Cells of a .csv, .tsv, .txt or .xlsx file, or of a pandas DataFrame.

    Title rows above the first row that ``is_header`` are skipped; if none is, the first row counts
    as the header. Without a header, columns are called "column 1" and so on.
    """
    if isinstance(source, pd.DataFrame):
        return _from_frame(source)
    name, content, excel = _content(source)
    if excel:
        chosen, others, rows = _cells(name, content, sheet)
        read_as = {"sheet": chosen}
        if sheet is None and others:
            read_as["other sheets, not read"] = ", ".join(others)
        return _headed(name, rows, read_as, is_header, has_header)
    if sheet is not None:
        raise refuse("sheet", f"needs an .xlsx file, {name} is none", sheet, "leave it out")
    return _headed(name, *_from_text(name, content), is_header, has_header)


def sheet_names(source: str | Path) -> list[str]:
    """The sheets of a workbook."""
    name, content, excel = _content(source)
    if not excel:
        raise refuse("sheets", f"needs an .xlsx file, {name} is none", "all", "leave it out")
    chosen, others, _ = _cells(name, content, None)
    return [chosen, *others]


def _content(source: str | Path) -> tuple[str, bytes, bool]:
    """Printable name, content, and whether it is a workbook."""
    path = Path(source)
    name = "".join(c if c.isprintable() else "?" for c in path.name)
    content = content_of(path, LARGEST_BYTES, "remove columns that are not needed")
    excel = path.suffix.lower() in (".xlsx", ".xlsm")
    if not excel and content[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        raise refuse(
            name, "must be text", "an Excel workbook", "save as .xlsx, or export the sheet as CSV"
        )
    return name, content, excel


def _headed(
    name: str,
    rows: list[tuple[int, list[str]]],
    read_as: dict[str, str],
    is_header: Finder,
    has_header: bool,
) -> Sheet:
    """Find the header among the first rows, and note what stands above it."""
    if not has_header:
        width = max(len(cells) for _, cells in rows[:SNIFFED_LINES])
        columns = [f"column {k + 1}" for k in range(width)]
        return _squared(name, "line", (0, columns), rows, {**read_as, "header": "none"})
    _require_names(name, rows)
    at = next((k for k, (_, cells) in enumerate(rows[:MOST_TITLES]) if is_header(cells)), 0)
    if at:
        words = "; ".join(" ".join(dict.fromkeys(filter(None, cells))) for _, cells in rows[:at])
        shown = words if len(words) <= 80 else words[:77] + "..."
        read_as = {**read_as, "skipped above the header": shown}
    return _squared(name, "line", rows[at], rows[at + 1 :], read_as)


def _require_names(name: str, rows: list[tuple[int, list[str]]]) -> None:
    """SpineS exports bare sizes, with room for names: a row per spine, a column per time point."""

    def is_bare(cells: list[str]) -> bool:
        return not any(cells[:1]) and all(_is_number(cell) for cell in cells[1:] if cell)

    if all(is_bare(cells) for _, cells in rows):
        raise refuse(
            name,
            "must name spines and sessions",
            "sizes alone, as SpineS exports them",
            "write 'spine' and the days above the sizes, and a name in front of each row",
        )


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _from_text(name: str, content: bytes) -> tuple[list[tuple[int, list[str]]], dict[str, str]]:
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
    return rows, {"delimiter": DELIMITERS[delimiter], "encoding": encoding}


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
    """The delimiter under which most rows have the same number of cells."""

    def score(sign: str) -> tuple[float, int]:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=sign) if any(row)]
        except csv.Error:
            return 0.0, 0
        # A title above the header may have a single cell.
        usual = max(set(widths), key=lambda w: (widths.count(w), w)) if widths else 0
        return (widths.count(usual) / len(widths), usual) if usual > 1 else (0.0, 0)

    best = max(DELIMITERS, key=score)
    if score(best)[1] < 2:
        raise refuse(
            f"{name}, line 1,",
            "must be a header of several columns separated by comma, semicolon, tab or |",
            lines[0][:60],
            "export it as CSV; lines before the header must begin with #",
        )
    return best


def _cells(
    name: str, content: bytes, sheet: str | None
) -> tuple[str, list[str], list[tuple[int, list[str]]]]:
    """The chosen sheet, the others, and the rows with their numbers."""
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
        if len(content) <= LARGEST_MERGED:
            whole = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
            _fill(cells, whole[chosen].merged_cells.ranges)
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
    return str(chosen), [n for n in names if n != chosen], rows


def _fill(rows: list[tuple[int, list[str]]], ranges: Iterable[Any]) -> None:
    """Repeat the text of merged cells in all of them, as they look in the sheet."""
    for merged in ranges:
        inside = rows[merged.min_row - 1 : merged.max_row]
        if not inside or merged.min_col > len(inside[0][1]):
            continue
        text = inside[0][1][merged.min_col - 1]
        for _, row in inside:
            for k in range(merged.min_col - 1, min(merged.max_col, len(row))):
                row[k] = text


def _from_frame(frame: pd.DataFrame) -> Sheet:
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    header = [_text(name) for name in frame.columns]
    if not header or not len(frame):
        raise refuse("frame", "must hold columns and rows", frame.shape, "one row per observation")
    columns = [[_text(cell) for cell in frame.iloc[:, k]] for k in range(len(header))]
    rows = [(k, list(cells)) for k, cells in enumerate(zip(*columns, strict=True))]
    return Sheet(str(frame.attrs.get("name", "frame")), "row", header, rows)


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
