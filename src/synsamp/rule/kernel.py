"""Compiled loop of one chain: likelihood gradient, prior gradient, noise.

``chain_kernel(rule, update)`` binds the rule's functions, and the step of a method such as
`rule/overdamped.py`, into the template below and compiles it. The kernel receives only arrays and
scalars, holds no state and releases the GIL, so chains run in parallel and results do not depend on
the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload
from numpy.typing import NDArray

from synsamp.noise.arithmetic import scalar
from synsamp.noise.streams import fill_normals
from synsamp.priors import PriorByGroup
from synsamp.priors.base import at
from synsamp.rule.equation import chain_rule
from synsamp.rule.rule import Rule
from synsamp.specialise import is_compiled, specialise

STRIP = 64
"""θ is processed in multiples of this number, a multiple of all vector registers: so rounding of
the elements that fill no register does not depend on where a buffer of normals ends."""


def pick(value: Any, i: int) -> Any:
    """``value[i]`` of an array, or the number itself."""
    return value[i] if np.ndim(value) else value


@overload(pick, inline="always")
def _pick(value, i):  # type: ignore[no-untyped-def]
    if isinstance(value, types.Array):
        return lambda value, i: value[i]
    return lambda value, i: value


@njit(nogil=True)
def take_normals(
    stream: NDArray[np.uint32],
    buffer: NDArray[np.float32],
    position: int,
    out: NDArray[np.float32],
) -> int:
    """Copy the next ``out.size`` normals of the stream; returns the new position in the buffer.

    Normals are generated a buffer at a time and used in order, so the normals of a chain do not
    depend on how its steps are cut into chunks.
    """
    taken = 0
    while taken < out.size:
        if position == buffer.size:
            fill_normals(stream, buffer)
            position = 0
        n = min(out.size - taken, buffer.size - position)
        out[taken : taken + n] = buffer[position : position + n]
        taken += n
        position += n
    return position


def _chain_template(
    theta: Any,
    state: Any,
    first_step: int,
    n_steps: int,
    constants: Any,
    temperatures: Any,
    prior_parameters: Any,
    prior_ranges: Any,
    speed_parameters: Any,
    mapping_parameters: Any,
    data_size: float,
    inputs: Any,
    data: Any,
    rng: Any,
    stream: Any,
    buffer: Any,
    position: int,
    origin: int,
    thin: int,
    draws: Any,
) -> int:
    prior = np.empty(min(theta.size, buffer.size))
    seam = np.empty(min(theta.size, STRIP), np.float32)
    room = np.empty(theta.size)
    kept = 0
    for s in range(n_steps):
        step = first_step + s
        weights = weights_of(theta, mapping_parameters, room)  # type: ignore[name-defined]  # noqa: F821
        likelihood = likelihood_gradient(weights, step, rng, inputs, data)  # type: ignore[name-defined]  # noqa: F821
        first = 0
        while first < theta.size:  # in parts that stay in the cache
            n = theta.size - first
            if position + n > buffer.size:
                n = (buffer.size - position) // STRIP * STRIP
            if n > 0:
                normals = buffer[position : position + n]
                position += n
            else:
                n = min(theta.size - first, STRIP)
                normals = seam[:n]
                position = take_normals(stream, buffer, position, normals)
            add_priors(theta, first, prior[:n], prior_parameters, prior_ranges)  # type: ignore[name-defined]  # noqa: F821
            update(  # type: ignore[name-defined]  # noqa: F821
                theta[first : first + n],
                state,
                first,
                prior[:n],
                data_size,
                likelihood[first : first + n],
                speed_parameters,
                mapping_parameters,
                temperatures[s],
                constants,
                normals,
            )
            first += n
        if (step + 1 - origin) % thin == 0:
            draws[kept] = theta
            kept += 1
    return position


def _prior_template(theta: Any, first: int, out: Any, parameters: Any, ranges: Any) -> None:
    """Prior gradient of one group at θ[first : first + out.size], then of the other groups."""
    own, last = ranges[0], first + out.size
    r = np.searchsorted(own[:, 1], first, side="right")
    while r < own.shape[0] and own[r, 0] < last:
        start, stop = max(own[r, 0], first), min(own[r, 1], last)
        part, part_out = theta[start:stop], out[start - first : stop - first]
        for i in range(part.size):
            part_out[i] = gradient(part[i], at(parameters[0], start + i))  # type: ignore[name-defined]  # noqa: F821
        r += 1
    others(theta, first, out, parameters[1:], ranges[1:])  # type: ignore[name-defined]  # noqa: F821


def _no_more_priors(theta: Any, first: int, out: Any, parameters: Any, ranges: Any) -> None:
    return None


@scalar
def _no_likelihood(theta: Any, step: int, rng: Any, inputs: Any, data: Any) -> Any:
    return data[0]


def bind_priors(rule: Rule, function: str = "gradient_of") -> Any:
    """Compiled function that evaluates the priors of a rule, or their ``log_density_of``."""
    given = rule.prior
    bound = specialise(_no_more_priors)
    for prior in reversed(given.priors if isinstance(given, PriorByGroup) else (given,)):
        own = getattr(prior, function)
        bound = specialise(_prior_template, gradient=own, others=bound)
    return bound


def _theta_itself(theta: Any, parameters: Any, room: Any) -> Any:
    return theta


def _weights_template(theta: Any, parameters: Any, room: Any) -> Any:
    for i in range(theta.size):
        room[i] = weight_of(theta[i], parameters)  # type: ignore[name-defined]  # noqa: F821
    return room


@scalar
def _as_given(gradient: Any, theta: Any, parameters: Any) -> Any:
    return gradient


def _chain_rule_template(gradient: Any, theta: Any, parameters: Any) -> Any:
    return chain_rule(slope_of(theta, parameters), gradient)  # type: ignore[name-defined]  # noqa: F821


def bind_mapping(rule: Rule) -> tuple[Any, Any]:
    """Functions for θ → w and for the gradient in w → in θ; both trivial if w is θ."""
    if not rule.maps:
        return specialise(_theta_itself), _as_given
    weights_of = specialise(_weights_template, weight_of=rule.mapping.weight_of)
    return weights_of, specialise(_chain_rule_template, slope_of=rule.mapping.slope_of)


def prior_arguments(rule: Rule, size: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Parameters of each prior and the ranges of θ it covers, for the kernel."""
    parts = rule.prior.parts(size)
    return tuple(part.parameters for part in parts), tuple(part.ranges for part in parts)


def likelihood_data(rule: Rule, size: int) -> tuple[NDArray[Any], tuple[Any, ...]]:
    """Inputs and further data of the likelihood, for the kernel."""
    if rule.likelihood is None:
        return np.zeros((1, 1)), (np.zeros(size),)
    return rule.likelihood.inputs_for_kernel, tuple(rule.likelihood.data)


def bind_likelihood(rule: Rule) -> Any:
    """Compiled function that evaluates the likelihood gradient in w."""
    if rule.likelihood is None:
        return _no_likelihood
    template, parts = rule.likelihood.template
    parts = {name: _compiled(p) if callable(p) else p for name, p in parts.items()}
    return specialise(template, **parts)


def chain_kernel(rule: Rule, update_template: Any) -> Any:
    """Compile the loop for the functions of a rule; ``update_template`` moves a part of θ."""
    weights_of, in_theta = bind_mapping(rule)
    update = specialise(
        update_template,
        speed_value=rule.speed.value_of,
        speed_slope=rule.speed.slope_of,
        in_theta=in_theta,
    )
    return specialise(
        _chain_template,
        on_disk=True,
        likelihood_gradient=bind_likelihood(rule),
        add_priors=bind_priors(rule),
        weights_of=weights_of,
        update=update,
    )


def _compiled(part: Any) -> Any:
    return part if is_compiled(part) else specialise(part)
