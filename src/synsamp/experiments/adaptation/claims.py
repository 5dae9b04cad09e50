"""The claims of Fig. 4, each judged over all circuits (seeds) of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from synsamp.experiments.adaptation.job import GRID_S, TURNOVER_S
from synsamp.experiments.base import Band, Claim
from synsamp.experiments.shared.wording import over_seeds

SETTLED_S = 2000.0
"""The paper's circuit starts dense; what is said about sparseness holds after this time."""


def judge(results: Any) -> Sequence[Claim]:
    """All claims that the phases of this run can show."""
    circuits: xr.Dataset = results["circuits"]
    measures: xr.Dataset = results["measures"]
    found = [*_elimination(measures), *_sparseness(circuits)]
    if measures.attrs["new_phase"] >= 0:
        found += _turning(measures) + _comeback(measures) + _synapse(measures)
    return found


def _claim(
    name: str, statement: str, where: str, value: float, band: Band, detail: str, unit: str = ""
) -> Claim:
    return Claim(name, statement, where, float(value), band, unit, detail)


def _elimination(m: xr.Dataset) -> list[Claim]:
    end = int(m.last_snapshot.values[0])
    background, matters = m.background_active.values, m.matters_active.values
    ratio = background[:, end] / background[:, 0]
    kept = matters[:, end] / matters[:, 0]
    return [
        _claim(
            "background-eliminated",
            "Most connections to inputs that code background are eliminated",
            "Fig. 4E, F",
            ratio.max(),
            (None, 0.25),
            "active share at background inputs at the end of phase 1, relative to the start, "
            f"largest of all circuits; {over_seeds(ratio)}; "
            f"share itself: {over_seeds(background[:, end])}",
        ),
        _claim(
            "relevant-survive",
            "Connections to inputs that carry information survive",
            "Fig. 4E, F",
            matters[:, end].min(),
            (0.85, None),
            "active share at inputs bright in more than half of the images, end of phase 1, "
            f"smallest of all circuits; {over_seeds(matters[:, end])}; "
            f"relative to the start: {over_seeds(kept)}",
        ),
    ]


def _sparseness(c: xr.Dataset) -> list[Claim]:
    settled = c.time.values >= SETTLED_S
    share = c.active.values.sum(axis=-1) / (c.sizes["neuron"] * c.sizes["input"])
    born = c.born.values
    late = c.turnover_time.values > SETTLED_S
    found = []
    if settled.any():
        largest = share[:, settled].max(axis=1)
        found.append(
            _claim(
                "few-active",
                "The number of active synapses stays low throughout learning",
                "Fig. 4H",
                largest.max(),
                (None, 0.25),
                f"largest active share after {SETTLED_S:g} s, every {GRID_S:g} s, of all "
                f"circuits; {over_seeds(largest)}",
            )
        )
    chosen = born[:, late] if late.any() else born
    found.append(
        _claim(
            "turnover-goes-on",
            "Functional synapses keep fluctuating: new ones are born all the time",
            "Fig. 4F",
            chosen.min(),
            (1.0, None),
            f"fewest births in any window of {TURNOVER_S:g} s after the first {SETTLED_S:g} s, of "
            f"all circuits; births per window: {over_seeds(chosen.mean(axis=1))}",
            "births",
        )
    )
    return found


def _turning(m: xr.Dataset) -> list[Claim]:
    digit, phase = m.attrs["new_digit"], m.attrs["new_phase"]
    end = int(m.last_snapshot.values[phase])
    before = int(m.last_snapshot.values[phase - 1])
    turned = m.turned.values
    most = np.sort(m.new_share.values[:, end], axis=1)[:, -2]
    likeness = np.array(
        [np.sort(row)[-2] for row in np.nan_to_num(m.new_likeness.values[:, end], nan=-1.0)]
    )
    # Whatever has no weights looks like nothing: at the end the worst, before no head start.
    likeness_before = np.array(
        [np.sort(row)[-2] for row in np.nan_to_num(m.new_likeness.values[:, before], nan=0.0)]
    )
    found = [
        _claim(
            "neurons-turn",
            f"When digit {digit} appears, at least two neurons specialise on it",
            "Fig. 4E",
            turned[:, end].sum(axis=1).min(),
            (2.0, None),
            f"neurons with more than 80 % of their digit spikes on {digit} and weights most like "
            f"its mean, fewest of all circuits; {over_seeds(turned[:, end].sum(axis=1))}; "
            f"at the end of the phase before: {over_seeds(turned[:, before].sum(axis=1))}; "
            f"share of the second best neuron: {over_seeds(most)}",
            "neurons",
        ),
        _claim(
            "weights-turn",
            f"Their weights come to look like digit {digit}",
            "Fig. 4E",
            (likeness - likeness_before).min(),
            (0.1, None),
            f"correlation of ŵ with the mean {digit}, second best neuron, gain over the phase, "
            f"smallest of all circuits; at its end: {over_seeds(likeness)}; before: "
            f"{over_seeds(likeness_before)}",
        ),
    ]
    if m.attrs["return_phase"] >= 0:
        last = int(m.last_snapshot.values[m.attrs["return_phase"]])
        found.append(
            _claim(
                "network-returns",
                f"When digit {digit} is gone, the network returns",
                "Fig. 4E",
                turned[:, last].sum(axis=1).max(),
                (None, 0.0),
                f"neurons still turned to {digit} at the end of the last phase, most of all "
                f"circuits; {over_seeds(turned[:, last].sum(axis=1))}",
                "neurons",
            )
        )
    return found


def _comeback(m: xr.Dataset) -> list[Claim]:
    ratio = m.back_at_new.values / np.maximum(m.back_control_at_new.values, 1.0)
    return [
        _claim(
            "eliminated-return",
            "When the input changes, some eliminated synapses are reactivated",
            "Fig. 4F",
            ratio.min(),
            (2.0, None),
            "connections at new inputs that were eliminated and are back at the end of the phase, "
            "against the same circuit that went on with the old digits, smallest ratio of all; "
            f"ratio: {over_seeds(ratio)}; back: {over_seeds(m.back_at_new.values)} of "
            f"{over_seeds(m.eliminated_at_new.values, 4)}; control: "
            f"{over_seeds(m.back_control_at_new.values)}; at all inputs: back "
            f"{over_seeds(m.back.values, 4)}, control {over_seeds(m.back_control.values, 4)}",
            "×",
        )
    ]


def _synapse(m: xr.Dataset) -> list[Claim]:
    digit = m.attrs["new_digit"]
    found = [
        _claim(
            "synapse-stable",
            f"A synapse useful for digit {digit} becomes stable while it is shown",
            "Fig. 4G",
            m.late_active_new.values.mean(),
            (0.95, None),
            "share of time active in the second half of the phase, mean over circuits; "
            f"{over_seeds(m.late_active_new.values)}; losses there: "
            f"{over_seeds(m.late_losses_new.values)}; share, mean over 20 candidates: "
            f"{over_seeds(m.all_late_active_new.values)}",
        )
    ]
    if m.attrs["return_phase"] >= 0:
        regrowths = m.regrowths_before.values + m.regrowths_after.values
        every = m.all_regrowths_before.values + m.all_regrowths_after.values
        active = (m.late_active_before.values + m.late_active_after.values) / 2
        active_all = (m.all_late_active_before.values + m.all_late_active_after.values) / 2
        found += [
            _claim(
                "synapse-probes",
                "In the phases before and after it probes the threshold now and then",
                "Fig. 4G",
                regrowths.mean(),
                (1.0, None),
                f"upward crossings of θ = 0 (every {GRID_S:g} s) in both phases together, mean "
                f"over circuits; {over_seeds(regrowths)}; mean over 20 candidates: "
                f"{over_seeds(every)}",
                "crossings",
            ),
            _claim(
                "synapse-inactive",
                "and is inactive there most of the time",
                "Fig. 4G",
                active.mean(),
                (None, 0.5),
                "share of time active in the second halves of both phases, mean over circuits; "
                f"{over_seeds(active)}; mean over 20 candidates: {over_seeds(active_all)}",
            ),
        ]
    return found
