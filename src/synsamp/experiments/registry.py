"""The experiments by name. A module is imported only when its experiment is used."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from synsamp.errors import SynsampError, refuse
from synsamp.extras import require_extra

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
    source: str = ""
    """File or module of a custom experiment; empty for those of the package."""
    beyond: bool = False
    """Whether it goes beyond the paper: listed separately, not run by ``synsamp run all``."""
    extra: str = ""
    """Optional dependencies that it needs, as in ``pip install 'synsamp[jax]'``."""

    @property
    def digest(self) -> str:
        """SHA-256 of the code of a custom experiment; empty for those of the package."""
        return str(getattr(self.load, "digest", ""))


class Registry:
    """Experiments in order, found by name or alias; custom ones by file or module."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = tuple(entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    @property
    def paper(self) -> list[Entry]:
        """Experiments of the paper, which ``synsamp run all`` runs."""
        return [entry for entry in self._entries if not entry.beyond]

    @property
    def beyond(self) -> list[Entry]:
        """Experiments that go beyond the paper."""
        return [entry for entry in self._entries if entry.beyond]

    def including(self, given: str) -> Registry:
        """Return a registry that also has the custom experiment in a file or module."""
        entry = self.find(given)
        if entry in self._entries:
            return self
        for other in self._entries:
            if entry.name in (other.name, other.alias):
                rule = "must have a name that is not taken"
                remedy = f"{entry.name} comes with synsamp; choose another name="
                raise refuse(f"experiment in {given}", rule, entry.name, remedy)
        return Registry([*self._entries, entry])

    def of(self, name: str, source: str) -> Entry:
        """Return the experiment of a stored run; a custom one must be named or installed."""
        from synsamp.experiments.loading import installed

        if source and name not in {*(entry.name for entry in self._entries), *installed()}:
            raise SynsampError(
                f"--experiment must name the code of this run, since a folder does not get to say "
                f"which code is run, got none for {name!r}; give it: --experiment {source}"
            )
        return self.find(name)

    def find(self, name: str) -> Entry:
        """Return the entry with this name, alias, file or module.

        Raises
        ------
        SynsampError
            If there is none (with the most similar name), or if an extra is not installed.
        """
        for entry in self._entries:
            if name in (entry.name, entry.alias):
                if entry.extra:
                    require_extra(entry.name, entry.extra)
                return entry
        if (own := _own(name)) is not None:
            return own
        known = [word for entry in self._entries for word in (entry.name, entry.alias)]
        near = difflib.get_close_matches(name, known, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise SynsampError(
            f"experiment must be one of {', '.join(e.name for e in self._entries) or '(none)'}, "
            f"a file like my_experiment.py, or my_package.module:EXPERIMENT, got {name!r}; "
            f"{meant}`synsamp list` shows them all"
        )


def _own(name: str) -> Entry | None:
    """Return a custom experiment: in a file, in a module, or of an installed package."""
    from synsamp.experiments import loading

    if loading.is_file(name):
        file = loading.read_file(name)
        return _entry(file, file.path)
    found = loading.ObjectLoader(name) if loading.is_object(name) else loading.installed().get(name)
    return None if found is None else _entry(found, found.text)


def _entry(load: Callable[[], Experiment], source: str) -> Entry:
    experiment = load()
    return Entry(experiment.name, experiment.alias, experiment.title, load, source)


def _load(module: str) -> Experiment:
    experiment: Experiment = import_module(module).EXPERIMENT
    return experiment


def _paper(folder: str, name: str, alias: str, title: str) -> Entry:
    return Entry(name, alias, title, partial(_load, f"synsamp.paper.{folder}"))


def _beyond(name: str, alias: str, title: str, extra: str = "") -> Entry:
    load = partial(_load, f"synsamp.beyond.{name}")
    return Entry(name, alias, title, load, beyond=True, extra=extra)


REGISTRY = Registry(
    [
        _paper(
            "fig1_landscape",
            "landscape",
            "fig1",
            "Maximum likelihood learning against synaptic sampling",
        ),
        _paper("theorem1", "theorem1", "theory", "Theorem 1: what the rule samples from"),
        _paper("fig2_generalisation", "generalisation", "fig2", "Priors improve generalisation"),
        _paper(
            "fig2_prior_comparison", "prior_comparison", "fig2x", "Which prior generalises best?"
        ),
        _paper("fig3_motility", "motility", "fig3", "Spine motility as synaptic sampling"),
        _paper("fig4_adaptation", "adaptation", "fig4", "Connections adapt to a changing input"),
        _paper("fig5_compensation", "compensation", "fig5", "Inherent compensation for lesions"),
        _beyond("bandit", "two_arms", "Learning from reward visits the states that theory says"),
        _beyond(
            "reward_patterns",
            "patterns",
            "Two patterns, two populations: learning from reward alone",
        ),
        _beyond(
            "lever", "lever_press", "A lever learned from reward, while connections keep changing"
        ),
        _beyond("sheet", "lesioned_sheet", "A sheet of neurons rewires around a focal lesion"),
        _beyond(
            "rewiring_mnist",
            "rewiring",
            "Deep rewiring: learning digits with one connection in a hundred",
            extra="jax",
        ),
        _beyond(
            "ensemble_mnist",
            "ensemble",
            "Averaging over samples: accuracy, calibration, out-of-distribution images",
            extra="jax",
        ),
    ]
)
"""The paper's theorem and figures in the order of the paper, then what goes beyond it."""
