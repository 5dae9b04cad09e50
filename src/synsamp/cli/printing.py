"""Print on any terminal: what its encoding lacks is written in plain letters.

A terminal that knows ASCII or Latin-1 alone, or output into a pipe under such a locale, would else
end the command at the first Greek letter.
"""

from __future__ import annotations

import codecs
import unicodedata
from typing import Any

NAME = "synsamp-plain"
_PLAIN = {
    "≥": ">=", "≤": "<=", "→": "->", "←": "<-", "×": "x", "±": "+-", "·": ".", "…": "...",
    "–": "-", "—": "-", "−": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "∝": "~", "∞": "inf",
    "√": "sqrt", "✓": "+", "✗": "x", "′": "'", "°": " deg", "│": "|", "┃": "|",
}  # fmt: skip


def make_printable(*streams: Any) -> None:
    """Let streams write what they can and plain letters for the rest."""
    codecs.register_error(NAME, _in_plain_letters)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=NAME)


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(ascii_text, error.object[error.start : error.end])), error.end


def ascii_text(character: str) -> str:
    """One character in ASCII: by the table, by its parts (é, ₁), by its name (θ), or ``?``."""
    if character in _PLAIN:
        return _PLAIN[character]
    parts = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    if parts:
        return parts
    words = unicodedata.name(character, "").split()
    if words[:3] in (["GREEK", "SMALL", "LETTER"], ["GREEK", "CAPITAL", "LETTER"]):
        return words[3].lower() if words[1] == "SMALL" else words[3].capitalize()
    if words[:2] == ["BOX", "DRAWINGS"]:
        return "-" if words[-1] == "HORIZONTAL" else "+"
    return "?"
