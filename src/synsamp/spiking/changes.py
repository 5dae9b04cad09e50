"""Change speed, temperature, prior or plasticity of a projection while a network runs.

All synapses are first updated under the old parameters, so a change is exact. Only parameters
change: a Gaussian prior stays Gaussian, a plasticity keeps its functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from synsamp import arguments
from synsamp.errors import refuse
from synsamp.priors import CustomPrior, Prior, PriorByGroup
from synsamp.spiking.layout import Layout
from synsamp.spiking.network import Network
from synsamp.spiking.plasticity.base import Plasticity
from synsamp.spiking.projection import Projection
from synsamp.spiking.state import State, with_columns
from synsamp.spiking.synapses import SynapseModel

CHANGEABLE = ("speed", "temperature", "prior", "plasticity")


def changed(
    network: Network,
    projection: str | Mapping[str, Mapping[str, Any]],
    numbers: Mapping[str, Any] | None = None,
) -> Network:
    """The network with other parameters for a projection, or for those of a mapping."""
    if not isinstance(projection, Mapping):
        projection = {arguments.text("projection", projection): numbers or {}}
    elif numbers:
        rule = "must have its numbers within the mapping"
        raise refuse("change", rule, sorted(numbers)[0], "put it there")
    elif not projection:
        raise refuse("change", "must name a projection", "none")
    new = {}
    for name, own in projection.items():
        arguments.instance(f"numbers for {name!r}", own, Mapping, "e.g. {'speed': 0.0}")
        old = network.projection(name)
        new[name] = replace(old, synapses=_model(old, own))
    return Network(
        network.inputs,
        network.neurons,
        [new.get(p.name, p) for p in network.projections],
        network.epsp,
    )


def _model(projection: Projection, numbers: Mapping[str, Any]) -> SynapseModel:
    """The synapse model of a projection with other parameters."""
    model = projection.synapses
    if not numbers:
        raise refuse("change", "must name at least one number", "none", f"e.g. {CHANGEABLE[0]}=")
    for name in numbers:
        arguments.one_of("what to change", name, CHANGEABLE)
    if not projection.plastic:
        raise refuse("projection", "must be plastic to be changed", projection.name)
    if "prior" in numbers:
        prior = arguments.instance("prior", numbers["prior"], (Prior, PriorByGroup))
        _same_kind("prior", _kind_of_prior(prior), _kind_of_prior(model.prior), model.prior)
    if "plasticity" in numbers:
        plasticity = arguments.instance("plasticity", numbers["plasticity"], Plasticity)
        _same_kind("plasticity", plasticity.kind, model.plasticity.kind, model.plasticity)
    return replace(model, **numbers)


def _same_kind(name: str, new: Any, old: Any, example: Any) -> None:
    if new != old:
        raise refuse(
            name,
            "must be of the same kind as before",
            "another",
            f"change the parameters of {type(example).__name__}, or start another simulation",
        )


def _kind_of_prior(prior: Prior | PriorByGroup) -> tuple[Any, ...]:
    if isinstance(prior, PriorByGroup):
        return ("by group", prior.group.tobytes(), *map(_kind_of_prior, prior.priors))
    return (type(prior), prior.gradient_of, prior.transition_of, len(prior.parameters))


# -- to and from a saved state --------------------


def save_changes(now: Network, given: Network) -> dict[str, Any]:
    """All changes since the simulation was created, as numbers."""
    found = {}
    for new in now.projections:
        model, old = new.synapses, given.projection(new.name).synapses
        if model is not old:
            found[new.name] = {
                "speed": model.speed,
                "temperature": model.temperature,
                "prior": _numbers_of(model.prior),
                "plasticity": np.array(model.plasticity.settings),
            }
    return found


def restore_changes(given: Network, saved: Any) -> Network:
    """The network with the parameters it had when its state was saved."""
    changes = {}
    for name in saved:
        model = given.projection(name).synapses
        changes[name] = {
            "speed": float(saved[name]["speed"]),
            "temperature": float(saved[name]["temperature"]),
            "prior": _with_numbers(model.prior, saved[name]["prior"]),
            "plasticity": model.plasticity.with_settings(saved[name]["plasticity"]),
        }
    return changed(given, changes) if changes else given


def _numbers_of(prior: Any) -> dict[str, Any]:
    """Parameters of a prior by name, as arrays."""
    if isinstance(prior, PriorByGroup):
        return {str(i): _numbers_of(part) for i, part in enumerate(prior.priors)}
    if isinstance(prior, CustomPrior):
        return {str(i): np.array(v, float) for i, v in enumerate(prior.parameter_values)}
    values = {f.name: getattr(prior, f.name) for f in fields(prior)}
    return {name: np.array(v, float) for name, v in values.items() if v is not None}


def _with_numbers(prior: Any, numbers: Any) -> Any:
    if isinstance(prior, PriorByGroup):
        parts = [_with_numbers(part, numbers[str(i)]) for i, part in enumerate(prior.priors)]
        return replace(prior, priors=tuple(parts))
    if set(numbers) != set(_numbers_of(prior)):
        raise KeyError("numbers of the prior")
    values = {name: v.item() if np.ndim(v) == 0 else np.array(v) for name, v in numbers.items()}
    if isinstance(prior, CustomPrior):
        return replace(prior, parameter_values=tuple(values[str(i)] for i in range(len(values))))
    return replace(prior, **values)


# -- in memory --------------------


def relaid(values: Any, old: Layout, new: Layout, fill: Any) -> Any:
    """An array over all synapses in a new layout.

    Projections with the same parameters form one block; after a change they may not.
    """
    out = np.full(new.n_synapses, fill, values.dtype)
    for p in range(len(new.projections)):
        new.write(p, "synapse", out, old.read(p, "synapse", values))
    return out


def relaid_state(state: State, old: Layout, new: Layout) -> State:
    """The state in a new layout, with empty columns; see `Engine.recompute_potentials`."""
    synapses = state.synapses
    trace, traced_s = np.zeros(new.n_traces), np.zeros(new.n_traced)
    eligibility = np.zeros(new.n_eligibility)
    for p in range(len(new.projections)):
        new.write(p, "trace", trace, old.read(p, "trace", synapses.trace))
        new.write(p, "traced", traced_s, old.read(p, "traced", synapses.traced_s))
        own = old.read(p, "eligibility", synapses.eligibility)
        new.write(p, "eligibility", eligibility, own)
    state.synapses = with_columns(
        new,
        relaid(synapses.theta, old, new, -np.inf),
        relaid(synapses.weight, old, new, 0.0),
        synapses.refreshed_s.copy(),
        trace,
        traced_s,
        eligibility,
        synapses.eligibility_updated_s.copy(),
    )
    return state
