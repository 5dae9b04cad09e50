"""Likelihoods: the gradient ∂ log p_N(x|θ)/∂θ in the three forms of the paper.

=================== ================================================ =======================
form                gradient                                         factor N of the rule
=================== ================================================ =======================
``Batch``           of all inputs together (Eq. 17, batch rule)      1
``Online``          of one input at a time (Eq. 18, online rule)     number of inputs
``HiddenStates``    of an input and the network's response to it,    number of inputs
                    drawn at the current θ (Eq. 22)
=================== ================================================ =======================

A gradient is a function of one chain's θ that returns an array of the same shape. If it is compiled
with Numba, the whole loop runs compiled. Otherwise it may use NumPy, JAX or PyTorch, and may be
vectorised over chains: θ of shape (chains, parameters), x of shape (chains, …).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
"""Number of inputs from which the curvature is estimated."""


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


def in_turn(k: int, n: int, rng: np.random.Generator) -> int:
    """Present the inputs in a fixed order, as in the paper's derivation: k modulo n.

    Parameters
    ----------
    k, n : int
        Number of the presentation, and how many inputs there are.
    rng : numpy.random.Generator
        Not used.

    Returns
    -------
    int
        Index of the input.
    """
    return k % n


def at_random(k: int, n: int, rng: np.random.Generator) -> int:
    """Draw a random input for every presentation, as in the paper's simulations.

    Parameters
    ----------
    k, n : int
        Number of the presentation, and how many inputs there are.
    rng : numpy.random.Generator
        Generator of the chain.

    Returns
    -------
    int
        Index of the input.
    """
    return int(rng.random() * n)


def _as_data(data: Any) -> tuple[Any, ...]:
    instance("data", data, (tuple, list), "give a tuple of arrays, also of one: (array,)")
    return tuple(data)


@dataclass(frozen=True, eq=False)
class Batch:
    """Gradient of all inputs together (Eq. 17, batch rule).

    Parameters
    ----------
    gradient : callable
        ``gradient(θ, *data)`` returns ∂ log p_N(x¹ … x^N | θ)/∂θ, shaped like θ.
    data : tuple
        Further arguments of ``gradient``.
    data_size : float
        Factor N of the likelihood term.
    """

    gradient: Callable[..., ArrayLike]
    data: tuple[object, ...] = ()
    data_size: float = 1.0

    def __post_init__(self) -> None:
        function("gradient", self.gradient, "pass a function θ -> ∂log p(x|θ)/∂θ")
        object.__setattr__(self, "data", _as_data(self.data))
        object.__setattr__(self, "data_size", _data_size(self.data_size))

    @property
    def compiled(self) -> bool:
        """Whether the gradient can run inside a compiled loop."""
        return is_compiled(self.gradient)

    @property
    def template(self) -> tuple[Any, dict[str, Any]]:
        """Kernel template that evaluates the gradient, and the functions to bind into it."""
        return _batch_template, {"gradient": self.gradient}

    @property
    def inputs_for_kernel(self) -> NDArray[Any]:
        """Placeholder: a batch has no single inputs."""
        return np.zeros((1, 1))

    def init_memory(self, seed: np.random.SeedSequence) -> Memory:
        """Arrays that a chain keeps between two steps: none."""
        return ()

    def validate(self, theta: NDArray[np.float64]) -> bool:
        """Call the gradient once to check its result; returns whether it is vectorised."""
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
        vectorised: bool,
    ) -> Any:
        """Gradients for θ of shape (chains, parameters)."""
        if vectorised:
            return self.gradient(theta, *self.data)
        return [self.gradient(own, *self.data) for own in theta]

    has_fixed_gradient = True

    def fixed_gradient(self, theta: NDArray[np.float64], vectorised: bool) -> Any:
        """Deterministic gradients for θ of shape (chains, parameters)."""
        return self.evaluate(theta, 0, (), (), vectorised)


@dataclass(frozen=True, eq=False)
class Online:
    """Gradient of one input at a time, multiplied by N in the rule (Eq. 18, online rule).

    Parameters
    ----------
    gradient : callable
        ``gradient(θ, x, *data)`` returns ∂ log p_N(x|θ)/∂θ of a single input, shaped like θ.
    inputs : array_like, shape (n, …)
        The inputs, along axis 0.
    data : tuple
        Further arguments of ``gradient``.
    data_size : float, optional
        Factor N; default: the number of inputs (the paper's experiments use 100).
    order : callable
        ``order(k, n, rng)`` returns the index of the k-th presented input: ``at_random``,
        ``in_turn`` or a custom function.
    batch : int
        Inputs per step; the step uses the mean of their gradients.
    """

    gradient: Callable[..., ArrayLike]
    inputs: NDArray[np.generic]
    data: tuple[object, ...] = ()
    data_size: float | None = None
    order: Callable[[int, int, np.random.Generator], int] = at_random
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
        """Whether the gradient can run inside a compiled loop."""
        known = self.order in (in_turn, at_random) or is_compiled(self.order)
        return is_compiled(self.gradient) and known

    @property
    def template(self) -> tuple[Any, dict[str, Any]]:
        """Kernel template that evaluates the gradient, and the functions to bind into it."""
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
        """Arrays that a chain keeps between two inputs: none without hidden states."""
        return ()

    def validate(self, theta: NDArray[np.float64]) -> bool:
        """Call the gradient once to check its result; returns whether it is vectorised."""
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
        """Indices of the inputs of a chain in this step, from the chain's generator."""
        n = len(self.inputs)
        return [int(self.order(step * self.batch + j, n, rng)) for j in range(self.batch)]

    def evaluate(
        self,
        theta: NDArray[np.float64],
        step: int,
        rngs: Sequence[np.random.Generator],
        memories: Sequence[Memory],
        vectorised: bool,
    ) -> Any:
        """Gradients for θ of shape (chains, parameters), with separate inputs per chain."""
        seen = [self.chosen(step, rng) for rng in rngs]
        if vectorised:
            x = self.inputs[np.ravel(seen)]
            found = np.asarray(self.gradient(np.repeat(theta, self.batch, axis=0), x, *self.data))
            return found.reshape(len(theta), self.batch, -1).mean(axis=1)
        return [
            _mean([self.gradient(own, self.inputs[k], *self.data) for k in ks])
            for own, ks in zip(theta, seen, strict=True)
        ]

    has_fixed_gradient = True

    def fixed_gradient(self, theta: NDArray[np.float64], vectorised: bool) -> Any:
        """Mean gradients of a few evenly spaced inputs, hence deterministic."""
        some = self.inputs[:: -(-len(self.inputs) // _SOME)]
        if vectorised:
            return _mean(
                [
                    np.asarray(self.gradient(theta, np.repeat(x[None], len(theta), 0), *self.data))
                    for x in some
                ]
            )
        return [_mean([self.gradient(own, x, *self.data) for x in some]) for own in theta]


@dataclass(frozen=True, eq=False)
class HiddenStates(Online):
    """Gradient of one input and the network's response to it (Eq. 22): sampling-based online EM.

    Both functions receive the parameters of one chain.

    Parameters
    ----------
    gradient : callable
        ``gradient(θ, x, z, *data)`` returns ∂ log p_N(x, z|θ)/∂θ, shaped like θ.
    inputs, data, data_size, order, batch
        As for ``Online``.
    respond : callable
        ``respond(θ, x, rng, *data)`` draws the hidden state z from p_N(z|x, θ).
    memory : callable, optional
        Function of a seed that returns the arrays a chain keeps between two inputs, such as a
        random stream. They follow ``data`` in the arguments, may be written to, and belong to the
        saved state.
    """

    has_fixed_gradient = False  # the response is a draw

    respond: Callable[..., ArrayLike] | None = None
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
        """Kernel template that evaluates the gradient, and the functions to bind into it."""
        parts = {"gradient": self.gradient, "pick_input": self.order, "respond": self.respond}
        if self.batch == 1:
            return _hidden_template, parts
        return _hidden_batch_template, {**parts, "batch": self.batch}

    def init_memory(self, seed: np.random.SeedSequence) -> Memory:
        """Arrays that a new chain keeps between two inputs."""
        return () if self.memory is None else self.memory(seed)

    def validate(self, theta: NDArray[np.float64]) -> bool:
        """Call both functions once to check the result; they are never vectorised."""
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
        vectorised: bool,
    ) -> Any:
        """Gradients of an input and the response to it, chain by chain."""
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
    """At least two chains, so that a function which mixes them is detected."""
    return np.repeat(theta, 2, axis=0) if len(theta) == 1 else theta


Likelihood = Batch | Online | HiddenStates


def as_likelihood(likelihood: Likelihood | Callable[..., ArrayLike] | None) -> Likelihood | None:
    """A function becomes a ``Batch``; None means no likelihood term."""
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
