"""Large networks against NEST and Brian2, as far as they can express them.

All simulate stochastic neurons of rate 5 Hz · exp(u) with 1,000 synapses each and a delay of 2 ms,
on one thread. What differs: synsamp has no time step, and prior and noise move θ of all potential
synapses, so that the network rewires; 16 % of them are functional. NEST and Brian2 have a time
step of 1 ms and a fixed random wiring in which all synapses are functional. In NEST, u jumps at a
spike instead of rising within 2 ms. NEST updates pair STDP at presynaptic spikes alone, for all
postsynaptic spikes since the previous one.
"""

from __future__ import annotations

import json
import subprocess

from benchmarks import Row, markdown_table, missing_peer, peer_python, peers_folder
from benchmarks.size import EACH, alone, measure

TITLE = "Large networks against NEST and Brian2, as far as they can express them"


STRETCHES = 3
RATE_HZ = 5.0
SPIKES = 20_000  # per stretch
PEERS = {"nest": "NEST 3.10.0", "brian2": "Brian2 2.9.0, C++ standalone"}
LARGE = 10_000  # in smaller networks most memory of a peer's process is not that of synapses
WHAT = {False: "static synapses", True: "pair STDP"}


def of_peer(peer: str, size: int, stdp: bool) -> dict[str, float] | None:
    """Time per spike (µs), bytes per synapse and set-up (s); None if the peer is missing."""
    python = peer_python(peer)
    if python is None:
        return None
    stretch_s = SPIKES / (size * RATE_HZ)
    numbers = [size, EACH, int(stdp), stretch_s, STRETCHES]
    script = peers_folder() / peer / "size.py"
    done = subprocess.run(
        [str(python), str(script), *map(str, numbers)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    times = [s / n * 1e6 for s, n in zip(found["seconds"], found["spikes"], strict=True)]
    return {"us": min(times), "bytes": found["bytes"], "set up": found["built_s"]}


def run() -> list[Row]:
    """Static synapses and pair STDP, 1,000 and 10,000 neurons."""
    rows: list[Row] = []
    for size in (1_000, 10_000):
        for stdp, rule in ((False, "fixed"), (True, "pair STDP")):
            own = alone(measure, size, rule)
            rows.append(_row(size, stdp, "synsamp", own, own["us"]))
            for peer, name in PEERS.items():
                found = of_peer(peer, size, stdp)
                name = name if found else missing_peer(peer)
                rows.append(_row(size, stdp, name, found or {}, own["us"]))
    return rows


def _row(size: int, stdp: bool, by: str, found: dict[str, float], own_us: float) -> Row:
    us = found.get("us")
    return {
        "neurons": f"{size:,}",
        "synapses": WHAT[stdp],
        "by": by,
        "us per spike": us,
        "/ synsamp": us / own_us if us else None,
        "bytes per synapse": None if by in PEERS.values() and size < LARGE else found.get("bytes"),
        "set-up, s": found.get("set up"),
    }


def table(rows: list[Row]) -> str:
    """The table, and what differs between the simulators."""
    return f"{markdown_table(rows)}\n\n{NOTE}"


NOTE = (
    "All simulate stochastic neurons of rate 5 Hz · exp(u) with 1,000 synapses each and a delay of "
    "2 ms, on one thread; times are processor time, the best of three stretches of 20,000 spikes. "
    "What differs: synsamp has no time step, prior and noise move θ of all potential synapses, so "
    "that the network rewires, and 16 % of them are functional. NEST and Brian2 have a time step "
    "of 1 ms and a fixed random wiring in which all synapses are functional; neither can express "
    "prior and noise per synapse. In NEST, u jumps at a spike instead of rising within 2 ms, and "
    "pair STDP is updated at presynaptic spikes alone, for all postsynaptic spikes since the "
    "previous one. Bytes per synapse are those of the synapses in synsamp, the growth of the "
    "process in NEST, and the peak of the process in Brian2. Set-up is processor time, in Brian2 "
    "the time of its compiler on the clock."
)
