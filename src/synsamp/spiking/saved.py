"""What a saved state has to be before anything of it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from synsamp import arguments
from synsamp.errors import SynsampError, refuse

FORMAT = 7
"""Raised whenever a state saved before could not be restored any more."""
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
    *("activity", "random", "inputs", "spike_counts"),
}


def check_saved(state: Any) -> None:
    """Refuse what `Simulation.state` did not give, or that of another version."""
    arguments.instance("state", state, Mapping, "use what sim.state() gave")
    if state.get("format") != FORMAT:
        remedy = "states of other versions of synsamp cannot be restored; run it anew"
        raise refuse("format of the saved state", f"must be {FORMAT}", state.get("format"), remedy)
    missing = WANTED - set(state)
    if missing:
        raise refuse("saved state", "must be whole", f"without {', '.join(sorted(missing))}")


@contextmanager
def translate_errors() -> Iterator[None]:
    """One line for whatever a damaged state makes of the code that reads it."""
    try:
        yield
    except SynsampError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise refuse("saved state", "must be as state() gave it", repr(error)) from None
