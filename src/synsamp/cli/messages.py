"""What a command says on standard error."""

from __future__ import annotations

import sys

MOST_TOLD = 1200
"""Characters of a message."""


def complain(message: str, code: int) -> int:
    """Print exactly one line on standard error."""
    line = " ".join(message.split())
    if len(line) > MOST_TOLD:  # a long word of the call: its middle says nothing
        line = f"{line[: MOST_TOLD // 2]} … {line[-MOST_TOLD // 2 :]}"
    shown = "".join(c if c.isprintable() else "?" for c in line)
    print("synsamp:", shown, file=sys.stderr, flush=True)
    return code
