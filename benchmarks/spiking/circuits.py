"""The paper's circuits: against Brian2, against a dense product, and how the cost grows.

Every case is a running network; rounds go through all of them in turn, a short window each, and the
table gives the best of the rounds. Times are processor time, Brian2's, too, and all run in one
thread: whatever else is busy on the machine hardly counts. A frozen twin of each network (no
plastic synapses) tells how much is input spikes, potentials and winner, how much is learning.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks import Row, missing_peer, peer_python, peers_folder
from benchmarks.spiking.rows import blank
from synsamp.data import load_digits
from synsamp.data.encoding import encode_image, noise_gap
from synsamp.spiking import (
    InputGroup,
    Network,
    Projection,
    RandomOrder,
    Simulation,
    SynapseModel,
    WinnerTakeAll,
)

_ROUNDS = 15
_SPIKES = 8000  # per window: a few milliseconds, and one refill of the stimulus or more
_WARM_UP_S = 500.0
_BRIAN_S = 3.0


@dataclass
class _Case:
    """A network to be timed in turns."""

    name: str
    sim: Simulation
    frozen: Simulation | None = None
    against: str = ""
    times: list[float] = field(default_factory=list)
    frozen_times: list[float] = field(default_factory=list)

    def turn(self) -> None:
        self.times.append(_microseconds(self.sim))
        if self.frozen is not None:
            self.frozen_times.append(_microseconds(self.frozen))


def run() -> list[Row]:
    """Measure all cases in alternating rounds."""
    digits = _digits()
    one = _circuits(digits, 784, 10, 1)
    eight = _paper_fig5(digits)
    sizes = [_circuits(digits, 784, n, 1) for n in (20, 50, 100, 200, 400)]
    counts = [_circuits(digits, 784, 10, n) for n in (2, 4, 8, 16, 32, 64)]
    inputs = [_circuits(digits, 784 * n, 10, 1) for n in (2, 4, 8)]
    exact = _circuits(digits, 784, 10, 1, drift_interval_s=0.0)
    cases = [one, exact, eight, *sizes, *counts, *inputs]
    dense = {kind: _dense_product(400, 784, kind) for kind in ("float32", "float64")}
    dense_times: dict[str, list[float]] = {kind: [] for kind in dense}
    scaling: list[float] = []
    brian = _brian2(digits)
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, fresh, initializer=_new_worker) as pool:
        for _ in range(_ROUNDS):
            for case in cases:
                case.turn()
            for kind, product in dense.items():
                dense_times[kind].append(product())
            scaling += [ratio for _ in range(5) if (ratio := _two_cores(pool)) is not None]
    rows = [_row(case) for case in cases]
    own = min(one.times)
    rows[0] |= _against(*brian, own)
    rows[2] |= {"against": "one circuit, time ratio", "ratio": min(eight.times) / own}
    big = sizes[-1]
    for kind, times in dense_times.items():
        for part, cost in (("a spike", big.times), ("keeping potentials", big.frozen_times)):
            rows.append(
                blank(f"400 neurons: {part} against a dense product, {kind}")
                | {
                    "us per spike": min(cost),
                    "against": f"{min(times):.3g} us for the product",
                    "ratio": min(times) / min(cost),
                }
            )
    rows.append(
        blank("two networks in two processes on two cores")
        | {
            "against": "one network, throughput ratio" if scaling else "other work on the cores",
            "ratio": float(np.median(scaling)) if scaling else None,
        }
    )
    rows.append(blank("memory, bytes per synapse, 784 x 10") | {"ratio": _bytes_per_synapse(one)})
    rows.append(blank("second start to first event, s") | {"ratio": _second_start()})
    first, second = _first_use()
    rows.append(blank("first use: compiling, s of processor time") | {"ratio": first})
    rows.append(blank("a second kind of synapses: compiling, s") | {"ratio": second})
    return rows


# -- the networks --------------------


def _digits() -> list[Any]:
    images = load_digits().train
    chosen = images.images[images.labels <= 2][:400]
    return [encode_image(image).then(noise_gap(784, 0.05)) for image in chosen]


def _tiled(presentations: list[Any], times: int) -> list[Any]:
    """The same pictures on several times as many inputs, with the same total rate."""
    return [
        SimpleNamespace(durations_s=p.durations_s, rates_hz=np.tile(p.rates_hz, times) / times)
        for p in presentations
    ]


def _circuits(digits: list[Any], n_inputs: int, size: int, count: int, **options: Any) -> _Case:
    """``count`` circuits of ``size`` neurons, all on the same inputs."""

    def network(plastic: bool) -> Network:
        names = [f"z{i}" for i in range(count)]
        return Network(
            inputs=[InputGroup("x", n_inputs)],
            neurons=[WinnerTakeAll(name, size) for name in names],
            projections=[Projection("x", name, plastic=plastic) for name in names],
        )

    shown = RandomOrder(_tiled(digits, n_inputs // 784))
    name = f"{count} x {size} neurons, {n_inputs} inputs"
    if options.get("drift_interval_s") == 0.0:
        name += ", exact mode"
    return _warm(name, network(True), network(False), shown, options)


def _paper_fig5(digits: list[Any]) -> _Case:
    """Eight circuits of ten, four on each of two input groups, lateral connections among all."""

    def network(plastic: bool) -> Network:
        names = [f"z{i}" for i in range(8)]
        model = SynapseModel()
        return Network(
            inputs=[InputGroup("x", 784), InputGroup("y", 784)],
            neurons=[WinnerTakeAll(name, 10) for name in names],
            projections=[
                *(Projection("x", name, model, plastic=plastic) for name in names[:4]),
                *(Projection("y", name, model, plastic=plastic) for name in names[4:]),
                *(
                    Projection(s, t, model, delay_s=0.005, plastic=plastic)
                    for s in names
                    for t in names
                ),
            ],
        )

    class Pairs:
        """Both groups see digits, drawn independently."""

        library = {"x": digits, "y": digits}  # noqa: RUF012 (never changed)

        def choose(self, rng: np.random.Generator, first: int, count: int) -> dict[str, Any]:
            return {name: rng.integers(len(digits), size=count) for name in self.library}

    name = "8 x 10 neurons, 1568 inputs, lateral"
    return _warm(name, network(True), network(False), Pairs(), {})


def _warm(name: str, plastic: Network, frozen: Network, shown: Any, options: Any) -> _Case:
    rate = sum(c.rate_hz for c in plastic.neurons)
    warm_up_s = max(20.0, _WARM_UP_S * 100.0 / rate)
    sim = Simulation(plastic, shown, seed=1, **options).run(warm_up_s)
    theta = {p.name: np.nan_to_num(sim.theta(p.name)) for p in plastic.projections}
    twin = Simulation(frozen, shown, seed=1, theta=theta, **options).run(warm_up_s)
    return _Case(name, sim, twin)


# -- timing --------------------


def _microseconds(sim: Simulation, spikes: int = _SPIKES) -> float:
    rate = sum(c.rate_hz for c in sim.network.neurons)
    before, start = sim.n_spikes, time.thread_time()
    sim.run(spikes / rate)
    return (time.thread_time() - start) / (sim.n_spikes - before) * 1e6


def _dense_product(n: int, m: int, kind: str) -> Callable[[], float]:
    rng = np.random.default_rng(0)
    weights, x = rng.random((n, m)).astype(kind), rng.random(m).astype(kind)
    out = np.empty(n, kind)

    def product() -> float:
        start = time.thread_time()
        for _ in range(100):
            np.dot(weights, x, out=out)
        return (time.thread_time() - start) * 1e4

    return product


_OWN: list[Simulation] = []


def _new_worker() -> None:
    _OWN.append(_circuits(_digits(), 784, 10, 1).sim)


def _work(spikes: int) -> tuple[int, float, bool]:
    """Worker, its microseconds per spike by the clock, and whether it had a core to itself."""
    start = time.perf_counter()
    used = _microseconds(_OWN[0], spikes)
    passed = (time.perf_counter() - start) * 1e6 / spikes
    return os.getpid(), passed, used > 0.95 * passed


def _two_cores(pool: ProcessPoolExecutor) -> float | None:
    """The speed-up of two processes with one network each over one process.

    Ensembles use the same scheme, one process per core. None if other programs used the cores.
    """
    spikes = 20_000
    both = list(pool.map(_work, [spikes, spikes]))
    alone: dict[int, float] = {}
    for _ in range(10):  # either worker may take it
        worker, passed, undisturbed = pool.submit(_work, spikes).result()
        if not undisturbed:
            return None
        alone[worker] = passed
        if len(alone) == 2:
            break
    workers = {worker for worker, _, undisturbed in both if undisturbed}
    if len(workers) < 2 or workers != set(alone):
        return None
    return sum(alone[worker] / passed for worker, passed, _ in both)


def _bytes_per_synapse(case: _Case) -> float:
    network = case.sim.network
    n_synapses = sum(network.mask_of(p).size for p in network.projections)
    return case.sim.nbytes / n_synapses


def _second_start() -> float:
    """Processor time of a fresh Python up to its first spike, once compiled."""
    program = (
        "import numpy as np\n"
        "from types import SimpleNamespace as S\n"
        "from synsamp.spiking import InOrder, Simulation, winner_take_all_network\n"
        "shown = S(durations_s=np.ones(1), rates_hz=np.full((1, 784), 5.0))\n"
        "sim = Simulation(winner_take_all_network(), InOrder([shown]))\n"
        "while not sim.n_spikes: sim.run(0.01)\n"
    )
    times = []
    for _ in range(4):
        before = os.times()
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
        after = os.times()
        used = after.children_user - before.children_user
        times.append(used + after.children_system - before.children_system)
    return min(times)


def _first_use() -> tuple[float, float]:
    """Processor time of the first simulation on a machine, and of the first of another kind."""
    program = (
        "import time, numpy as np\n"
        "from synsamp.mappings import Softplus\n"
        "from synsamp.priors import GaussianMixture\n"
        "from synsamp.spiking import ChangeClip, Simulation, SpikeLikelihood, SynapseModel\n"
        "from synsamp.spiking import winner_take_all_network\n"
        "start = time.process_time()\n"
        "Simulation(winner_take_all_network(), np.full(784, 5.0)).run(0.5)\n"
        "first = time.process_time()\n"
        "clipped = SpikeLikelihood(clip=ChangeClip(3.0))\n"
        "other = SynapseModel(GaussianMixture(), Softplus(0.7), clipped)\n"
        "Simulation(winner_take_all_network(784, 10, other), np.full(784, 5.0)).run(0.5)\n"
        "print(first - start, time.process_time() - first)\n"
    )
    best: list[tuple[float, float]] = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:  # an empty cache
            found = subprocess.run(
                [sys.executable, "-c", program],
                check=True,
                capture_output=True,
                text=True,
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
            )
        first, second = map(float, found.stdout.split())
        best.append((first, second))
    return min(first for first, _ in best), min(second for _, second in best)


def _brian2(digits: list[Any]) -> tuple[str, float | None]:
    """Microseconds per network spike of Brian2's C++ standalone with the same equations."""
    python = peer_python("brian2")
    if python is None:
        return missing_peer("brian2"), None
    shown = digits[: int(_BRIAN_S / 0.25)]
    frames = np.concatenate([np.repeat(p.rates_hz, [4, 1], axis=0) for p in shown])
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "given.npz"
        np.savez(
            given,
            rates_hz=frames,
            frame_s=0.05,
            theta0=np.random.default_rng(1).normal(0.5, 1.0, (10, 784)),
            b=1e-4,
            N=100.0,
            gamma=-8.0,
            duration_s=_BRIAN_S,
            dt_s=1e-3,
            runs=12,
        )
        answer = subprocess.run(
            [str(python), str(peers_folder() / "brian2" / "wta.py"), str(given)],
            check=True,
            capture_output=True,
            text=True,
        )
    found = json.loads(answer.stdout.splitlines()[-1])
    per_spike = [s / sum(n) * 1e6 for s, n in zip(found["seconds"], found["spikes"], strict=True)]
    return "Brian2 2.9.0, C++ standalone, dt 1 ms", min(per_spike)


# -- the table --------------------


def _row(case: _Case) -> Row:
    total, fixed = min(case.times), min(case.frozen_times)
    return blank(case.name) | {
        "us per spike": total,
        "inputs, potentials, winner": fixed,
        "learning": total - fixed,
        "bound by": "learning" if total > 2 * fixed else "input spikes and potentials",
    }


def _against(name: str, microseconds: float | None, own: float) -> Row:
    if microseconds is None:
        return {"against": name, "ratio": None}
    return {"against": f"{name}: {microseconds:.4g} us", "ratio": microseconds / own}
