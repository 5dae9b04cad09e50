"""Environments of Gymnasium, or anything with its ``reset`` and ``step``.

Such an environment keeps its state to itself. What is kept here is the seed of the episode and the
actions since it began; after a resume or in a branch the episode is played again to that point. So
a run goes on to the bit if the environment depends on its seed and the actions alone, and at the
cost of one episode; one that does not is refused where its observation differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp import arguments
from synsamp.environments.base import Counts, Environment, Response
from synsamp.errors import refuse
from synsamp.seeds import named_seed


class GymnasiumEnvironment(Environment):
    """An adapter: ``encode(observation)`` gives input rates, ``decode(counts)`` the action.

    ``make`` is a name that `gymnasium.make` knows (install ``synsamp[gym]``) or a function that
    makes an environment. An episode that ends is followed by the next, with a seed of its own.
    """

    def __init__(
        self,
        make: str | Callable[[], Any],
        encode: Callable[[Any], Any],
        decode: Callable[[Counts], Any],
        circuits: tuple[str, ...],
        period_s: float,
    ) -> None:
        self._make = make
        self._encode = arguments.function("encode", encode, "rates_hz = encode(observation)")
        self._decode = arguments.function("decode", decode, "action = decode(counts)")
        self.circuits, self.period_s = tuple(circuits), period_s
        self._live: tuple[Any, ...] | None = None  # which episode the object is in, and how far
        self._object: Any = None

    def describe(self) -> str:
        """In one line."""
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
        """The first episode."""
        return self._begin(seed, 0, 0.0)

    def _begin(self, seed: int, episode: int, reward: float) -> Response:
        observation = self._reset(seed, episode)
        state = {
            "seed": seed,
            "episode": episode,
            "actions": np.zeros(0),
            "observation": _numbers(observation),
        }
        return Response(state, self._encode(observation), reward)

    def _reset(self, seed: int, episode: int) -> Any:
        own = named_seed(seed, "episode", episode)
        self._live = (seed, episode, 0)
        return self._made().reset(seed=int(own.generate_state(1)[0] >> 1))[0]

    def respond(self, state: Mapping[str, Any], counts: Counts) -> Response:
        """One step of the episode."""
        seed, episode, actions = int(state["seed"]), int(state["episode"]), state["actions"]
        self._play_to(seed, episode, np.asarray(actions), np.asarray(state["observation"]))
        action = self._decode(counts)
        observation, reward, terminated, truncated, _ = self._made().step(action)
        done = np.concatenate([np.asarray(actions), [action]])  # grows with the episode
        self._live = (seed, episode, len(done))
        if terminated or truncated:
            return self._begin(seed, episode + 1, float(reward))
        new = {
            "seed": seed,
            "episode": episode,
            "actions": done,
            "observation": _numbers(observation),
        }
        return Response(new, self._encode(observation), float(reward))

    def _play_to(
        self, seed: int, episode: int, actions: NDArray[Any], observed: NDArray[np.float64]
    ) -> None:
        """Bring the object to where the state says it is."""
        if self._live == (seed, episode, len(actions)):
            return
        observation = self._reset(seed, episode)
        for action in actions:
            observation = self._made().step(_as_action(action))[0]
        if not np.array_equal(_numbers(observation), observed, equal_nan=True):
            rule = "must depend on its seed and the actions alone to be taken up again"
            raise refuse(self.describe(), rule, "another observation", "run without a break")
        self._live = (seed, episode, len(actions))


def _numbers(observation: Any) -> NDArray[np.float64]:
    return np.asarray(observation, float)


def _as_action(action: Any) -> Any:
    """An integer where it was one: discrete actions are used as an index."""
    return int(action) if np.ndim(action) == 0 and float(action).is_integer() else action
