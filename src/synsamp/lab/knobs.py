"""A knob: one setting of a scene, with symbol, unit, the paper's value and range."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from synsamp import arguments
from synsamp.errors import refuse


@dataclass(frozen=True)
class Knob:
    """One setting of a scene.

    Parameters
    ----------
    name
        Name in messages and in Python; a dot separates section and parameter (``prior.mean``).
    symbol, label, unit, help
        How it is shown.
    value
        Value in this scene when it opens.
    paper
        The paper's value; None if the paper has none.
    kind
        ``number``, ``switch``, ``digits`` (which labels are shown) or ``peaks``.
    low, high
        Range of a number.
    scale
        ``linear`` or ``log``.
    choices
        The labels of ``digits``.
    restart
        Whether a new value takes a new session, because it changes compiled functions.
    applies_to
        Projections whose parameter it sets.
    """

    name: str
    symbol: str
    label: str
    value: Any
    paper: Any = None
    unit: str = ""
    kind: str = "number"
    low: float = 0.0
    high: float = 1.0
    scale: str = "linear"
    choices: tuple[int, ...] = ()
    restart: bool = False
    help: str = ""
    applies_to: tuple[str, ...] = ()

    def check(self, given: Any) -> Any:
        """Return the value if the knob can take it; raise an error otherwise."""
        if self.kind == "number":
            return arguments.number(self.name, given, at_least=self.low, at_most=self.high)
        if self.kind == "switch":
            return arguments.flag(self.name, given)
        if self.kind == "digits":
            return self._digits(given)
        return self._peaks(given)

    def describe(self) -> dict[str, Any]:
        """Return the knob as JSON."""
        fields = asdict(self)
        fields["min"], fields["max"] = fields.pop("low"), fields.pop("high")
        return {**fields, "choices": list(self.choices), "applies_to": list(self.applies_to)}

    def _digits(self, given: Any) -> list[int]:
        known = f"must be a list of some of {', '.join(map(str, self.choices))}"
        if not isinstance(given, (list, tuple)) or not given or len(given) > len(self.choices):
            raise refuse(self.name, known, given if isinstance(given, list) else type(given))
        for one in given:
            if isinstance(one, bool) or one not in self.choices:
                raise refuse(self.name, known, one)
        return sorted(set(given))

    def _peaks(self, given: Any) -> list[list[float]]:
        rule = "must be a list of 1 to 8 peaks [x, y, width, height]"
        if not isinstance(given, (list, tuple)) or not 1 <= len(given) <= 8:
            raise refuse(self.name, rule, type(given))
        found = []
        for peak in given:
            x, y, width, height = arguments.numbers(f"peak of {self.name}", peak, shape=(4,))
            arguments.number("x and y of a peak", max(abs(x), abs(y)), at_most=3.0)
            arguments.number("width of a peak", width, at_least=0.3, at_most=2.0)
            arguments.number("height of a peak", height, at_least=0.01, at_most=100.0)
            found.append([float(x), float(y), float(width), float(height)])
        return found


SPEED = Knob(
    "speed", "b", "speed of sampling", 1e-3, 1e-4, "1/s", low=1e-6, high=3e-3, scale="log",
    help="How fast every synapse moves; prior, learning and noise alike.",
)  # fmt: skip
TEMPERATURE = Knob(
    "temperature", "T", "temperature", 1.0, 1.0, low=0.0, high=10.0,
    help="Strength of the noise; 0 switches it off.",
)  # fmt: skip
DATA_SIZE = Knob(
    "data_size", "N", "data size", 100.0, 100.0, low=0.0, high=1000.0,
    help="Weight of what is learned, compared with the prior.",
)  # fmt: skip
PRIOR_MEAN = Knob(
    "prior.mean", "μ", "mean of the prior", 0.5, 0.5, low=-3.0, high=3.0,
    help="Where synapses rest without learning; they are functional above 0.",
)  # fmt: skip
PRIOR_STD = Knob(
    "prior.std", "σ", "width of the prior", 1.0, 1.0, low=0.1, high=5.0,
    help="How far synapses stray from the mean of the prior.",
)  # fmt: skip
CLIP = Knob(
    "clip", "clip", "clip of the expected input", 5.0, 5.0, low=0.5, high=100.0, scale="log",
    help="Upper limit of α exp(w), which keeps large synapses from unlearning at once.",
)  # fmt: skip
RETRACTED = Knob(
    "learn_when_retracted", "θ ≤ 0", "retracted synapses learn", True, True, kind="switch",
    restart=True,
    help="The printed equation lets retracted synapses learn, the text of the paper does not.",
)  # fmt: skip
