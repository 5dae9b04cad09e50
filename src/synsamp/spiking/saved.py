"""Checks of a saved state before it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from synsamp import arguments
from synsamp.errors import SynsampError, refuse

FORMAT = 8
"""Increased whenever older states can no longer be restored."""
WANTED = {
    *(
        "drift_interval_s",
        "drift_interval_given",
        "sync_interval_s",
        "network",
        "changes",
        "time_s",
        "synapses",
    ),
    *("activity", "random", "inputs", "spike_counts", "births"),
}


def check_saved(state: Any) -> None:
    """Raise an error unless ``state`` is from `Simulation.state` of this version."""
    arguments.instance("state", state, Mapping, "use the result of sim.state()")
    if state.get("format") != FORMAT:
        remedy = "states of other versions of synsamp cannot be restored; run the simulation again"
        raise refuse("format of the saved state", f"must be {FORMAT}", state.get("format"), remedy)
    missing = WANTED - set(state)
    if missing:
        raise refuse("saved state", "must be complete", f"no {', '.join(sorted(missing))}")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn errors from a damaged state into a `SynsampError` of one line."""
    try:
        yield
    except SynsampError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise refuse(
            "saved state", "must be the unchanged result of sim.state()", repr(error)
        ) from None
