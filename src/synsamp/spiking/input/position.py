"""The state of a run's input: its position in the stimulus."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.spiking.network import Network

BLOCK = 256
"""Presentations chosen at a time."""


class Chosen(NamedTuple):
    """A block of chosen presentations."""

    first: int
    start_s: float
    indices: dict[str, NDArray[np.int64]]


@dataclass
class InputState:
    """Position in the stimulus, random generator, and silenced inputs."""

    rng: np.random.Generator
    silenced: dict[str, NDArray[np.bool_]]
    next: int = 0  # presentations chosen so far
    end_s: float = 0.0  # when they end
    set_s: float = 0.0  # when the stimulus was set
    logged: int = 0  # presentations handed to the recording
    given: int = 0  # given spikes delivered
    blocks: list[Chosen] = field(default_factory=list)

    @classmethod
    def new(cls, network: Network, rng: np.random.Generator, start_s: float = 0.0) -> Self:
        """Return the initial state: nothing chosen, no input silenced."""
        silenced = {g.name: np.zeros(g.size, bool) for g in network.inputs}
        return cls(rng, silenced, end_s=start_s, set_s=start_s)

    def copy(self) -> InputState:
        """Return an independent copy."""
        rng = np.random.default_rng(0)
        rng.bit_generator.state = self.rng.bit_generator.state
        silenced = {name: mask.copy() for name, mask in self.silenced.items()}
        return replace(self, rng=rng, silenced=silenced, blocks=list(self.blocks))

    def restart(self, now_s: float) -> None:
        """Reset for a new stimulus at ``now_s``; earlier input must have been delivered."""
        self.blocks = []
        self.end_s = self.set_s = now_s
        self.next = self.logged = self.given = 0

    def save(self) -> dict[str, Any]:
        """Return the state as numbers, arrays and nested dictionaries."""
        return {
            "next": self.next,
            "end_s": self.end_s,
            "set_s": self.set_s,
            "logged": self.logged,
            "given": self.given,
            "rng": self.rng.bit_generator.state,
            "silenced": {name: mask.copy() for name, mask in self.silenced.items()},
            "blocks": {
                str(i): {
                    "first": b.first,
                    "start_s": b.start_s,
                    "indices": {name: v.copy() for name, v in b.indices.items()},
                }
                for i, b in enumerate(self.blocks)
            },
        }

    @classmethod
    def restore(cls, network: Network, saved: Any) -> InputState:
        """Inverse of `save`; all values are checked."""
        found = cls.new(network, np.random.default_rng(0))
        try:
            state = dict(saved["rng"])
            found.rng.bit_generator.state = {**state, "state": dict(state["state"])}
        except Exception:
            raise refuse("rng of the saved inputs", "must be a PCG64 state", "another") from None
        for name in ("next", "logged", "given"):
            what = f"{name} of the saved inputs"
            setattr(found, name, arguments.whole(what, saved[name], at_least=0, at_most=2**53))
        for name in ("end_s", "set_s"):
            value = arguments.number(f"{name} of the saved inputs", saved[name], at_least=0)
            setattr(found, name, value)
        for name, mask in found.silenced.items():
            given = np.asarray(saved["silenced"][name])
            if given.shape != mask.shape or given.dtype != bool:
                raise refuse(
                    f"silenced inputs of {name!r}", f"must be bool{mask.shape}", given.shape
                )
            mask[:] = given
        for i in range(len(saved["blocks"])):
            block = saved["blocks"][str(i)]
            found.blocks.append(
                Chosen(
                    arguments.whole("first of a saved block", block["first"], at_least=0),
                    arguments.number("start_s of a saved block", block["start_s"], at_least=0),
                    {
                        name: arguments.wholes("indices of a saved block", v, shape=(BLOCK,))
                        for name, v in block["indices"].items()
                    },
                )
            )
        return found
