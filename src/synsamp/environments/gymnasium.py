"""Environments of Gymnasium, or any object with its ``reset`` and ``step``.

Such an object keeps its state to itself. The adapter stores the seed of the episode and the actions
since it began. After a resume, in a branch, or when another loop used the object in between, it
replays the episode up to that point. So a run continues bit-identically, at the cost of one
episode, if the environment depends only on its seed and the actions. If the observation after the
replay differs, the adapter raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.environments.base import Counts, Environment, Response
from synsamp.errors import refuse
from synsamp.seeds import named_seed


class GymnasiumEnvironment(Environment):
    """Adapter for a Gymnasium environment.

    Observations may be arrays, numbers, texts, or dictionaries and tuples of these. Actions may be
    numbers or arrays. When an episode ends, the next begins with a new seed.

    Parameters
    ----------
    make
        A name for `gymnasium.make` (install ``synsamp[gym]``), or a function that returns an
        environment.
    encode
        ``rates_hz = encode(observation)``: input rates (Hz).
    decode
        ``action = decode(counts)``: the action, from the spikes of each circuit's neurons.
    neurons
        Names of the groups of neurons whose spikes are counted.
    period_s
        Time (s) between two actions.
    """

    def __init__(
        self,
        make: str | Callable[[], object],
        encode: Callable[..., ArrayLike | Mapping[str, ArrayLike]],
        decode: Callable[[Counts], ArrayLike],
        neurons: tuple[str, ...],
        period_s: float,
    ) -> None:
        self._make = make
        self._encode = arguments.function("encode", encode, "rates_hz = encode(observation)")
        self._decode = arguments.function("decode", decode, "action = decode(counts)")
        self.neurons, self.period_s = tuple(neurons), period_s
        self._live: str | None = None  # history of the object, or None if it is unknown
        self._object: Any = None

    def describe(self) -> str:
        """One line for messages."""
        return self._make if isinstance(self._make, str) else type(self).__name__

    def _made(self) -> Any:
        if self._object is None:
            if isinstance(self._make, str):
                try:
                    gymnasium = import_module("gymnasium")
                except ImportError:
                    remedy = "pip install synsamp[gym]"
                    raise refuse("make", "needs Gymnasium", self._make, remedy) from None
                self._object = gymnasium.make(self._make)
            else:
                self._object = self._make()
        return self._object

    def start(self, seed: int) -> Response:
        """Begin the first episode."""
        return self._begin(seed, 0, 0.0)

    def _begin(self, seed: int, episode: int, reward: float) -> Response:
        observation, history = self._reset(seed, episode)
        state = {
            "seed": seed,
            "episode": episode,
            "actions": np.zeros(0),
            "history": history,
            "observation": _numbers(observation),
        }
        return Response(state, self._encode(observation), reward)

    def _reset(self, seed: int, episode: int) -> tuple[Any, str]:
        own = named_seed(seed, "episode", episode)
        self._live = None
        observation = self._made().reset(seed=int(own.generate_state(1)[0] >> 1))[0]
        self._live = _digest(f"{seed} {episode}", b"")
        return observation, self._live

    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """Take one step of the episode."""
        seed, episode, actions = int(state["seed"]), int(state["episode"]), state["actions"]
        history = str(state["history"])
        if self._live != history:
            self._replay(seed, episode, np.asarray(actions), np.asarray(state["observation"]))
        action = self._decode(counts)
        taken = _as_array(action, self.describe())
        (observation, reward, terminated, truncated), history = self._step(action, taken, history)
        if terminated or truncated:
            return self._begin(seed, episode + 1, float(reward))
        new = {
            "seed": seed,
            "episode": episode,
            "actions": np.concatenate([actions, taken[None]]) if len(actions) else taken[None],
            "history": history,
            "observation": _numbers(observation),
        }
        return Response(new, self._encode(observation), float(reward))

    def _step(self, action: Any, taken: NDArray[Any], history: str) -> tuple[Any, str]:
        self._live = None  # an interrupt inside step() leaves the object in an unknown state
        answer = self._made().step(action)[:4]
        self._live = _digest(history, taken.tobytes())
        return answer, self._live

    def _replay(
        self, seed: int, episode: int, actions: NDArray[Any], observed: NDArray[np.float64]
    ) -> None:
        """Repeat the episode so far, so that the object matches the saved state."""
        observation, history = self._reset(seed, episode)
        for taken in actions:
            action = taken.item() if taken.ndim == 0 else taken
            (observation, *_), history = self._step(action, np.asarray(taken), history)
        if not np.array_equal(_numbers(observation), observed, equal_nan=True):
            rule = "must depend only on its seed and the actions to be resumed"
            raise refuse(self.describe(), rule, "another observation", "run without a break")


def _digest(history: str, action: bytes) -> str:
    """Identifies an episode and all actions so far."""
    return blake2b(history.encode() + b"|" + action, digest_size=16).hexdigest()


def _as_array(action: Any, name: str) -> NDArray[Any]:
    """An action as an array of numbers."""
    remedy = "flatten it, and build the action in a wrapper of the environment"
    return arguments.array(f"action for {name}", action, remedy=remedy)


def _numbers(observation: Any) -> NDArray[np.float64]:
    """All numbers of an observation in a row."""
    if isinstance(observation, Mapping):
        parts = [observation[key] for key in sorted(observation)]
    elif isinstance(observation, tuple):
        parts = list(observation)
    elif isinstance(observation, str):
        return np.frombuffer(observation.encode(), np.uint8).astype(float)
    else:
        return np.asarray(observation, float)
    return np.concatenate([np.zeros(0), *(_numbers(part).ravel() for part in parts)])
