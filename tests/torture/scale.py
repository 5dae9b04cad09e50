"""How much is tried: a part in `make test`, all of it in `make torture`."""

import os

LONG = os.environ.get("SYNSAMP_TORTURE") == "1"


def many(short: int, long: int) -> int:
    """How many cases to try."""
    return long if LONG else short
