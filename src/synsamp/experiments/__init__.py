"""The experiments by name. A module is imported only when its experiment is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from synsamp.errors import SynsampError

if TYPE_CHECKING:
    from synsamp.experiments.protocol import Experiment


@dataclass(frozen=True)
class Entry:
    """Where an experiment lives: ``module`` holds EXPERIMENT, ``figures`` holds draw.

    Name, alias and title repeat the experiment's own so that ``synsamp list`` need not import
    it; a test keeps them equal.
    """

    name: str
    alias: str
    title: str
    module: str
    figures: str

    def load(self) -> Experiment:
        """Import the experiment."""
        experiment: Experiment = import_module(self.module).EXPERIMENT
        return experiment

    def load_draw(self) -> Callable[..., dict[str, Any]]:
        """Import the function that draws its saved results."""
        draw: Callable[..., dict[str, Any]] = import_module(self.figures).draw
        return draw


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


def entry(name: str, alias: str, title: str) -> Entry:
    """Build the entry of an experiment of this package, whose modules are named after it."""
    return Entry(
        name, alias, title, f"synsamp.experiments.{name}", f"synsamp.report.figures.{name}"
    )


REGISTRY = Registry(
    [
        entry("landscape", "fig1", "Maximum likelihood learning against synaptic sampling"),
        entry("generalization", "fig2", "Priors improve generalization"),
        entry("prior_comparison", "fig2x", "Which prior generalises best?"),
        entry("motility", "fig3", "Spine motility as synaptic sampling"),
        entry("adaptation", "fig4", "Connections adapt to a changing input"),
        entry("compensation", "fig5", "Inherent compensation for lesions"),
    ]
)
"""The paper's figures, in its order."""
