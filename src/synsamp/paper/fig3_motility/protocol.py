"""One run of Fig. 3: a circuit at two speeds, and its synapses without activity."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.paper.fig3_motility.parameters import ImagingSection, MotilityParameters
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
"""Synapses whose θ is recorded every time."""
SILENT_HZ = 1e-12
FORGOTTEN, FORGETTING_STEPS = 10, 100
"""Synapses forget their start (to e^−10) in 10 relaxation times, over 100 records."""


def run(p: MotilityParameters, seed: int) -> dict[str, Protocol]:
    """Return the protocols of the circuit and of its synapses without activity."""
    return {"circuit": circuit(p, seed), "no_activity": no_activity(p)}


def circuit(p: MotilityParameters, seed: int) -> Protocol:
    """Settle at the larger b; then a copy continues at the smaller b, and the circuit unchanged.

    The copy settles again, because the noise of single spikes is smaller at the smaller b.
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
                record=_records(p.slow, p.slow.record_every_s, traced),
            ),
            Show(digits, p.fast.tracked_s),
        ],
        record=_records(p.fast, p.fast.session_every_s, traced),
        sync_interval_s=p.fast.record_every_s,
    )


def _records(imaging: ImagingSection, theta_every_s: float, traced: NDArray[Any]) -> dict[str, Any]:
    """Records of one speed; at the larger b all of θ is recorded less often, to save space."""
    return {
        "active": every(imaging.record_every_s, active(SYNAPSES)),
        "traced": every(imaging.record_every_s, theta_record(traced)),
        "theta": every(theta_every_s, theta(SYNAPSES)),
    }


def theta_record(chosen: NDArray[Any]) -> Callable[[View], xr.Dataset]:
    """A record of θ of some synapses, by index in the flattened matrix [post, pre]."""

    def chosen_theta(view: View) -> xr.Dataset:
        values = view.theta(SYNAPSES).ravel()[chosen].astype(np.float32)
        return xr.Dataset({"theta": ("synapse", values)}, coords={"synapse": chosen})

    return chosen_theta


def no_activity(p: MotilityParameters) -> Protocol:
    """The same synapses in a circuit that never spikes: prior and noise alone.

    They start at θ = 0 and forget it at another speed, which does not affect the stationary
    distribution. Then they are imaged like the circuit, at both speeds. The branch "unchanged"
    keeps the larger b and is imaged like the smaller one.
    """
    sync_interval_s = p.fast.record_every_s
    forgetting_s = forgetting(p)
    silent = p.circuit.model_copy(update={"rate_hz": SILENT_HZ})
    speed = FORGOTTEN * p.rule.prior.std**2 / forgetting_s
    seldom = {"active": every(p.slow.record_every_s, active(SYNAPSES))}
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
            "theta": every(p.fast.session_every_s, theta(SYNAPSES)),
            "pair": at_marks(theta(SYNAPSES)),
        },
        sync_interval_s=sync_interval_s,
        drift_interval_s=sync_interval_s,
        theta={SYNAPSES: 0.0},
    )


def forgetting(p: MotilityParameters) -> float:
    """Time before the imaging of synapses without activity, a multiple of both record intervals."""
    return p.slow.record_every_s * math.ceil(
        FORGETTING_STEPS * p.fast.record_every_s / p.slow.record_every_s
    )
