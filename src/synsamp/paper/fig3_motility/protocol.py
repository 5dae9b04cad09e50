"""One run of Fig. 3: a circuit that settles and is watched at two speeds, and synapses alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.paper.fig3_motility.parameters import MotilityParameters, WatchSection
from synsamp.paper.shared.digit_circuit import (
    N_PIXELS,
    SYNAPSES,
    DigitStimulus,
    build_network,
    build_synapses,
    training_digits,
)
from synsamp.protocol import (
    Branch,
    Change,
    Mark,
    Protocol,
    Show,
    Silence,
    View,
    active,
    at_marks,
    every,
    theta,
)
from synsamp.seeds import named_seed

N_TRACED = 200
"""Synapses whose θ is kept at every point of the grid."""
SILENT_HZ = 1e-12
FORGOTTEN, FORGETTING_STEPS = 10, 100
"""Relaxation times after which e^−10 is left of where synapses started; steps of the fast grid
that this takes at least."""


def run(p: MotilityParameters, seed: int) -> dict[str, Protocol]:
    """The circuit, and its synapses under prior and noise alone."""
    return {"circuit": circuit(p, seed), "free": free(p)}


def circuit(p: MotilityParameters, seed: int) -> Protocol:
    """Settle at the larger b; from there a copy goes on at the smaller b, the circuit as it was.

    The copy is left to settle again: the noise of single spikes is smaller there.
    """
    digits = DigitStimulus(training_digits(p.data), tuple(sorted(set(p.digits))), p.input).order
    rng = np.random.default_rng(named_seed(seed, "traced"))
    n_synapses = p.circuit.neurons * N_PIXELS
    traced = np.sort(rng.choice(n_synapses, min(N_TRACED, n_synapses), replace=False))
    return Protocol(
        build_network(N_PIXELS, p.circuit, build_synapses(p.rule, p.fast.speed)),
        steps=[
            Show(digits, p.settle_s),
            Branch(
                "slow",
                [
                    Change(SYNAPSES, speed=p.slow.speed),
                    Show(digits, p.slow_settle_s + p.slow.tracked_s),
                ],
                record=_watched(p.slow, p.slow.sync_interval_s, traced),
            ),
            Show(digits, p.fast.tracked_s),
        ],
        record=_watched(p.fast, p.fast.look_every_s, traced),
        sync_interval_s=p.fast.sync_interval_s,
    )


def _watched(watch: WatchSection, theta_every_s: float, traced: NDArray[Any]) -> dict[str, Any]:
    """All of θ is kept on a coarser grid at the larger b: on the fine one it would fill disks."""
    return {
        "active": every(watch.sync_interval_s, active(SYNAPSES)),
        "traced": every(watch.sync_interval_s, theta_of(traced)),
        "theta": every(theta_every_s, theta(SYNAPSES)),
    }


def theta_of(chosen: NDArray[Any]) -> Callable[[View], xr.Dataset]:
    """A record of θ of some synapses, by their place in the flattened matrix [post, pre]."""

    def look(view: View) -> xr.Dataset:
        values = view.theta(SYNAPSES).ravel()[chosen].astype(np.float32)
        return xr.Dataset({"theta": ("synapse", values)}, coords={"synapse": chosen})

    return look


def free(p: MotilityParameters) -> Protocol:
    """The same synapses in a circuit that never spikes: the rule is prior and noise alone.

    They start at θ = 0, forget it at a speed of their own, which does not matter for the law
    without activity, and are then watched as the circuit is, at both speeds. The arm "unchanged"
    keeps the larger b and is watched as if it had been changed.
    """
    sync_interval_s = p.fast.sync_interval_s
    forgetting_s = forgetting(p)
    silent = p.circuit.model_copy(update={"rate_hz": SILENT_HZ})
    speed = FORGOTTEN * p.rule.prior.std**2 / forgetting_s
    seldom = {"active": every(p.slow.sync_interval_s, active(SYNAPSES))}
    wait = Silence(p.slow.tracked_s)
    return Protocol(
        build_network(N_PIXELS, silent, build_synapses(p.rule, speed)),
        steps=[
            Silence(forgetting_s),
            Branch("slow", [Change(SYNAPSES, speed=p.slow.speed), wait], record=seldom),
            Change(SYNAPSES, speed=p.fast.speed),
            Branch("unchanged", [wait], record=seldom),
            Silence(p.fast.tracked_s),
            Mark("end"),
            Silence(p.change_steps * sync_interval_s),
            Mark("shortly_after"),
        ],
        record={
            "active": every(sync_interval_s, active(SYNAPSES)),
            "theta": every(p.fast.look_every_s, theta(SYNAPSES)),
            "pair": at_marks(theta(SYNAPSES)),
        },
        sync_interval_s=sync_interval_s,
        drift_interval_s=sync_interval_s,
        theta={SYNAPSES: 0.0},
    )


def forgetting(p: MotilityParameters) -> float:
    """How long synapses without activity are left alone before they are watched.

    A multiple of both grids.
    """
    return p.slow.sync_interval_s * math.ceil(
        FORGETTING_STEPS * p.fast.sync_interval_s / p.slow.sync_interval_s
    )
