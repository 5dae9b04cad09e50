"""Export the synapses of simulated circuits like a laboratory, and analyse the table.

    python -m tools.docs_spines_circuit make       # runs the circuits, writes the table
    python -m tools.docs_spines_circuit write      # analyses it, writes into PAGE

Three winner-take-all circuits learn bars; each stands for an animal. A synapse is a spine while
θ > 0; its volume is e^θ, measured with 10 % noise at a session every half hour.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from synsamp.data.encoding import encode_image, noise_gap
from synsamp.report.numbers import number_text
from synsamp.spiking import RandomOrder, Simulation, winner_take_all_network
from synsamp.spines import analyse

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "data" / "circuit_spines.csv"
PAGE = ROOT / "docs" / "reference" / "spines-methods.md"
BEGIN = "<!-- circuit: begin (written by tools/docs_spines_circuit.py) -->"
END = "<!-- circuit: end -->"

CIRCUITS, SIDE, NEURONS = 3, 6, 5
LEARNED_S, SESSION_S, SESSIONS = 20_000.0, 1800.0, 10
NOISE = 0.1


def theta_at_sessions(seed: int) -> np.ndarray:
    """θ of every synapse of one circuit, [synapse, session]."""
    bars = [np.zeros((SIDE, SIDE)) for _ in range(2 * SIDE)]
    for k in range(SIDE):
        bars[k][k, :] = 1.0
        bars[SIDE + k][:, k] = 1.0
    n = SIDE * SIDE
    shown = RandomOrder([encode_image(bar).then(noise_gap(n, 0.05)) for bar in bars])
    sim = Simulation(winner_take_all_network(n_inputs=n, n_neurons=NEURONS), shown, seed=seed)
    sim.run(LEARNED_S)
    rows = [sim.theta("x->z").ravel()]
    for _ in range(SESSIONS - 1):
        sim.run(SESSION_S)
        rows.append(sim.theta("x->z").ravel())
    return np.stack(rows, axis=1)


def make() -> None:
    """Semicolons and decimal commas, one row per spine and session, 0 for an absent spine."""
    lines = ["Mouse;Spine ID;time (h);Volume (a.u.)"]
    for circuit in range(CIRCUITS):
        theta = theta_at_sessions(circuit)
        rng = np.random.default_rng([circuit, 1])
        volume = np.exp(theta + NOISE * rng.standard_normal(theta.shape))
        seen = theta > 0
        for s in np.flatnonzero(seen.any(axis=1)):
            for k in range(SESSIONS):
                size = f"{volume[s, k]:.3f}" if seen[s, k] else "0"
                hours = f"{k * SESSION_S / 3600:g}"
                lines.append(f"c{circuit + 1};{s + 1};{hours};{size}".replace(".", ","))
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {TABLE} ({TABLE.stat().st_size / 1000:.0f} kB)")


def write() -> None:
    """Write the results of the command between the marks of the page."""
    found = analyse(TABLE)
    fitted, comparison = found.fitted, found.comparison
    assert fitted is not None
    assert comparison is not None
    lines = [f"{found.table.summary()[0]}; {found.table.summary()[1]}.", ""]
    lines += ["| | one time scale | 95 % interval |", "| --- | ---: | ---: |"]
    symbols = {"mean": "μ", "spread": "s", "relaxation": "τ (h)", "noise": "η", "bT": "b·T (1/h)"}
    for name, symbol in symbols.items():
        low, high = (number_text(v) for v in fitted.interval(name))
        lines.append(f"| {symbol} | {number_text(fitted.value(name))} | {low} to {high} |")
    lines += ["", "| process | ΔAIC | not explained |", "| --- | ---: | --- |"]
    for row in comparison.criteria.itertuples():
        own = comparison.checks[comparison.checks["process"] == row.process]
        missed = own.loc[~own["explained"].astype(bool), "statistic"]
        lines.append(f"| {row.process} | {row.above_best:.0f} | {', '.join(missed) or 'nothing'} |")
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")
    print("\n".join(lines))


if __name__ == "__main__":
    {"make": make, "write": write}[sys.argv[1]]()
