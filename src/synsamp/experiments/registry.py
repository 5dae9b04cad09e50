"""The experiments by name. A module is imported only when its experiment is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synsamp.errors import SynsampError

if TYPE_CHECKING:
    from synsamp.experiments.base import Experiment


@dataclass(frozen=True)
class Entry:
    """An experiment by its names, and a function that imports it.

    Name, alias and title repeat the experiment's own so that ``synsamp list`` need not import
    it; a test keeps them equal.
    """

    name: str
    alias: str
    title: str
    load: Callable[[], Experiment]


class Registry:
    """An ordered set of experiments, found by name or alias."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def find(self, name: str) -> Entry:
        """Return the entry called ``name``, or refuse with the nearest name."""
        for entry in self._entries:
            if name in (entry.name, entry.alias):
                return entry
        known = [word for entry in self._entries for word in (entry.name, entry.alias)]
        near = difflib.get_close_matches(name, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise SynsampError(
            f"experiment must be one of {', '.join(e.name for e in self._entries) or '(none)'}, "
            f"got {name!r}; {meant}`synsamp list` shows them all"
        )


def _landscape() -> Experiment:
    from synsamp.experiments.landscape import EXPERIMENT

    return EXPERIMENT


def _generalization() -> Experiment:
    from synsamp.experiments.generalization import EXPERIMENT

    return EXPERIMENT


def _prior_comparison() -> Experiment:
    from synsamp.experiments.prior_comparison import EXPERIMENT

    return EXPERIMENT


def _motility() -> Experiment:
    from synsamp.experiments.motility import EXPERIMENT

    return EXPERIMENT


def _adaptation() -> Experiment:
    from synsamp.experiments.adaptation import EXPERIMENT

    return EXPERIMENT


def _compensation() -> Experiment:
    from synsamp.experiments.compensation import EXPERIMENT

    return EXPERIMENT


REGISTRY = Registry(
    [
        Entry(
            "landscape", "fig1", "Maximum likelihood learning against synaptic sampling", _landscape
        ),
        Entry("generalization", "fig2", "Priors improve generalization", _generalization),
        Entry("prior_comparison", "fig2x", "Which prior generalises best?", _prior_comparison),
        Entry("motility", "fig3", "Spine motility as synaptic sampling", _motility),
        Entry("adaptation", "fig4", "Connections adapt to a changing input", _adaptation),
        Entry("compensation", "fig5", "Inherent compensation for lesions", _compensation),
    ]
)
"""The paper's figures, in its order."""
