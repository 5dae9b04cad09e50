"""A scene: what the lab can simulate, and the model that runs it.

A `Scene` describes (name, knobs, sizes) and builds. A `SceneModel` is one running network, or a
point on a landscape: it advances in ticks, takes actions between ticks, and can be copied.
Models know nothing of viewers, messages or the time line; that is `synsamp.lab.session`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import SynsampError, refuse
from synsamp.lab.experiment_text import template
from synsamp.lab.knobs import Knob

Arrays = dict[str, NDArray[Any]]
KnobValues = dict[str, Any]


class SceneModel(ABC):
    """Something that a session simulates."""

    tick: int
    """Ticks so far."""

    @abstractmethod
    def advance(self, ticks: int) -> None:
        """Simulate some ticks."""

    @abstractmethod
    def set(self, settings: KnobValues, name: str) -> None:
        """Apply a changed setting; ``settings`` has all values, the new one included."""

    @abstractmethod
    def save(self) -> Any:
        """Return the present state, which later changes do not touch."""

    @abstractmethod
    def restored(self, saved: Any) -> Self:
        """Return a new model that continues from a saved state with the same noise."""

    def copy(self) -> Self:
        """Return an independent copy that continues with the same noise."""
        return self.restored(self.save())

    @abstractmethod
    def look(self, want: frozenset[str], pointer: Mapping[str, Any] | None) -> Look:
        """Return what is to be seen now; never changes the run."""

    @abstractmethod
    def theta(self) -> Arrays:
        """Return θ by projection."""

    def lesion(self, lesion: Mapping[str, Any]) -> None:
        """Apply a lesion."""
        raise refuse("lesion", "must be one that the scene offers", lesion.get("what"))

    def draw(self, picture: NDArray[Any] | None) -> None:
        """Show a picture with values from 0 to 1; None: the scene's own stimuli."""
        raise SynsampError("this scene shows no pictures; use the scene digits")

    def probe(self, seed: int) -> dict[str, Any] | None:
        """Test a copy with plasticity off; None if the scene has no probe."""
        return None

    def weights(self) -> Arrays:
        """Return the efficacies by projection."""
        return {}


class Look:
    """Arrays and small numbers of one look."""

    def __init__(self) -> None:
        self.arrays: Arrays = {}
        self.values: dict[str, Any] = {}


class Scene(ABC):
    """A network with stimuli and knobs, of which sessions are made."""

    name: ClassVar[str]
    title: ClassVar[str]
    tick_s: float
    knobs: tuple[Knob, ...]
    mark_every: int = 200
    """Ticks between two snapshots at first."""

    @abstractmethod
    def model(self, seed: int, settings: KnobValues) -> SceneModel:
        """Build the model at tick 0."""

    def parts(self) -> dict[str, Any]:
        """Return further parts of the description: populations, projections, …"""
        return {}

    def describe(self) -> dict[str, Any]:
        """Return the description of the scene as JSON (``scene.json``)."""
        return {
            "name": self.name,
            "title": self.title,
            "tick_s": self.tick_s,
            "knobs": [knob.describe() for knob in self.knobs],
            "populations": [],
            "inputs": [],
            "projections": [],
            "lesions": [],
            "labels": [],
            "probe": None,
            "draw": False,
            "suggested_speed": None,
            "experiment_template": template(),
            **self.parts(),
        }

    def settings(self, given: Mapping[str, Any] | None = None) -> KnobValues:
        """Return all settings: the scene's values, replaced by those given."""
        found = {knob.name: knob.value for knob in self.knobs}
        for name, value in (given or {}).items():
            found[name] = self.knob(name).check(value)
        return found

    def knob(self, name: Any) -> Knob:
        """Return the knob of this name."""
        return {knob.name: knob for knob in self.knobs}[
            arguments.one_of("setting", name, [knob.name for knob in self.knobs])
        ]
