"""What the inputs say: ∂ log p_N(x|θ)/∂θ, in the three forms of the paper.

=================== ================================================ =======================
form                the gradient is                                  the rule's factor N
=================== ================================================ =======================
``Batch``           of all inputs together (dyn_batch)               1
``Online``          of one input at a time (dyn_online)              number of inputs
``HiddenStates``    of an input and the network's response to it,    number of inputs
                    drawn from the current θ (dyn_online_hidden)
=================== ================================================ =======================

A gradient is a function of θ that returns an array shaped like θ. If it is compiled with Numba, θ
is one chain's parameters and the whole loop runs compiled; otherwise it is called once for all
chains, with θ of shape (chains, parameters), and may use NumPy, JAX or PyTorch inside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse, require_positive
from synsamp.specialise import is_compiled


def _batch_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    return gradient(theta, *data)  # type: ignore[name-defined]  # noqa: F821


def _online_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    x = inputs[pick_input(step, inputs.shape[0], rng)]  # type: ignore[name-defined]  # noqa: F821
    return gradient(theta, x, *data)  # type: ignore[name-defined]  # noqa: F821


def _hidden_template(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    x = inputs[pick_input(step, inputs.shape[0], rng)]  # type: ignore[name-defined]  # noqa: F821
    z = respond(theta, x, rng, *data)  # type: ignore[name-defined]  # noqa: F821
    return gradient(theta, x, z, *data)  # type: ignore[name-defined]  # noqa: F821


def in_turn(step: int, n: int, rng: Any) -> Any:
    """The inputs in a fixed regular order, as in the paper's derivation."""
    return step % n


def at_random(step: int, n: int, rng: Any) -> Any:
    """An input drawn anew for every step, as in the paper's simulations."""
    return int(rng.random() * n)


@dataclass(frozen=True, eq=False)
class Batch:
    """∂ log p_N(x¹ … x^N | θ)/∂θ of all inputs: ``gradient(θ, *data)``."""

    gradient: Callable[..., Any]
    data: tuple[Any, ...] = ()

    n_inputs: float = 1.0

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

    def evaluate(self, theta: NDArray[np.float64], step: int, rng: np.random.Generator) -> Any:
        """The gradient for θ of shape (chains, parameters), or one chain's if it is compiled."""
        return self.gradient(theta, *self.data)


@dataclass(frozen=True, eq=False)
class Online:
    """One input at a time: ``gradient(θ, x, *data)`` of a single input, times N in the rule.

    ``n_inputs`` defaults to the number of inputs (the paper's N; its experiments set 100).
    """

    gradient: Callable[..., Any]
    inputs: Any
    data: tuple[Any, ...] = ()
    n_inputs: float | None = None
    order: Callable[[int, int, Any], Any] = at_random

    def __post_init__(self) -> None:
        inputs = np.asarray(self.inputs)
        if inputs.ndim == 0 or len(inputs) == 0:
            raise refuse("inputs", "must hold at least one input along axis 0", inputs.shape)
        object.__setattr__(self, "inputs", np.ascontiguousarray(inputs))
        if self.n_inputs is None:
            object.__setattr__(self, "n_inputs", float(len(inputs)))
        require_positive(n_inputs=self.n_inputs)

    @property
    def compiled(self) -> bool:
        """Whether it can run inside a compiled loop."""
        return is_compiled(self.gradient)

    @property
    def template(self) -> tuple[Any, dict[str, Any]]:
        """The kernel's way to ask for a gradient, and the functions to bind in it."""
        return _online_template, {"gradient": self.gradient, "pick_input": self.order}

    @property
    def inputs_for_kernel(self) -> NDArray[Any]:
        """All inputs, along axis 0; a single number becomes an array of one."""
        inputs: NDArray[Any] = self.inputs
        return inputs

    def evaluate(self, theta: NDArray[np.float64], step: int, rng: np.random.Generator) -> Any:
        """The gradient of one input per chain, for θ of shape (chains, parameters)."""
        return self.gradient(theta, self._present(theta, step, rng), *self.data)

    def _present(self, theta: NDArray[Any], step: int, rng: np.random.Generator) -> NDArray[Any]:
        n = len(self.inputs)
        if self.compiled:
            chosen: Any = self.order(step, n, rng)
        else:
            chosen = [self.order(step, n, rng) for _ in range(len(theta))]
        presented: NDArray[Any] = self.inputs[chosen]
        return presented


@dataclass(frozen=True, eq=False)
class HiddenStates(Online):
    """One input and the network's response to it: a sampling form of online EM.

    ``respond(θ, x, rng, *data)`` draws z from p_N(z|x, θ); ``gradient(θ, x, z, *data)`` is
    ∂ log p_N(x, z|θ)/∂θ. A network that keeps something between two inputs (its own activity, a
    random stream) names it by ``memory``: a function of a seed that returns arrays. Each chain has
    its own; they follow ``data`` in the arguments, may be written to, and are part of the state.
    """

    respond: Callable[..., Any] | None = None
    memory: Callable[[np.random.SeedSequence], tuple[NDArray[Any], ...]] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.respond is None:
            raise refuse("respond", "must be a function (θ, x, rng, *data) -> z", None)
        if self.memory is not None and not self.compiled:
            raise refuse(
                "memory",
                "must go with compiled functions (plain ones see all chains at once)",
                self.memory,
                "compile respond and gradient with numba.njit",
            )

    @property
    def compiled(self) -> bool:
        """Whether both functions can run inside a compiled loop."""
        return is_compiled(self.gradient) and is_compiled(self.respond)

    @property
    def template(self) -> tuple[Any, dict[str, Any]]:
        """The kernel's way to ask for a gradient, and the functions to bind in it."""
        parts = {"gradient": self.gradient, "pick_input": self.order, "respond": self.respond}
        return _hidden_template, parts

    def remember(self, seed: np.random.SeedSequence) -> tuple[NDArray[Any], ...]:
        """What a fresh chain keeps between two inputs."""
        return () if self.memory is None else self.memory(seed)

    def evaluate(
        self,
        theta: NDArray[np.float64],
        step: int,
        rng: np.random.Generator,
        memory: tuple[NDArray[Any], ...] = (),
    ) -> Any:
        """The gradient of one input and response per chain."""
        assert self.respond is not None
        x = self._present(theta, step, rng)
        data = (*self.data, *memory)
        return self.gradient(theta, x, self.respond(theta, x, rng, *data), *data)


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
