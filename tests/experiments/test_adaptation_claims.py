"""What figure 4 is judged by, on made-up measures at both sides of every band's end."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from synsamp.experiments.adaptation.claims import _elimination, _turning


def _shares(at_start, at_end):
    """Two circuits, seven snapshots; phase 1 ends at the third, what follows must not count."""
    share = np.full((2, 7), 0.01)
    share[:, 0], share[:, 2] = at_start, at_end
    return ("seed", "snapshot"), share


@pytest.mark.parametrize(
    ("background", "matters", "holds"),
    [
        ([0.05, 0.2], [0.85, 0.9], (True, True)),
        ([0.05, 0.21], [0.85, 0.9], (False, True)),
        ([0.2, 0.2], [0.84, 1.0], (True, False)),
    ],
)
def test_background_goes_and_what_matters_stays_in_every_circuit(background, matters, holds):
    measures = xr.Dataset(
        {
            "last_snapshot": ("phase", [2, 4, 6]),
            "background_active": _shares(0.8, background),
            "matters_active": _shares(0.5, matters),
        }
    )
    gone, kept = _elimination(measures)
    assert (gone.holds, kept.holds) == holds
    assert gone.value == pytest.approx(max(background) / 0.8)
    assert kept.value == min(matters)
    assert kept.detail.endswith(f": {matters[0] / 0.5:.3g}, {matters[1] / 0.5:.3g}")


def _measures(turned, likeness_before, still_turned=0):
    """Three neurons; ``turned`` of them at the end of phase 2, with likeness 0.5 to the digit."""
    empty = np.zeros((2, 7, 3))
    counted, likeness = empty.copy(), empty.copy()
    counted[:, 4, :turned] = 1.0
    counted[1, 6, :still_turned] = 1.0
    likeness[:, 4] = [0.1, 0.5, 0.6]
    likeness[:, 2] = likeness_before
    axes = ("seed", "snapshot", "neuron")
    return xr.Dataset(
        {
            "last_snapshot": ("phase", [2, 4, 6]),
            "turned": (axes, counted),
            "new_share": (axes, empty),
            "new_likeness": (axes, likeness),
        },
        attrs={"new_digit": 2, "new_phase": 1, "return_phase": 2},
    )


@pytest.mark.parametrize(
    ("measures", "holds"),
    [
        (_measures(2, [0.0, 0.375, 0.9]), (True, True, True)),
        (_measures(1, [0.0, 0.375, 0.9]), (False, True, True)),
        (_measures(2, [0.0, 0.4375, 0.9]), (True, False, True)),
        (_measures(2, [0.0, 0.375, 0.9], still_turned=1), (True, True, False)),
    ],
)
def test_two_neurons_turn_with_their_weights_and_turn_back(measures, holds):
    assert tuple(claim.holds for claim in _turning(measures)) == holds


def test_neurons_without_weights_before_have_no_head_start():
    measures = _measures(2, [np.nan] * 3)
    measures.new_likeness.values[:, 4] = 0.05
    likeness = _turning(measures)[1]
    assert likeness.value == pytest.approx(0.05)
    assert not likeness.holds
