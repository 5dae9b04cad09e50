"""Does the engine agree with Brian2 as its time step goes to zero? Rates and mean drift of θ.

    python -m benchmarks.peers.brian2.agreement        (after `make peer-brian2`)

Both run a small plastic circuit many times. For each time step the table gives the deviation of
spike counts and of the drift of θ per input: the largest in standard errors, and the probability
of all of them (Hotelling's T²). Brian2 has an error of the order of its time step; the two agree
if the deviation vanishes in noise as dt → 0. Takes a quarter of an hour.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from benchmarks import markdown_table, missing_peer, peer_python
from synsamp.analysis.agreement import deviation_of_means
from synsamp.spiking import (
    EventLog,
    InOrder,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    winner_take_all_network,
)

DURATION_S, B, N, RUNS, OWN_RUNS = 5.0, 1e-3, 10.0, 400, 4000


def case():
    rng = np.random.default_rng(0)
    rates = np.tile(rng.gamma(0.5, 40.0, (20, 30)).clip(0, 100), (5, 1))
    return rates, rng.normal(1.5, 1.0, (4, 30))


def own(rates, theta0):
    shown = SimpleNamespace(durations_s=np.full(len(rates), 0.05), rates_hz=rates)
    counts, drifts = [], []
    for seed in range(OWN_RUNS):
        sim = Simulation(
            winner_take_all_network(
                30, 4, SynapseModel(speed=B, plasticity=SpikeLikelihood(data_size=N))
            ),
            InOrder([shown]),
            seed,
            theta={"x->z": theta0},
            drift_interval_s=0.0,
            sync_interval_s=DURATION_S,
            observer=EventLog("spikes"),
        ).run(DURATION_S)
        counts.append(np.bincount(sim.observer["spikes"]["neuron"], minlength=4))
        drifts.append((sim.theta("x->z") - theta0).mean(0))
    return np.array(counts), np.array(drifts)


def brian2(python, rates, theta0, dt_s):
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given.npz"
        np.savez(
            given, rates_hz=rates, frame_s=0.05, theta0=theta0, b=B, N=N, gamma=-8.0,
            duration_s=DURATION_S, dt_s=dt_s, runs=RUNS,
        )  # fmt: skip
        script = Path(__file__).with_name("wta.py")
        answer = subprocess.run(
            [str(python), str(script), str(given)], check=True, capture_output=True, text=True
        )
    found = json.loads(answer.stdout.splitlines()[-1])
    return np.array(found["spikes"]), np.array(found["drift"])


def main():
    python = peer_python("brian2")
    if python is None:
        raise SystemExit(missing_peer("brian2"))
    rates, theta0 = case()
    counts, drifts = own(rates, theta0)
    rows = []
    for dt_s in (4e-3, 1e-3, 2.5e-4, 1e-4):
        their_counts, their_drifts = brian2(python, rates, theta0, dt_s)
        counts_z, counts_p = deviation_of_means(counts, their_counts)
        drift_z, drift_p = deviation_of_means(drifts, their_drifts)
        rows.append(
            {
                "dt, ms": dt_s * 1e3,
                "spikes per run, Brian2": float(their_counts.sum(1).mean()),
                "synsamp": float(counts.sum(1).mean()),
                "counts, largest z": counts_z,
                "p of all": counts_p,
                "drift of θ, largest z": drift_z,
                "p of all drifts": drift_p,
            }
        )
    print(markdown_table(rows))


if __name__ == "__main__":
    main()
