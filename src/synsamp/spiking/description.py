"""Text descriptions of a network, to compare it with that of a saved state."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from synsamp.priors import PriorByGroup
from synsamp.specialise.fingerprint import fingerprint
from synsamp.spiking.network import Network
from synsamp.spiking.potential import SynapseList
from synsamp.spiking.projection import Projection


def network_properties(network: Network) -> dict[str, str]:
    """Every property of the network by name, as short text for saved states."""
    found = {"epsp": repr(network.epsp)}
    for group in network.inputs:
        found[f"input group {group.name!r}"] = repr(group)
    for circuit in network.neurons:
        found[f"circuit {circuit.name!r}"] = repr(circuit)
    for population in network.populations:
        if population.positions is not None:
            place = population.positions
            where = _digest(place.coordinates(population.size))
            found[f"positions of {population.name!r}"] = f"{where} {place.period}"
    for p in network.projections:
        for name, text in _projection(network, p).items():
            found[f"{name} of projection {p.name!r}"] = text
    return found


def summary(network: Network) -> str:
    """Populations and synapses in one line."""
    parts = [
        *(f"{g.name}: {g.size} inputs" for g in network.inputs[:4]),
        *(f"{c.name}: {c.size} neurons" for c in network.neurons[:4]),
    ]
    hidden = len(network.inputs[4:]) + len(network.neurons[4:])
    more = f" and {hidden} more" if hidden else ""
    synapses = sum(int(network.mask_of(p).sum()) for p in network.projections)
    return f"{', '.join(parts)}{more}; {synapses:,} potential synapses"


def difference(saved: Any, network: Network) -> str:
    """Properties in which ``network`` differs from a saved one, in one line; empty if none."""
    own = network_properties(network)
    differing = [name for name in sorted({*saved, *own}) if saved.get(name) != own.get(name)]
    shown = ", ".join(differing[:3])
    return shown + (f" and {len(differing) - 3} more" if len(differing) > 3 else "")


def _projection(network: Network, p: Projection) -> dict[str, str]:
    synapses = p.synapses
    return {
        "source, target": f"{p.source}, {p.target}",
        "delay_s": repr(p.delay_s),
        "plastic": repr(p.plastic),
        "sign": repr(p.sign),
        "epsp": repr(network.epsp_of(p)),
        "mask": _digest(network.mask_of(p)) if p.listed is None else _listed(p.listed),
        "speed": repr(synapses.speed),
        "temperature": repr(synapses.temperature),
        "theta_min": repr(synapses.theta_min),
        "max_euler_step": repr(synapses.max_euler_step),
        "prior": _prior(synapses.prior),
        "mapping": _part(synapses.mapping, synapses.mapping.weight_of, synapses.mapping.slope_of),
        "plasticity": synapses.plasticity.describe(),
    }


def _listed(listed: SynapseList) -> str:
    parts = " ".join(map(_digest, (listed.first, listed.pre, listed.delay)))
    return f"{listed.contacts} × {parts} {listed.delays_s}"


def _prior(prior: Any) -> str:
    if isinstance(prior, PriorByGroup):
        return "; ".join([*map(_prior, prior.priors), _digest(prior.group)])
    return _part(prior, prior.gradient_of, prior.transition_of)


def _part(part: Any, *functions: Any) -> str:
    """Name and parameters; for custom functions also a fingerprint of the code."""
    numbers = [repr(float(v)) if np.ndim(v) == 0 else _digest(v) for v in part.parameters]
    text = f"{type(part).__name__}({', '.join(numbers)})"
    if all(f is None or f.__module__.startswith("synsamp.") for f in functions):
        return text
    return f"{text} {fingerprint(functions, with_sources=False)}"


def _digest(values: Any) -> str:
    array = np.ascontiguousarray(values)
    return f"{array.dtype}{array.shape} {hashlib.sha256(array.tobytes()).hexdigest()[:12]}"
