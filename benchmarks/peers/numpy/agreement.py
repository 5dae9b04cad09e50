"""Does the engine agree in distribution with the NumPy scripts of learning from reward?

    python -m benchmarks.peers.numpy.agreement [RUNS [CASE...]]      (after `make peer-numpy`)

Both run a small network many times. ``given``: a circuit with a given time course of dopamine;
``closed``: a closed loop that rewards the spikes of one neuron; ``free``: stochastic neurons with
refractory period and homeostasis in the same loop. The table compares means and variances over
runs of e, g and θ of every synapse at the end, the spikes of every neuron, and the reward in both
halves of a run. "chance" is the probability of all deviations in a row if the distributions are
equal. As a control, synsamp then runs wrong models, which must differ in means or variances. Both
check θ = 0 and the bounds at multiples of the time step. For stochastic neurons e and g have more
variance in synsamp, by design (docs/howto/reward.md); with many runs θ and spikes show it as well.
Takes four minutes.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import Row, markdown_table, missing_peer, peer_python
from benchmarks.spiking.reward_peer import Case, Found, FreeCase, by_numpy, by_synsamp
from synsamp.analysis.agreement import deviation_of_means, deviation_of_variances

DT_S = 1e-3
RNG = np.random.default_rng(0)
COMMON: dict[str, Any] = {
    "rates_hz": RNG.uniform(10.0, 60.0, 8),
    "theta0": RNG.uniform(-0.2, 2.0, (3, 8)),
    "tau_e_s": 0.3, "tau_g_s": 1.0, "c": 10.0, "b": 0.05, "T": 0.5,
    "floor": -0.3, "ceiling": 2.2, "duration_s": 3.0, "mean_s": 2.0,
}  # fmt: skip
LOOP: dict[str, Any] = {**COMMON, "worth": np.array([1.0, 0.0, 0.0]), "period_s": 0.1}
LEVELS = np.array([1.0, -0.5, 2.0, 0.5, 1.5, 1.0])
CASES = {
    "given": Case(**COMMON, dopamine=LEVELS, period_s=0.5),
    "closed": Case(**LOOP),
    "free": FreeCase(**{**LOOP, "c": 2.0}, rate_hz=10.0, goal_hz=15.0, tau_beta_s=10.0),
}
WRONG: dict[str, dict[str, tuple[dict[str, Any], str]]] = {
    "given": {
        "no expected spikes": ({"expectation": False}, "e g θ"),
        "τ_g of 0.8 s, not 1": ({"case": replace(CASES["given"], tau_g_s=0.8)}, "g"),
    },
    "closed": {"reward withheld": ({"rewarded": False}, "g θ reward")},
    "free": {
        "no expected spikes": ({"expectation": False}, "e g θ"),
        "reward withheld": ({"rewarded": False}, "g"),
        "refractory period of 10 ms, not 5": (
            {"case": replace(CASES["free"], dead_s=0.01)},
            "spikes",
        ),
    },
}
"""What is changed here alone, and what must therefore differ."""


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
    return f"{values.mean():.4g} ± {error:.2g}"


def compared(name: str, own: Found, peer: Found) -> list[Row]:
    """A line for each quantity; means and variances as they are on average over its components."""
    rows: list[Row] = []
    theirs = quantities(peer)
    for quantity, one in quantities(own).items():
        two = theirs[quantity]
        means, variances = deviation_of_means(one, two), deviation_of_variances(one, two)
        flat = [each.reshape(len(each), -1) for each in (one, two)]
        squares = [((each - each.mean(0)) ** 2).mean(1) for each in flat]
        rows.append(
            {
                "case": name,
                "": quantity,
                "mean: synsamp": with_error(flat[0].mean(1)),
                "mean: NumPy": with_error(flat[1].mean(1)),
                "mean: largest z": means.largest,
                "mean: chance": means.chance,
                "variance: synsamp": with_error(squares[0]),
                "variance: NumPy": with_error(squares[1]),
                "variance: largest z": variances.largest,
                "variance: chance": variances.chance,
            }
        )
    return rows


def table(name: str, runs: int, python: Path) -> list[Row]:
    """One case, then its wrong models."""
    common = {"case": CASES[name], "runs": runs, "drift_interval_s": 0.0, "sync_interval_s": DT_S}
    peer = by_numpy(CASES[name], runs, seed=1, dt_s=DT_S, python=python)
    rows = compared(name, by_synsamp(**common, seed=2), peer)
    for what, (change, concerned) in WRONG[name].items():
        found = compared(f"{name}, {what}", by_synsamp(**{**common, **change, "seed": 3}), peer)
        rows += [row for row in found if str(row[""]).split(",")[0] in concerned.split()]
    return rows


def main(runs: int, names: list[str]) -> None:
    """Print a table for each case."""
    python = peer_python("numpy")
    if python is None:
        raise SystemExit(missing_peer("numpy"))
    for name in names:
        print(markdown_table(table(name, runs, python)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2:] or list(CASES))
