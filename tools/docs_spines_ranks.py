"""Simulation-based calibration of the posterior of a spine table.

Writes into docs/reference/spines-methods.md:

    OPENBLAS_NUM_THREADS=1 python -m tools.docs_spines_ranks measure FILE.json ranks
    OPENBLAS_NUM_THREADS=1 python -m tools.docs_spines_ranks measure OTHER.json control
    python -m tools.docs_spines_ranks write FILE.json OTHER.json   # table and picture

Truths are drawn from the prior, a table from each truth, and the posterior from each table under
the same prior. If the posterior is right, the rank of the true value among the draws is uniform
(Talts et al. 2018). Tables alternate between four kinds: threshold on the measured size, threshold
on the true size, names that end with their first loss, and sessions that miss spines. The negative
control ignores the threshold: it treats absences as not imaged.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from scipy import stats

from synsamp.figures.style import BLUE, GRAY, ORANGE, STYLE
from synsamp.spines.fit import fit_process
from synsamp.spines.observations import ThresholdOn
from synsamp.spines.posterior import ParameterPrior, posterior_of
from synsamp.spines.returns import split_returns
from synsamp.spines.simulate import simulated_table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "spines-methods.md"
PICTURE = ROOT / "docs" / "images" / "spines-ranks.png"
BEGIN = "<!-- ranks: begin (written by tools/docs_spines_ranks.py) -->"
END = "<!-- ranks: end -->"

COUNTS = {"ranks": 200, "control": 37}
KINDS = ("measured", "true", "renamed", "missed")
SPINES, TIMES = 40, np.arange(8) * 4.0
STEPS = 800
BINS = 10
NAMES = {
    "mean": "μ",
    "spread": "s",
    "relaxation": "τ",
    "noise": "η",
    "bT": "b·T",
    "threshold": "threshold",
    "missed": "missed",
}
PRIOR = ParameterPrior(
    np.array([-0.3, 0.0, np.log(20.0), np.log(0.25), 0.0, np.log(0.05)]),
    np.array([0.4, 0.3, 0.5, 0.4, 0.1, 0.5]),
)
"""Of μ, log s, log τ, log η, the log threshold and the log of the probability of a miss; the last
two in one of four tables each."""

UNSEEN = 1e-3
"""A threshold below every size."""


def one(repetition: int, control: bool) -> dict[str, float]:
    """The rank of each true value in the posterior of its table, between 0 and 1."""
    rng = np.random.default_rng([18, repetition])
    drawn = rng.normal(PRIOR.mean, PRIOR.std)
    kind = KINDS[repetition % 4]
    threshold_on: ThresholdOn = "true" if kind == "true" else "measured"
    missed = float(np.exp(drawn[5])) if kind == "missed" else 0.0
    least = float(np.exp(drawn[4])) if threshold_on == "true" else 1.0
    true = {"mean": float(drawn[0])}
    true |= {
        n: float(np.exp(v))
        for n, v in zip(("spread", "relaxation", "noise"), drawn[1:4], strict=True)
    }
    table = simulated_table(
        **true,
        threshold=least,
        n_spines=SPINES,
        times=TIMES,
        threshold_on=threshold_on,
        missed=missed,
        seed=int(rng.integers(2**31)),
    )
    true |= {"bT": true["spread"] ** 2 / true["relaxation"], "threshold": least}
    true |= {"missed": missed}
    if kind == "renamed" and not control:
        table = split_returns(table)
    if control:
        table = replace(table, state=np.where(table.state == 0, -1, table.state).astype(np.int8))
        seen, threshold_on = table.observations(UNSEEN), "measured"
    else:
        seen = table.observations(None if threshold_on == "true" else 1.0)
    fitted = fit_process(
        seen,
        threshold_on=threshold_on,
        missed=kind == "missed" and not control,
        profiled=False,
    )
    draws = posterior_of(
        seen, fitted, prior=PRIOR, steps=STEPS, seed=repetition, progress=False
    ).draws
    weight = draws["weight"].values
    return {
        name: float(np.sum(weight * (draws[name].values < true[name])) / weight.sum())
        for name in NAMES
        if name in draws
    }


def measure(target: Path, kind: str) -> None:
    """Run all tables; an interrupted run continues when it is started again."""
    found = json.loads(target.read_text()) if target.exists() else {kind: []}
    for k in range(len(found[kind]), COUNTS[kind]):
        found[kind].append(one(k, kind == "control"))
        target.write_text(json.dumps(found))
    print(f"{len(found[kind])} tables")


def column(rows: list[dict[str, float]], name: str) -> np.ndarray:
    """The ranks of one parameter in all tables that have it."""
    return np.array([row[name] for row in rows if name in row])


def p_values(ranks: np.ndarray) -> tuple[float, float]:
    """That ranks are uniform: χ² over ten bins, and Kolmogorov–Smirnov."""
    counts, _ = np.histogram(ranks, BINS, (0.0, 1.0))
    return float(stats.chisquare(counts).pvalue), float(stats.kstest(ranks, "uniform").pvalue)


def write(*sources: Path | str) -> None:
    """The table between the marks of the page, and the picture."""
    found: dict[str, list[dict[str, float]]] = {kind: [] for kind in COUNTS}
    for source in sources:
        for kind, rows in json.loads(Path(source).read_text()).items():
            found[kind] += rows
    lines = [
        "| | tables | χ² p | Kolmogorov–Smirnov p | without the threshold: tables | χ² p |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, symbol in NAMES.items():
        ranks, control = column(found["ranks"], name), column(found["control"], name)
        chi, ks = p_values(ranks)
        other = f"{p_values(control)[0]:.2g}" if control.size else ""
        lines.append(
            f"| {symbol} | {ranks.size} | {chi:.2f} | {ks:.2f} | {control.size or ''} | {other} |"
        )
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")
    draw(found)
    print(f"wrote {PAGE} and {PICTURE}")


def draw(found: dict[str, list[dict[str, float]]]) -> None:
    """Fraction of ranks below a value minus that value, with the 95 % band."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 2.4))
        axes = figure.subplots(1, len(NAMES), sharey=True)
        for panel, (name, symbol) in zip(axes, NAMES.items(), strict=True):
            n = column(found["ranks"], name).size
            band = stats.kstwo.ppf(0.95, n)
            panel.axhspan(-band, band, color=GRAY, alpha=0.25, lw=0)
            for kind, colour, label in (
                ("control", ORANGE, "threshold ignored"),
                ("ranks", BLUE, "posterior"),
            ):
                ranks = np.sort(column(found[kind], name))
                if ranks.size:
                    at = np.linspace(0.0, 1.0, 501)
                    share = np.searchsorted(ranks, at, side="right") / ranks.size
                    panel.plot(at, share - at, color=colour, lw=1.3, label=label)
            panel.axhline(0, color=GRAY, lw=0.8)
            panel.set(title=symbol, xlim=(0, 1), xticks=[0, 0.5, 1])
            panel.set_xticklabels(["0", "½", "1"])
        axes[0].set(
            ylabel="fraction below it\nminus rank", ylim=(-0.4, 0.4)
        )  # the control leaves it
        axes[1].legend(fontsize=7, loc="upper right")
        figure.supxlabel("rank of the true value")
        figure.savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    {"measure": measure, "write": write}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
