"""What the inputs say: ∂ log p_N(x|θ)/∂θ, in the three forms of the paper.

=================== ================================================ =======================
form                the gradient is                                  the rule's factor N
=================== ================================================ =======================
``Batch``           of all inputs together (dyn_batch)               1
``Online``          of one input at a time (dyn_online)              number of inputs
``HiddenStates``    of an input and the network's response to it,    number of inputs
                    drawn from the current θ (dyn_online_hidden)
=================== ================================================ =======================

A gradient is a function of θ that returns an array shaped like θ, for one chain's parameters. If it
is compiled with Numba the whole loop runs compiled; otherwise it may use NumPy, JAX or PyTorch
inside, and may also be written for all chains at once, θ of shape (chains, parameters) (and then x
of shape (chains, …)): `synsamp.rule.vectorisation` finds out which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.arguments import function, instance, number, whole
from synsamp.errors import refuse
from synsamp.rule.vectorisation import (
    is_builtin,
    is_vectorised,
    require_compiled_result,
)
from synsamp.specialise import is_compiled

Memory = tuple[NDArray[Any], ...]

_SOME = 16
"""Inputs that speak for all where only the size of a curvature is asked."""


def _batch_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    return gradient(theta, *data)  # type: ignore[name-defined]  # noqa: F821


def _online_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    x = inputs[pick_input(step, inputs.shape[0], rng)]  # type: ignore[name-defined]  # noqa: F821
    return gradient(theta, x, *data)  # type: ignore[name-defined]  # noqa: F821


def _online_batch_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    mean = np.zeros(theta.size)
    for j in range(batch):  # type: ignore[name-defined]  # noqa: F821
        x = inputs[pick_input(step * batch + j, inputs.shape[0], rng)]  # type: ignore[name-defined]  # noqa: F821
        mean += gradient(theta, x, *data)  # type: ignore[name-defined]  # noqa: F821
    return mean / batch  # type: ignore[name-defined]  # noqa: F821


def _hidden_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    x = inputs[pick_input(step, inputs.shape[0], rng)]  # type: ignore[name-defined]  # noqa: F821
    z = respond(theta, x, rng, *data)  # type: ignore[name-defined]  # noqa: F821
    return gradient(theta, x, z, *data)  # type: ignore[name-defined]  # noqa: F821


def _hidden_batch_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    mean = np.zeros(theta.size)
    for j in range(batch):  # type: ignore[name-defined]  # noqa: F821
        x = inputs[pick_input(step * batch + j, inputs.shape[0], rng)]  # type: ignore[name-defined]  # noqa: F821
        z = respond(theta, x, rng, *data)  # type: ignore[name-defined]  # noqa: F821
        mean += gradient(theta, x, z, *data)  # type: ignore[name-defined]  # noqa: F821
    return mean / batch  # type: ignore[name-defined]  # noqa: F821


def in_turn(k: int, n: int, rng: Any) -> Any:
    """The inputs in a fixed regular order, as in the paper's derivation."""
    return k % n


def at_random(k: int, n: int, rng: Any) -> Any:
    """An input drawn anew every time, as in the paper's simulations."""
    return int(rng.random() * n)


def _as_data(data: Any) -> tuple[Any, ...]:
    instance("data", data, (tuple, list), "give a tuple of arrays, also of one: (array,)")
    return tuple(data)


@dataclass(frozen=True, eq=False)
class Batch:
    """∂ log p_N(x¹ … x^N | θ)/∂θ of all inputs: ``gradient(θ, *data)``."""

    gradient: Callable[..., Any]
    data: tuple[Any, ...] = ()

    data_size: float = 1.0

    def __post_init__(self) -> None:
        function("gradient", self.gradient, "pass a function θ -> ∂log p(x|θ)/∂θ")
        object.__setattr__(self, "data", _as_data(self.data))
        object.__setattr__(self, "data_size", _data_size(self.data_size))

    @property
    def compiled(self) -> bool:
        """Whether it can run inside a compiled loop."""
        return is_compiled(self.gradient)

    @property
    def template(self) -> tuple[Any, dict[str, Any]]:
        """The kernel's way to ask for a gradient, and the functions to bind in it."""
        return _batch_template, {"gradient": self.gradient}

    @property
    def inputs_for_kernel(self) -> NDArray[Any]:
        """Nothing is presented one by one."""
        return np.zeros((1, 1))

    def init_memory(self, seed: np.random.SeedSequence) -> Memory:
        """A batch keeps nothing between two steps."""
        return ()

    def validate(self, theta: NDArray[np.float64]) -> bool:
        """Call the gradient once to see that it fits; returns whether to call it for all chains."""
        if self.compiled:
            if not is_builtin(self.gradient):
                require_compiled_result(
                    lambda: self.gradient(theta[0].copy(), *self.data), theta.shape[1]
                )
            return False
        return is_vectorised(lambda t: self.gradient(t, *self.data), _two_rows(theta))

    def evaluate(
        self,
        theta: NDArray[np.float64],
        step: int,
        rngs: Sequence[np.random.Generator],
        memories: Sequence[Memory],
        together: bool,
    ) -> Any:
        """The gradients for θ of shape (chains, parameters)."""
        if together:
            return self.gradient(theta, *self.data)
        return [self.gradient(own, *self.data) for own in theta]

    has_fixed_gradient = True

    def fixed_gradient(self, theta: NDArray[np.float64], together: bool) -> Any:
        """The gradients with nothing left to chance."""
        return self.evaluate(theta, 0, (), (), together)


@dataclass(frozen=True, eq=False)
class Online:
    """One input at a time: ``gradient(θ, x, *data)`` of a single input, times N in the rule.

    ``data_size`` defaults to the number of inputs (the paper's N; its experiments set 100). With
    ``batch`` = m each step sees m inputs and takes the mean of their gradients; ``gradient`` stays
    that of a single input. ``order(k, n, rng)`` says which of the n inputs is the k-th to be seen.
    """

    gradient: Callable[..., Any]
    inputs: Any
    data: tuple[Any, ...] = ()
    data_size: float | None = None
    order: Callable[[int, int, Any], Any] = at_random
    batch: int = 1

    def __post_init__(self) -> None:
        function("gradient", self.gradient, "pass a function (θ, x) -> ∂log p(x|θ)/∂θ")
        function("order", self.order, "synsamp.rule.in_turn or synsamp.rule.at_random")
        object.__setattr__(self, "data", _as_data(self.data))
        object.__setattr__(self, "inputs", _as_inputs(self.inputs))
        n = float(len(self.inputs)) if self.data_size is None else self.data_size
        object.__setattr__(self, "data_size", _data_size(n))
        object.__setattr__(self, "batch", whole("batch", self.batch, at_least=1, at_most=10**6))

    @property
    def compiled(self) -> bool:
        """Whether it can run inside a compiled loop."""
        known = self.order in (in_turn, at_random) or is_compiled(self.order)
        return is_compiled(self.gradient) and known

    @property
    def template(self) -> tuple[Any, dict[str, Any]]:
        """The kernel's way to ask for a gradient, and the functions to bind in it."""
        parts = {"gradient": self.gradient, "pick_input": self.order}
        if self.batch == 1:
            return _online_template, parts
        return _online_batch_template, {**parts, "batch": self.batch}

    @property
    def inputs_for_kernel(self) -> NDArray[Any]:
        """All inputs, along axis 0."""
        inputs: NDArray[Any] = self.inputs
        return inputs

    def init_memory(self, seed: np.random.SeedSequence) -> Memory:
        """Without hidden states nothing is kept between two inputs."""
        return ()

    def validate(self, theta: NDArray[np.float64]) -> bool:
        """Call the gradient once to see that it fits; returns whether to call it for all chains."""
        if is_compiled(self.gradient):
            if not is_builtin(self.gradient):
                require_compiled_result(
                    lambda: self.gradient(theta[0].copy(), self.inputs[0], *self.data),
                    theta.shape[1],
                )
            return False
        theta = _two_rows(theta)
        x = self.inputs[np.arange(len(theta)) % len(self.inputs)]
        return is_vectorised(lambda t, x: self.gradient(t, x, *self.data), theta, x)

    def chosen(self, step: int, rng: np.random.Generator) -> list[int]:
        """Which inputs a chain sees in this step: its own generator decides, nobody else's."""
        n = len(self.inputs)
        return [int(self.order(step * self.batch + j, n, rng)) for j in range(self.batch)]

    def evaluate(
        self,
        theta: NDArray[np.float64],
        step: int,
        rngs: Sequence[np.random.Generator],
        memories: Sequence[Memory],
        together: bool,
    ) -> Any:
        """The gradients for θ of shape (chains, parameters), each chain with its own inputs."""
        seen = [self.chosen(step, rng) for rng in rngs]
        if together:
            x = self.inputs[np.ravel(seen)]
            found = np.asarray(self.gradient(np.repeat(theta, self.batch, axis=0), x, *self.data))
            return found.reshape(len(theta), self.batch, -1).mean(axis=1)
        return [
            _mean([self.gradient(own, self.inputs[k], *self.data) for k in ks])
            for own, ks in zip(theta, seen, strict=True)
        ]

    has_fixed_gradient = True

    def fixed_gradient(self, theta: NDArray[np.float64], together: bool) -> Any:
        """The mean gradients of a few evenly spaced inputs: nothing is left to chance."""
        some = self.inputs[:: -(-len(self.inputs) // _SOME)]
        if together:
            return _mean(
                [
                    np.asarray(self.gradient(theta, np.repeat(x[None], len(theta), 0), *self.data))
                    for x in some
                ]
            )
        return [_mean([self.gradient(own, x, *self.data) for x in some]) for own in theta]


@dataclass(frozen=True, eq=False)
class HiddenStates(Online):
    """One input and the network's response to it: a sampling form of online EM.

    ``respond(θ, x, rng, *data)`` draws z from p_N(z|x, θ); ``gradient(θ, x, z, *data)`` is
    ∂ log p_N(x, z|θ)/∂θ. Both are functions of one chain. A network that keeps something between
    two inputs (its own activity, a random stream) names it by ``memory``: a function of a seed that
    returns arrays. Each chain has its own; they follow ``data`` in the arguments, may be written
    to, and are part of the state.
    """

    has_fixed_gradient = False  # the response is a draw

    respond: Callable[..., Any] | None = None
    memory: Callable[[np.random.SeedSequence], Memory] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        function("respond", self.respond, "pass a function (θ, x, rng, *data) -> z")
        if self.memory is not None:
            function("memory", self.memory, "pass a function of a seed that returns arrays")

    @property
    def compiled(self) -> bool:
        """Whether all functions can run inside a compiled loop."""
        return super().compiled and is_compiled(self.respond)

    @property
    def template(self) -> tuple[Any, dict[str, Any]]:
        """The kernel's way to ask for a gradient, and the functions to bind in it."""
        parts = {"gradient": self.gradient, "pick_input": self.order, "respond": self.respond}
        if self.batch == 1:
            return _hidden_template, parts
        return _hidden_batch_template, {**parts, "batch": self.batch}

    def init_memory(self, seed: np.random.SeedSequence) -> Memory:
        """What a fresh chain keeps between two inputs."""
        return () if self.memory is None else self.memory(seed)

    def validate(self, theta: NDArray[np.float64]) -> bool:
        """Call both functions once to see that they fit; they are never called for all chains."""
        if self.compiled and is_builtin(self.gradient, self.respond):
            return False
        memory, rng = self.init_memory(np.random.SeedSequence(0)), np.random.default_rng(0)

        def once() -> Any:
            found = self._one(theta[0].copy(), self.inputs[0], rng, memory)
            return found if self.compiled else np.asarray(found)

        require_compiled_result(once, theta.shape[1])
        return False

    def evaluate(
        self,
        theta: NDArray[np.float64],
        step: int,
        rngs: Sequence[np.random.Generator],
        memories: Sequence[Memory],
        together: bool,
    ) -> Any:
        """The gradient of an input and the response to it, chain by chain."""
        n = len(self.inputs)
        found = []
        for own, rng, memory in zip(theta, rngs, memories, strict=True):
            ones = []
            for j in range(self.batch):  # a response may use the generator before the next choice
                x = self.inputs[int(self.order(step * self.batch + j, n, rng))]
                ones.append(self._one(own, x, rng, memory))
            found.append(_mean(ones))
        return found

    def _one(self, theta: Any, x: Any, rng: np.random.Generator, memory: Memory) -> Any:
        assert self.respond is not None
        data = (*self.data, *memory)
        return self.gradient(theta, x, self.respond(theta, x, rng, *data), *data)


def _as_inputs(inputs: Any) -> NDArray[Any]:
    remedy = "give an array with one input per row"
    try:
        found = np.asarray(inputs)
    except (TypeError, ValueError):
        raise refuse("inputs", "must be an array", type(inputs), remedy) from None
    if found.ndim == 0 or len(found) == 0:
        raise refuse("inputs", "must hold at least one input along axis 0", found.shape, remedy)
    if found.dtype.kind not in "biufc" or not np.all(np.isfinite(found)):
        raise refuse("inputs", "must be finite numbers", found.dtype.name, remedy)
    return np.ascontiguousarray(found)


def _data_size(value: Any) -> float:
    return number("data_size", value, above=0, at_most=1e15, remedy="it is the paper's N")


def _mean(gradients: list[Any]) -> Any:
    return gradients[0] if len(gradients) == 1 else np.mean(gradients, axis=0)


def _two_rows(theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of one chain two, so that a function which mixes chains up is found out."""
    return np.repeat(theta, 2, axis=0) if len(theta) == 1 else theta


Likelihood = Batch | Online | HiddenStates


def as_likelihood(likelihood: Any) -> Likelihood | None:
    """A bare function is taken as the batch gradient; None means no inputs at all."""
    if likelihood is None or isinstance(likelihood, (Batch, Online)):
        return likelihood
    if callable(likelihood):
        return Batch(likelihood)
    raise refuse(
        "likelihood",
        "must be a gradient function, Batch, Online or HiddenStates",
        likelihood,
        "pass a function θ -> ∂log p(x|θ)/∂θ",
    )
