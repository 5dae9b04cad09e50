"""Does the engine agree in law with the NumPy script of learning from reward?

    python benchmarks/peers/numpy/agreement.py [RUNS]      (after `make peer-numpy`)

A small circuit is run many times by both, with dopamine given from outside, and in a closed loop
that rewards the spikes of one neuron. e, g and θ of every synapse at the end, spikes of every
neuron, and reward in both halves of a run: their means and variances over runs. "chance" is how
probable all deviations of a line together are if the laws are the same. Then synsamp runs wrong
models, which must not agree: "must differ" names what each of them is about.
θ = 0 and bounds are seen at multiples of the time step by both. It takes a minute.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from synsamp.analysis.agreement import deviation_of_means, deviation_of_variances
from synsamp.bench import Row, markdown_table, missing_peer, peer_python
from synsamp.bench.spiking.reward_peer import Case, Found, by_numpy, by_synsamp

DT_S = 1e-3


def cases() -> tuple[Case, Case]:
    """Three neurons, eight inputs; births, retractions, and both bounds are met."""
    rng = np.random.default_rng(0)
    common = {
        "rates_hz": rng.uniform(10.0, 60.0, 8),
        "theta0": rng.uniform(-0.2, 2.0, (3, 8)),
        "tau_e_s": 0.3, "tau_g_s": 1.0, "c": 10.0, "b": 0.05, "T": 0.5,
        "floor": -0.3, "ceiling": 2.2, "duration_s": 3.0, "mean_s": 2.0,
    }  # fmt: skip
    levels = np.array([1.0, -0.5, 2.0, 0.5, 1.5, 1.0])
    given = Case(**common, dopamine=levels, period_s=0.5)
    closed = Case(**common, worth=np.array([1.0, 0.0, 0.0]), period_s=0.1)
    return given, closed


def quantities(found: Found) -> dict[str, np.ndarray]:
    """What is compared, [run, …]."""
    kept = {"e": found["e"], "g": found["g"], "θ": found["theta"], "spikes": found["spikes"]}
    if found["reward"].any():
        first, second = np.split(found["reward"], 2, axis=1)
        kept |= {"reward, first half": first.mean(1), "reward, second half": second.mean(1)}
    return kept


def with_error(values: np.ndarray) -> str:
    """The mean of [run] with its standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.4f} ± {error:.4f}"


def compared(name: str, own: Found, peer: Found) -> list[Row]:
    """A line for each quantity."""
    rows: list[Row] = []
    theirs = quantities(peer)
    for quantity, one in quantities(own).items():
        two = theirs[quantity]
        means, variances = deviation_of_means(one, two), deviation_of_variances(one, two)
        flat = [each.reshape(len(each), -1) for each in (one, two)]
        centred = [((each - each.mean(0)) ** 2).mean(1) for each in flat]
        rows.append(
            {
                "case": name,
                "quantity": quantity,
                "mean, synsamp": with_error(flat[0].mean(1)),
                "NumPy": with_error(flat[1].mean(1)),
                "largest z": means.largest,
                "chance": means.chance,
                "variance, synsamp": with_error(centred[0]),
                "NumPy ": with_error(centred[1]),
                "largest z ": variances.largest,
                "chance ": variances.chance,
            }
        )
    return rows


def main(runs: int) -> None:
    """Print the table."""
    python = peer_python("numpy")
    if python is None:
        raise SystemExit(missing_peer("numpy"))
    given, closed = cases()
    seen = {"refresh_s": 0.0, "grid_s": DT_S}
    rows = []
    for name, case, wrong in (
        (
            "dopamine given",
            given,
            {
                "no expected spikes (e must differ)": {"expectation": False},
                "τ_g of 0.8 s, not 1 (g must differ)": {"case": replace(given, tau_g_s=0.8)},
            },
        ),
        (
            "who won",
            closed,
            {"reward withheld (g and reward must differ)": {"rewarded": False}},
        ),
    ):
        peer = by_numpy(case, runs, seed=1, dt_s=DT_S, python=python)
        own = by_synsamp(case, runs, seed=2, **seen)
        met = [float((own["theta"] == bound).mean()) for bound in (case.floor, case.ceiling)]
        print(f"{name}: at the floor {met[0]:.3f}, at the ceiling {met[1]:.3f}", file=sys.stderr)
        rows += compared(name, own, peer)
        for what, change in wrong.items():
            other = by_synsamp(**{"case": case, "runs": runs, "seed": 3, **seen, **change})
            rows += compared(what, other, peer)
    print(markdown_table(rows))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
